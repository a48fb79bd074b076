import type { Query } from '../client.ts';
import { type MessageFilters, onMessages } from './message-filters.ts';
import { POSTMASTER_KEY_ID } from './postmaster-account.ts';

/** The hold of a message, as its single read shows it. */
export interface MessageHold {
  readonly id: string;
  readonly status: string;
  readonly reasons: readonly string[];
  readonly rejectCode: string | null;
  readonly note: string | null;
  readonly edited: readonly string[];
  readonly expiresAt: string;
}

export interface MessageRow {
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly subject: string;
  readonly status: string;
  readonly channel: string;
  readonly source: string;
  readonly agentName: string | null;
  readonly tags: string[];
  readonly createdAt: Date;
}

export interface FullMessageRow extends MessageRow {
  /** The key it went out under. */
  readonly keyId: string;
  readonly replyTo: string | null;
  readonly scheduledAt: Date | null;
  readonly resendOf: string | null;
  readonly template: string | null;
  readonly metadata: Record<string, string>;
  readonly lastError: string | null;
  /** Null where retention has removed the body. */
  readonly body: { html: string | null; text: string | null; headers: Record<string, string> } | null;
  /** How it is or was held; null where it was not. */
  readonly hold: MessageHold | null;
  readonly recipients: { email: string; kind: string; status: string }[];
  readonly attachments: { filename: string; contentType: string; size: number }[];
  readonly events: {
    id: string;
    seq: number;
    type: string;
    recipient: string | null;
    classification: string | null;
    detail: string | null;
    createdAt: string;
  }[];
}

/** One page of what the log's own indexes can select, newest first, by a walk down the index: as quick a million rows deep as on the first page. */
export async function listMessages(
  query: Query,
  filters: MessageFilters,
  /** Only ids below `before`; null for the first page. */
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<readonly MessageRow[]> {
  return await query<MessageRow[]>`
    SELECT ${recordColumns(query)} FROM messages m
    WHERE ${onMessages(query, filters)} ${before === null ? query`` : query`AND m.id < ${before}`}
    ORDER BY m.id DESC LIMIT ${limit}`;
}

/** These messages of the account, newest first. */
export async function readMessages(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly MessageRow[]> {
  return await query<MessageRow[]>`
    SELECT ${recordColumns(query)} FROM messages m
    WHERE m.account_id = ${accountId} AND m.id = ANY (${[...ids]}::uuid[]) ORDER BY m.id DESC`;
}

/** Counts matches, but never past `cap`: a page must not pay for a log of millions. */
export async function countMessages(query: Query, filters: MessageFilters, cap: number): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT 1 FROM messages m WHERE ${onMessages(query, filters)} LIMIT ${cap}) AS matches`;
  return row?.count ?? 0;
}

function recordColumns(query: Query) {
  return query`m.id, m.from_given AS "from", m.to_line AS "to", m.subject, m.status, m.channel, m.source,
    m.agent_name AS "agentName", m.tags, m.created_at AS "createdAt"`;
}

/**
 * One message with body, recipients and trail; null where the account has none of that id. Mail of the installation itself shows no body: it may
 * lie in the log of the account whose domain it is sent from, and holds links for the eyes of one person.
 */
export async function readMessage(query: Query, accountId: string, id: string): Promise<FullMessageRow | null> {
  const [row] = await query<FullMessageRow[]>`
    SELECT m.id, m.key_id AS "keyId", m.from_given AS "from", m.to_line AS "to", m.subject, m.status, m.channel, m.source,
      m.agent_name AS "agentName", m.tags, m.created_at AS "createdAt", m.reply_to AS "replyTo", m.scheduled_at AS "scheduledAt", m.resend_of AS "resendOf", m.template, m.metadata,
      m.last_error AS "lastError",
      (SELECT json_build_object('html', b.html, 'text', b.text, 'headers', b.headers)
        FROM message_bodies b WHERE b.account_id = ${accountId} AND b.message_id = ${id} AND m.key_id <> ${POSTMASTER_KEY_ID}) AS body,
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
        FROM message_events e WHERE e.account_id = ${accountId} AND e.message_id = ${id}) AS events
    FROM messages m WHERE m.account_id = ${accountId} AND m.id = ${id}`;
  return row ?? null;
}

/** The present status of many messages at once, for those who wait on them. */
export async function readStatuses(
  query: Query,
  pairs: readonly { readonly accountId: string; readonly id: string }[],
): Promise<readonly { readonly id: string; readonly status: string }[]> {
  return await query<{ id: string; status: string }[]>`
    SELECT m.id, m.status FROM unnest(${pairs.map((p) => p.accountId)}::uuid[], ${pairs.map((p) => p.id)}::uuid[]) AS p (account_id, id)
    JOIN messages m ON m.account_id = p.account_id AND m.id = p.id`;
}
