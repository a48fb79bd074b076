import { type Html, html } from '../../html/page-markup.ts';

/** A text of the API whose names are in backticks, with those names as code. */
export function withCode(text: string): Html {
  return html`${text.split('`').map((part, index) => (index % 2 === 0 ? part : html`<code>${part}</code>`))}`;
}
