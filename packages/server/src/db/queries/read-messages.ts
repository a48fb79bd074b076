import { LIMITS } from '@postrider/core';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { sql } from '../drizzle.ts';
import { arraysOf, columnNames, type RecordOf, toArrays, unnested } from '../record-columns.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import type { approvals } from '../schema/approvals.ts';
import { apiKeys } from '../schema/keys.ts';
import {
  type messageAttachments,
  type messageBodies,
  type messageEvents,
  type messageRecipients,
  messages,
} from '../schema/messages.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';
import { FILTERS, fromLog, type MessageFilters, toFilterValues } from './message-filters.ts';
import { POSTMASTER_KEY_ID } from './postmaster-account.ts';

const RECORD = {
  id: messages.id,
  from: messages.fromGiven,
  to: messages.toLine,
  subject: messages.subject,
  status: messages.status,
  channel: messages.channel,
  source: messages.source,
  agentName: messages.agentName,
  tags: messages.tags,
  createdAt: messages.createdAt,
};

const RECORD_COLUMNS = sql`m.id, m.from_given AS "from", m.to_line AS "to", m.subject, m.status, m.channel, m.source,
    m.agent_name AS "agentName", m.tags, m.created_at AS "createdAt"`;

const list = defineStatement(
  { ...FILTERS, before: optional(messages.id), limit: value<number>() },
  ({ before, limit, ...given }) =>
    returning(
      RECORD,
      sql`
        SELECT ${RECORD_COLUMNS} FROM ${fromLog(given, before && sql`AND m.id < ${before}`, sql`${limit}`)}
        ORDER BY m.id DESC LIMIT ${limit}`,
    ),
  { keepsPlan: true },
);

export type MessageRow = RowOf<typeof list>;

/**
 * One page of what the log's own indexes can select, newest first. It walks down the index, so that it is as fast a million rows deep as on
 * the first page.
 */
export async function listMessages(
  query: Query,
  filters: MessageFilters,
  /** Only ids below `before`; null for the first page. */
  page: { readonly before: string | null; readonly limit: number },
): Promise<readonly MessageRow[]> {
  return await list(query, { ...toFilterValues(filters), ...page });
}

const readRecords = defineStatement(
  { accountId: messages.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) =>
    returning(
      RECORD,
      sql`
        SELECT ${RECORD_COLUMNS} FROM messages m
        WHERE m.account_id = ${accountId} AND m.id = ANY (${ids}::uuid[]) ORDER BY m.id DESC`,
    ),
);

