import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { executing, pg, returning } from '../result.ts';
import { messageAttachments } from '../schema/messages.ts';
import { defineStatement, value } from '../statement.ts';

type Attachment = typeof messageAttachments.$inferSelect;

/** `contentId` is set where the file is inline. */
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

/** Stores one file. Its content travels as base64: the driver's own form takes half as much again, of memory on both sides. */
export async function insertAttachment(query: Query, { content, ...file }: NewAttachmentRow): Promise<void> {
  const { buffer, byteOffset, byteLength: size } = content;
  await insert(query, { ...file, size, encoded: Buffer.from(buffer, byteOffset, size).toString('base64') });
}

export interface StoredAttachment extends Pick<Attachment, 'filename' | 'contentType' | 'contentId'> {
  readonly content: Uint8Array;
}

/**
 * Of a file, in one answer: the driver makes text of it first, twice as long, and holds it all. Texts of a megabyte and more are kept outside the
 * heap, where only a full collection finds them.
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

/** The files of a message, in order, with their content. Whoever asks sees to it that not too many are asked for at once. */
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

/** Files are stored uncompressed, so that the database finds a slice without reading what stands before it. */
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
