import { threadJob } from '../../threads/thread-job.ts';
import { deriveText } from '../derive-text.ts';

/** The plain text of a message: absent text is derived from the html, and an empty one says that none is wanted. */
export function toBodyText(html: string | null, text: string | null | undefined): string | null {
  if (text === undefined || text === null) return html === null ? null : deriveText(html);
  return text === '' ? null : text;
}

export const BODY_TEXT = threadJob(
  import.meta.url,
  'BODY_TEXT',
  ({ html, text }: { readonly html: string | null; readonly text: string | null }) => toBodyText(html, text),
);
