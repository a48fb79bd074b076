import type { Query } from '../client.ts';

export interface NewAttachmentRow {
  readonly accountId: string;
  readonly messageId: string;
  readonly ordinal: number;
  readonly filename: string;
  readonly contentType: string;
  /** Set: the file is inline. */
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

/** Stores one file. Its content travels as base64: the driver's own form takes half as much again, of memory on both sides. */
export async function insertAttachment(query: Query, row: NewAttachmentRow): Promise<void> {
  const { buffer, byteOffset, byteLength } = row.content;
  const encoded = Buffer.from(buffer, byteOffset, byteLength).toString('base64');
  await query`
    INSERT INTO message_attachments (account_id, message_id, ordinal, filename, content_type, content_id, size, content)
    VALUES (${row.accountId}, ${row.messageId}, ${row.ordinal}, ${row.filename}, ${row.contentType}, ${row.contentId},
      ${byteLength}, decode(${encoded}, 'base64'))`;
}

export interface StoredAttachment {
  readonly filename: string;
  readonly contentType: string;
  readonly contentId: string | null;
  readonly content: Uint8Array;
}

/**
 * Of a file, in one answer: the driver makes text of it first, twice as long, and holds it all. Texts of a megabyte and more are kept outside the
 * heap, where only a full collection finds them.
 */
const SLICE_BYTES = 256 * 1024;

/** The files of a message, in order, with their content. Whoever asks sees to it that not too many are asked for at once. */
export async function readAttachments(
  query: Query,
  accountId: string,
  messageId: string,
): Promise<readonly StoredAttachment[]> {
  const rows = await query<(StoredAttachment & { ordinal: number; size: number })[]>`
    SELECT ordinal, filename, content_type AS "contentType", content_id AS "contentId", size,
      substring(content FROM 1 FOR ${SLICE_BYTES}) AS content
    FROM message_attachments WHERE account_id = ${accountId} AND message_id = ${messageId} ORDER BY ordinal`;
  const files: StoredAttachment[] = [];
  for (const { ordinal, size, filename, contentType, contentId, content } of rows.splice(0)) {
    const whole =
      size <= SLICE_BYTES ? content : await readRest(query, { accountId, messageId, ordinal, size }, content);
    files.push({ filename, contentType, contentId, content: whole });
  }
  return files;
}

interface LargeFile {
  readonly accountId: string;
  readonly messageId: string;
  readonly ordinal: number;
  readonly size: number;
}

/** Files are stored uncompressed, so that the database finds a slice without reading what stands before it. */
async function readRest(query: Query, file: LargeFile, first: Uint8Array): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(file.size);
  whole.set(first);
  for (let at = first.byteLength; at < file.size; at += SLICE_BYTES) {
    const [row] = await query<{ content: Uint8Array }[]>`
      SELECT substring(content FROM ${at + 1} FOR ${SLICE_BYTES}) AS content FROM message_attachments
      WHERE account_id = ${file.accountId} AND message_id = ${file.messageId} AND ordinal = ${file.ordinal}`;
    if (row === undefined) throw new Error('a file was removed while it was read');
    whole.set(row.content, at);
  }
  return whole;
}
