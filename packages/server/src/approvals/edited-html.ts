import type { HeldBodies } from '../db/queries/held-messages.ts';
import { planContentTracking } from '../sending/content/plan-content-tracking.ts';
import type { ContentTracking } from '../sending/content/send-content.ts';
import { deriveText } from '../sending/derive-text.ts';
import { threadJob } from '../threads/thread-job.ts';

/** What an approver's HTML comes to. It takes as much as a second to read two megabytes, so it is worked out before the hold is locked. */
export interface EditedHtml {
  /** Derived from it; null where the text of the message was not derived from its HTML, and stays. */
  readonly text: string | null;
  /** Its links are tracked as the account's switches are now, where others have come into the message. */
  readonly tracking: ContentTracking | null;
}

export interface HtmlEdit {
  /** As held. */
  readonly before: HeldBodies;
  readonly html: string;
  /** Whether the approver gave no text. */
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

/** The text of before would go on saying what the approver took out of the HTML. */
function isDerived({ html, text }: HeldBodies): boolean {
  return html !== null && text !== null && text === deriveText(html);
}

export function sizeOfEdit({ before, html }: HtmlEdit): number {
  return html.length + (before.html?.length ?? 0);
}
