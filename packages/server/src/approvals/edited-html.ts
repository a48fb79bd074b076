import type { HeldBodies } from '../db/queries/held-messages.ts';
import { planContentTracking } from '../sending/content/plan-content-tracking.ts';
import type { ContentTracking } from '../sending/content/send-content.ts';
import { deriveText } from '../sending/derive-text.ts';
import { threadJob } from '../threads/thread-job.ts';

/** What is computed from an approver's HTML. Reading two megabytes takes up to a second, so this runs before the hold is locked. */
export interface EditedHtml {
  /** The text derived from the new HTML; null if the message's text was not derived from its HTML and so stays unchanged. */
  readonly text: string | null;
  /** Tracking for the new HTML, by the account's current settings if the edit adds links. */
  readonly tracking: ContentTracking | null;
}

export interface HtmlEdit {
  /** The bodies of the held message. */
  readonly before: HeldBodies;
  readonly html: string;
  /** Whether the approver left out the text. */
  readonly derivesText: boolean;
}

export const READ_EDITED_HTML = threadJob(
  import.meta.url,
  'READ_EDITED_HTML',
  ({ before, html, derivesText }: HtmlEdit): EditedHtml => ({
    text: derivesText && isDerived(before) ? deriveText(html) : null,
    tracking: planContentTracking(html, before.headers, before),
  }),
);

/** Whether the text was derived from the HTML. If so, it must be derived again, or it would still contain what the approver removed. */
function isDerived({ html, text }: HeldBodies): boolean {
  return html !== null && text !== null && text === deriveText(html);
}

export function sizeOfEdit({ before, html }: HtmlEdit): number {
  return html.length + (before.html?.length ?? 0);
}
