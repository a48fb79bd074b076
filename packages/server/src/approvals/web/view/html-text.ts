import type { ApprovalReview } from '@postrider/core';
import { type Html, html } from '../../../html/page-markup.ts';
import type { HeldView } from './shown-hold.ts';

/**
 * All text of the HTML, hidden text included, as programs of the recipients read it. The review of styles can be wrong, and the frame shows
 * only what styles leave visible, so that an approver must be able to read the rest. It is open if there may be such text.
 */
export function htmlText({ base, reading: { review } }: HeldView): Html {
  const text = review?.body ?? null;
  const shown =
    text === null
      ? null
      : html`<pre class="mail-text" tabindex="0" role="region" aria-label="All text in the HTML of the message">
${text}</pre>`;
  const whole =
    text === null || review?.bodyIsCut === true
      ? html`<p class="small">${text === null ? null : 'This is the beginning. '}<a href="${base}/text?of=html" target="_blank" rel="noopener noreferrer">Read all text in the HTML</a>.</p>`
      : null;
  const isOpen = mayHideText(review);
  const about = isOpen
    ? 'Programs read this text, but recipients may not see all of it. Compare it with the message above.'
    : 'Programs read this text, whether recipients see it or not.';
  return html`<details class="more" id="all-text"${isOpen ? html` open` : null}><summary>All text in the HTML${hidesSummary(review) ? ', with text that it hides' : null}</summary>
<div class="stack-tight"><p class="small soft">${about} A number in brackets stands for a link.</p>${shown}${whole}</div></details>`;
}

/** Whether the frame may lack text. An unread message may lack any. */
function mayHideText(review: ApprovalReview | null): boolean {
  if (review === null) return true;
  return review.findings.some(({ kind, level }) => level !== 'note' && MAY_HIDE.has(kind));
}

const MAY_HIDE: ReadonlySet<string> = new Set(['hidden-text', 'unclear-text', 'covers', 'not-checked']);

function hidesSummary(review: ApprovalReview | null): boolean {
  return review?.findings.some(({ kind }) => kind === 'hidden-text') ?? false;
}
