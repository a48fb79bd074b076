import PostalMime from 'postal-mime';
import type { CapturedMessage } from '../db/queries/captured-messages.ts';
import { threadJob } from '../threads/thread-job.ts';
import { type ReadableMessage, renderMessage } from './mailbox-pages.ts';
import { toQuietHtml } from './quiet-html.ts';

type Captured = Pick<CapturedMessage, 'id' | 'mailFrom' | 'to' | 'raw'>;

/** The page of a captured message. */
export const CAPTURED_PAGE = threadJob(import.meta.url, 'CAPTURED_PAGE', async (captured: Captured) =>
  renderMessage(await readCaptured(captured)),
);

/** Its HTML, in a form that makes no requests. */
export const CAPTURED_HTML = threadJob(import.meta.url, 'CAPTURED_HTML', async (captured: Captured) =>
  toQuietHtml((await readCaptured(captured)).html ?? ''),
);

/** Parses a captured message for the console. */
async function readCaptured(captured: Captured): Promise<ReadableMessage & { readonly html: string | null }> {
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