/** These messages of the account, newest first. */
export async function readMessages(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly MessageRow[]> {
  return await readRecords(query, { accountId, ids });
}

const count = asCount(
  defineStatement(
    { ...FILTERS, cap: value<number>() },
    ({ cap, ...given }) => countUpTo(cap, sql`SELECT FROM ${fromLog(given, undefined, cap)}`),
    { keepsPlan: true },
  ),
);

/** Counts matches, but never past `cap`. */
export async function countMessages(query: Query, filters: MessageFilters, cap: number): Promise<number> {
  return await count(query, { ...toFilterValues(filters), cap });
}

type Body = Pick<typeof messageBodies.$inferSelect, 'html' | 'text' | 'headers'>;
type Recipient = Pick<typeof messageRecipients.$inferSelect, 'email' | 'kind' | 'status'>;
type Attachment = Pick<typeof messageAttachments.$inferSelect, 'filename' | 'contentType' | 'size'>;

/** The hold of a message, as a read of that single message shows it. */
export interface MessageHold
  extends Pick<typeof approvals.$inferSelect, 'id' | 'status' | 'reasons' | 'rejectCode' | 'note' | 'edited'> {
  readonly expiresAt: string;
}

interface EmailEvent
  extends Pick<typeof messageEvents.$inferSelect, 'id' | 'seq' | 'type' | 'recipient' | 'classification' | 'detail'> {
  readonly createdAt: string;
}

/** An attempt by the event that it is stored with. */
interface StoredAttempt extends Pick<typeof messageEvents.$inferSelect, 'id'> {
  readonly attempt: string;
}

const readOne = defineStatement(
  { accountId: messages.accountId, id: messages.id, sealedKeyId: messages.keyId, attempts: value<number>() },
  ({ accountId, id, sealedKeyId, attempts }) =>
    returning(
      {
        ...RECORD,
        /** The key that it was issued under. */
        keyId: messages.keyId,
        /** Null for the key of a seat, or of the installation. */
        keyName: nullable(apiKeys.name),
        replyTo: messages.replyTo,
        scheduledAt: messages.scheduledAt,
        resendOf: messages.resendOf,
        template: messages.template,
        metadata: messages.metadata,
        lastError: messages.lastError,
        /** Null if retention has removed the body. */
        body: nullable(narrowed<Body>(pg.json)),
        /** How it is or was held; null if it never was. */
        hold: nullable(narrowed<MessageHold>(pg.json)),
        recipients: narrowed<readonly Recipient[]>(pg.json),
        attachments: narrowed<readonly Attachment[]>(pg.json),
        events: narrowed<readonly EmailEvent[]>(pg.json),
        /** The newest attempts, oldest first. */
        attempts: narrowed<readonly StoredAttempt[]>(pg.json),
      },
      sql`
    SELECT m.id, m.key_id AS "keyId",
      (SELECT k.name FROM api_keys k WHERE k.account_id = ${accountId} AND k.id = m.key_id AND NOT k.is_seat) AS "keyName", m.from_given AS "from", m.to_line AS "to", m.subject, m.status, m.channel, m.source,
      m.agent_name AS "agentName", m.tags, m.created_at AS "createdAt", m.reply_to AS "replyTo", m.scheduled_at AS "scheduledAt", m.resend_of AS "resendOf", m.template, m.metadata,
      m.last_error AS "lastError",
      (SELECT json_build_object('html', b.html, 'text', b.text, 'headers', b.headers)
        FROM message_bodies b WHERE b.account_id = ${accountId} AND b.message_id = ${id} AND m.key_id <> ${sealedKeyId}) AS body,
      (SELECT json_build_object('id', h.id, 'status', h.status, 'reasons', h.reasons, 'rejectCode', h.reject_code, 'note', h.note,
          'edited', h.edited, 'expiresAt', h.expires_at)
        FROM approvals h WHERE h.account_id = ${accountId} AND h.message_id = ${id}) AS hold,
      (SELECT coalesce(json_agg(json_build_object('email', r.email, 'kind', r.kind, 'status', r.status) ORDER BY r.ordinal), '[]')
        FROM message_recipients r WHERE r.account_id = ${accountId} AND r.message_id = ${id}) AS recipients,
      (SELECT coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'size', a.size)
          ORDER BY a.ordinal), '[]')
        FROM message_attachments a WHERE a.account_id = ${accountId} AND a.message_id = ${id}) AS attachments,
      (SELECT coalesce(json_agg(json_build_object('id', e.id, 'seq', e.seq, 'type', e.type, 'recipient', e.recipient,
          'classification', e.classification, 'detail', e.detail, 'createdAt', e.created_at) ORDER BY e.seq), '[]')
        FROM message_events e WHERE e.account_id = ${accountId} AND e.message_id = ${id}) AS events,
      (SELECT coalesce(json_agg(json_build_object('id', t.id, 'attempt', t.attempt) ORDER BY t.seq), '[]')
        FROM (SELECT e.id, e.seq, e.attempt FROM message_events e
          WHERE e.account_id = ${accountId} AND e.message_id = ${id} AND e.attempt IS NOT NULL
          ORDER BY e.seq DESC LIMIT ${attempts}) AS t) AS attempts
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`,
    ),
);

export type FullMessageRow = RowOf<typeof readOne>;

/**
 * One message with body, recipients and events; null if the account has none with that id. Mail of the installation itself shows no body:
 * it may be in the log of the account whose domain it is sent from, and its links are for one user only.
 */
export async function readMessage(query: Query, accountId: string, id: string): Promise<FullMessageRow | null> {
  const [row] = await readOne(query, {
    ...{ accountId, id, sealedKeyId: POSTMASTER_KEY_ID },
    attempts: LIMITS.attemptsShown,
  });
  return row ?? null;
}

const MESSAGE = { accountId: messages.accountId, id: messages.id };

const readMany = defineStatement(arraysOf(MESSAGE), (pairs) =>
  returning(
    { id: messages.id, status: messages.status },
    sql`
      SELECT m.id, m.status FROM ${unnested(MESSAGE, pairs)} AS p (${columnNames(MESSAGE)})
      JOIN messages m ON m.account_id = p."accountId" AND m.id = p.id`,
  ),
);

/** The current status of many messages at once, for callers that wait on them. */
export async function readStatuses(
  query: Query,
  pairs: readonly RecordOf<typeof MESSAGE>[],
): Promise<readonly RowOf<typeof readMany>[]> {
  return await readMany(query, toArrays(MESSAGE, pairs));
}
