import PostalMime from 'postal-mime';
import type { CapturedMessage } from '../db/queries/captured-messages.ts';
import type { ReadableMessage } from './mailbox-pages.ts';

/** Parses a captured message for the console. */
export async function readCaptured(
  captured: CapturedMessage,
): Promise<ReadableMessage & { readonly html: string | null }> {
  const email = await PostalMime.parse(captured.raw);
  return {
    id: captured.id,
    subject: email.subject ?? '',
    mailFrom: captured.mailFrom,
    recipients: captured.to,
    headers: email.headers.map(({ originalKey, key, value }) => ({ name: originalKey ?? key, value })),
    text: email.text ?? null,
    hasHtml: email.html !== undefined,
    html: email.html ?? null,
  };
}
