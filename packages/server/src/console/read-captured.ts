import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { threadJob } from '../threads/thread-job.ts';
import { toQuietHtml } from './quiet-html.ts';

/** A captured message, parsed for reading. Its HTML is read separately, for a frame. */
export interface ReadableMessage {
  readonly subject: string;
  readonly headers: readonly { readonly name: string; readonly value: string }[];
  /** The beginning of the text; null without one. */
  readonly text: string | null;
  readonly hasHtml: boolean;
  /** The beginning of the message as it was sent. */
  readonly source: string;
  readonly attachments: readonly CapturedFileFacts[];
}

export interface CapturedFileFacts {
  readonly filename: string;
  readonly contentType: string;
  readonly size: number;
}

/** More than a page shows, so that it can say that there is more. */
const READ_CHARACTERS = 70_000;
/** No program writes more. */
const HEADERS_READ = 200;

export const CAPTURED_MESSAGE = threadJob(import.meta.url, 'CAPTURED_MESSAGE', async (raw: Uint8Array) =>
  toReadable(await PostalMime.parse(raw), raw),
);

/** Its HTML, in a form that makes no requests. */
export const CAPTURED_HTML = threadJob(import.meta.url, 'CAPTURED_HTML', async (raw: Uint8Array) =>
  toQuietHtml((await PostalMime.parse(raw)).html ?? ''),
);

/** The whole text. */
export const CAPTURED_TEXT = threadJob(
  import.meta.url,
  'CAPTURED_TEXT',
  async (raw: Uint8Array) => (await PostalMime.parse(raw)).text ?? null,
);

/** One attached file with its bytes; null if there are fewer. */
export const CAPTURED_FILE = threadJob(
  import.meta.url,
  'CAPTURED_FILE',
  async ({ raw, index }: { readonly raw: Uint8Array; readonly index: number }) => {
    const file = (await PostalMime.parse(raw)).attachments[index];
    return file === undefined ? null : { ...factsOf(file), content: bytesOf(file) };
  },
);

function toReadable(email: Email, raw: Uint8Array): ReadableMessage {
  return {
    subject: email.subject ?? '',
    headers: email.headers
      .slice(0, HEADERS_READ)
      .map(({ originalKey, key, value }) => ({ name: originalKey ?? key, value: value.slice(0, READ_CHARACTERS) })),
    text: email.text?.slice(0, READ_CHARACTERS) ?? null,
    hasHtml: email.html !== undefined,
    source: Buffer.from(raw.subarray(0, READ_CHARACTERS)).toString('utf8'),
    attachments: email.attachments.map(factsOf),
  };
}

function factsOf(file: Attachment): CapturedFileFacts {
  const { filename, mimeType } = file;
  return { filename: filename ?? 'unnamed', contentType: mimeType, size: bytesOf(file).byteLength };
}

function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
}
