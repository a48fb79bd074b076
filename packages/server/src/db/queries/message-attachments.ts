import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { messageAttachments } from '../schema/messages.ts';
import { defineStatement, value } from '../statement.ts';

type Attachment = typeof messageAttachments.$inferSelect;

/** `contentId` is set if the file is inline. */
export interface NewAttachmentRow extends Omit<Attachment, 'size' | 'content'> {
  readonly content: Uint8Array;
}

const insert = defineStatement(
  {
    accountId: messageAttachments.accountId,
    messageId: messageAttachments.messageId,
    ordinal: messageAttachments.ordinal,
    filename: messageAttachments.filename,
    contentType: messageAttachments.contentType,
    contentId: messageAttachments.contentId,
    size: messageAttachments.size,
    encoded: value<string>(),
  },
  ({ accountId, messageId, ordinal, filename, contentType, contentId, size, encoded }) =>
    executing(sql`
      INSERT INTO message_attachments (account_id, message_id, ordinal, filename, content_type, content_id, size, content)
      VALUES (${accountId}, ${messageId}, ${ordinal}, ${filename}, ${contentType}, ${contentId}, ${size}, decode(${encoded}, 'base64'))`),
);

/** Stores one file. Its content is sent as base64, because the driver's own format needs half as much again in memory on both sides. */
export async function insertAttachment(query: Query, { content, ...file }: NewAttachmentRow): Promise<void> {
  const { buffer, byteOffset, byteLength: size } = content;
  await insert(query, { ...file, size, encoded: Buffer.from(buffer, byteOffset, size).toString('base64') });
}

export interface StoredAttachment extends Pick<Attachment, 'filename' | 'contentType' | 'contentId'> {
  readonly content: Uint8Array;
}

/**
 * The part of a file that one result contains. The driver first makes a string of it, twice as long, and keeps all of it in memory. Strings
 * of a megabyte and more are stored outside the heap, where only a full collection frees them.
 */
const SLICE_BYTES = 256 * 1024;

const MESSAGE = { accountId: messageAttachments.accountId, messageId: messageAttachments.messageId };

const read = defineStatement(MESSAGE, ({ accountId, messageId }) =>
  returning(
    {
      ordinal: messageAttachments.ordinal,
      filename: messageAttachments.filename,
      contentType: messageAttachments.contentType,
      contentId: messageAttachments.contentId,
      size: messageAttachments.size,
      content: pg.bytea,
    },
    sql`
      SELECT ordinal, filename, content_type AS "contentType", content_id AS "contentId", size,
        substring(content FROM 1 FOR ${SLICE_BYTES}) AS content
      FROM message_attachments WHERE account_id = ${accountId} AND message_id = ${messageId} ORDER BY ordinal`,
  ),
);

/** The files of a message with their content, in order. The caller must limit how many it reads at a time. */
export async function readAttachments(
  query: Query,
  accountId: string,
  messageId: string,
): Promise<readonly StoredAttachment[]> {
  const files: StoredAttachment[] = [];
  for (const { ordinal, size, content, ...file } of await read(query, { accountId, messageId })) {
    const whole =
      size <= SLICE_BYTES ? content : await readRest(query, { accountId, messageId, ordinal, size }, content);
    files.push({ ...file, content: whole });
  }
  return files;
}

const readSlice = defineStatement(
  { ...MESSAGE, ordinal: messageAttachments.ordinal, from: value<number>() },
  ({ accountId, messageId, ordinal, from }) =>
    returning(
      { content: pg.bytea },
      sql`
        SELECT substring(content FROM ${from} FOR ${SLICE_BYTES}) AS content FROM message_attachments
        WHERE account_id = ${accountId} AND message_id = ${messageId} AND ordinal = ${ordinal}`,
    ),
);

/** Files are stored uncompressed, so that the database finds a slice without reading the bytes before it. */
async function readRest(
  query: Query,
  { size, ...name }: Pick<Attachment, 'accountId' | 'messageId' | 'ordinal' | 'size'>,
  first: Uint8Array,
): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafe(size);
  whole.set(first);
  for (let at = first.byteLength; at < size; at += SLICE_BYTES) {
    const [row] = await readSlice(query, { ...name, from: at + 1 });
    if (row === undefined) throw new Error('a file was removed while it was read');
    whole.set(row.content, at);
  }
  return whole;
}
