import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { messageAttachments } from '../schema/messages.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

const readFacts = defineStatement(
  { accountId: messageAttachments.accountId, messageId: messageAttachments.messageId, index: value<number>() },
  ({ accountId, messageId, index }) =>
    returning(
      {
        ordinal: messageAttachments.ordinal,
        filename: messageAttachments.filename,
        contentType: messageAttachments.contentType,
        size: messageAttachments.size,
      },
      sql`
        SELECT ordinal, filename, content_type AS "contentType", size FROM message_attachments
        WHERE account_id = ${accountId} AND message_id = ${messageId} ORDER BY ordinal OFFSET ${index} LIMIT 1`,
    ),
);

/** A file of a message without its content. */
export type FileFacts = RowOf<typeof readFacts>;

/** Reads the file at an index, starting at 0; null if there is none. */
export async function readFileFacts(
  query: Query,
  accountId: string,
  messageId: string,
  index: number,
): Promise<FileFacts | null> {
  const [row] = await readFacts(query, { accountId, messageId, index });
  return row ?? null;
}

const listInline = defineStatement(
  { accountId: messageAttachments.accountId, messageId: messageAttachments.messageId },
  ({ accountId, messageId }) =>
    returning(
      {
        ordinal: messageAttachments.ordinal,
        filename: messageAttachments.filename,
        contentType: messageAttachments.contentType,
        size: messageAttachments.size,
        contentId: messageAttachments.contentId,
      },
      sql`
        SELECT ordinal, filename, content_type AS "contentType", size, content_id AS "contentId" FROM message_attachments
        WHERE account_id = ${accountId} AND message_id = ${messageId} AND content_id IS NOT NULL ORDER BY ordinal`,
    ),
);

/** The files that the HTML of a message can name by a content id, without their content. */
export async function listInlineFiles(
  query: Query,
  accountId: string,
  messageId: string,
): Promise<readonly RowOf<typeof listInline>[]> {
  return await listInline(query, { accountId, messageId });
}

const readPart = defineStatement(
  {
    accountId: messageAttachments.accountId,
    messageId: messageAttachments.messageId,
    ordinal: messageAttachments.ordinal,
    from: value<number>(),
    bytes: value<number>(),
  },
  ({ accountId, messageId, ordinal, from, bytes }) =>
    returning(
      { content: pg.bytea },
      sql`
        SELECT substring(content FROM ${from} FOR ${bytes}) AS content FROM message_attachments
        WHERE account_id = ${accountId} AND message_id = ${messageId} AND ordinal = ${ordinal}`,
    ),
);

/** Bytes of a file per query. Files are stored uncompressed, so PostgreSQL can read a slice without reading what precedes it. */
const SLICE_BYTES = 256 * 1024;

/** Reads a file's content in slices, so that a large file is never in memory as a whole. Ends early if the message is deleted meanwhile. */
export async function* readFileContent(
  query: Query,
  accountId: string,
  messageId: string,
  { ordinal, size }: FileFacts,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; at += SLICE_BYTES) {
    const [row] = await readPart(query, { accountId, messageId, ordinal, from: at + 1, bytes: SLICE_BYTES });
    if (row === undefined) throw new Error('the message was removed while its file was read');
    yield row.content;
  }
}
