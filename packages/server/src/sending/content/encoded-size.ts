import type { SendRequest } from '@postrider/core';
import type { ContentAttachment } from './send-content.ts';

/** The parts of the message other than its files. */
export interface MessageText {
  readonly request: SendRequest;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
}

/** Boundaries, the composer's own headers and a signature of each kind. */
const FRAME_BYTES = 4_096;
/** The longest form of a UTF-8 byte in a header: `%C3` twice, once for each way in which a name is written. */
const HEADER_GROWTH = 6;
const PART_BYTES = 512;

/**
 * The maximum size of a message on the wire, in bytes: exact for the files, which are nearly all of it, and an upper bound for the rest.
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

/** Bytes of base64 in lines of 76 characters with their line ends. */
function base64Size(bytes: number): number {
  const characters = Math.ceil(bytes / 3) * 4;
  return characters + 2 * Math.ceil(characters / 76);
}

/** Base64 is the longest encoding of a body, except for line breaks, each of which grows to two bytes. */
function bodySize(body: string | null): number {
  return body === null ? 0 : base64Size(Buffer.byteLength(body) + occurrences(body, '\n') + occurrences(body, '\r'));
}

function occurrences(text: string, character: string): number {
  let count = 0;
  for (let at = text.indexOf(character); at !== -1; at = text.indexOf(character, at + 1)) count += 1;
  return count;
}
