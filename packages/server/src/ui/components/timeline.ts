import { type Html, type HtmlValue, html } from '../../html/page-markup.ts';
import type { Tone } from './badge.ts';
import { time } from './time.ts';

export interface Moment {
  readonly id: string;
  /** An RFC 3339 time. */
  readonly at: string;
  readonly tone: Tone;
  readonly title: HtmlValue;
  readonly body?: HtmlValue;
}

/** What happened, in order. The words say what the colors repeat. */
export function timeline(moments: readonly Moment[]): Html {
  const items = moments.map(
    ({ id, at, tone, title, body }) =>
      html`<li id="${id}" class="${tone === 'neutral' ? '' : tone}"><strong>${title}</strong> ${time(at)}${body == null ? null : html`<div class="stack-tight">${body}</div>`}</li>`,
  );
  return html`<ol class="timeline">${items}</ol>`;
}
