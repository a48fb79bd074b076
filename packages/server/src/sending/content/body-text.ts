import { threadJob } from '../../threads/thread-job.ts';
import { deriveText } from '../derive-text.ts';

/** The plain text of a message: missing text is derived from the HTML, and an empty string means that no text part is wanted. */
export function toBodyText(html: string | null, text: string | null | undefined): string | null {
  if (text === undefined || text === null) return html === null ? null : deriveText(html);
  return text === '' ? null : text;
}

export const BODY_TEXT = threadJob(
  import.meta.url,
  'BODY_TEXT',
  ({ html, text }: { readonly html: string | null; readonly text: string | null }) => toBodyText(html, text),
);
