import { type Html, html } from '../../../html/page-markup.ts';
import { revealed } from '../../../ui/components/revealed-text.ts';
import { notice } from '../../../ui/components/surfaces.ts';

/** Why an approval now would not send the message: what is wrong, and what to do. Empty if it would be sent. */
export type Forecast = readonly { readonly message: string; readonly fix: string }[];

/** Nothing is shown if the message would be sent: that is what an approver expects. */
export function acceptanceForecast(forecast: Forecast): Html {
  if (forecast.length === 0) return html``;
  const [first, ...others] = forecast.map(({ message, fix }) => html`${revealed(message)} ${revealed(fix)}`);
  return notice(
    'warn',
    'If you approve it now, it cannot be sent',
    html`${first}${others.map((other) => html`<br>${other}`)}`,
  );
}
