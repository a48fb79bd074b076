import type { SendRequest } from '@postrider/core';
import type { ContentAttachment } from './send-content.ts';

/** What the message says beside its files. */
export interface MessageText {
  readonly request: SendRequest;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** Boundaries, the composer's own headers and a signature of each kind. */
const FRAME_BYTES = 4_096;
/** The longest an octet of UTF-8 becomes in a header: `%C3` twice, once in each way a name is written. */
const HEADER_GROWTH = 6;
const PART_BYTES = 512;

/**
 * The size a message has on the wire, at most: exact for the files, which are nearly all of it, and an upper bound for the rest. In octets.
 */
export function encodedSize(
  { request, subject, html, text }: MessageText,
  attachments: readonly Pick<ContentAttachment, 'filename' | 'contentType' | 'content'>[],
): number {
  const mailboxes = [request.from, ...request.to, ...(request.cc ?? [])].map(({ given }) => given);
  const headers = Object.entries(request.headers ?? {}).flat();
  const header = [subject, ...mailboxes, ...headers].reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  const files = attachments.reduce(
    (sum, { filename, contentType, content }) =>
      sum +
      PART_BYTES +
      HEADER_GROWTH * (Buffer.byteLength(filename) + contentType.length) +
      base64Size(content.byteLength),
    0,
  );
  return FRAME_BYTES + HEADER_GROWTH * header + bodySize(html) + bodySize(text) + files;
}

/** Octets of base64 in lines of 76 with their line ends. */
function base64Size(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + 2 * Math.ceil(characters / 76);
}

/** Base64 is the longest that a body ever becomes, save for line breaks that grow to two octets each. */
function bodySize(body: string | null): number {
  return body === null ? 0 : base64Size(Buffer.byteLength(body) + occurrences(body, '\n') + occurrences(body, '\r'));
}

function occurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
