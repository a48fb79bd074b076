import { type Html, html } from '../../../html/page-markup.ts';
import { timeLeft } from '../../../html/time-words.ts';

/** `in 2 days`, which the script keeps current. */
export function timeToDecide(expiresAt: string, now: string): Html {
  return html`<time datetime="${expiresAt}" data-form="age">${timeLeft(new Date(expiresAt), new Date(now))}</time>`;
}
