import type { ApprovalStatus, HoldReason, RecipientKind } from '@postrider/core';
import type { Query } from '../client.ts';

/** A hold with all that is to be seen of its message. */
export interface ApprovalRow {
  readonly id: string;
  readonly emailId: string;
  readonly status: ApprovalStatus;
  readonly reasons: HoldReason[];
  readonly revision: number;
  readonly contentHash: string;
  readonly keyId: string;
  readonly keyName: string | null;
  /** The key that the message goes out under: another one where this key asked to resend its message. */
  readonly issuerKeyId: string;
  readonly agentName: string | null;
  readonly source: string;
  readonly channel: string;
  readonly from: string;
  readonly subject: string;
  readonly html: string | null;
  readonly text: string | null;
  readonly scheduledAt: Date | null;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly decidedAt: Date | null;
  readonly decidedBy: string | null;
  readonly note: string | null;
  readonly rejectCode: string | null;
  readonly edited: string[];
  readonly outcome: string | null;
  readonly problem: unknown;
  readonly recipients: { readonly kind: RecipientKind; readonly name: string | null; readonly email: string }[];
  readonly replyTo: string | null;
  /** Null where they are stored no more. */
  readonly headers: Readonly<Record<string, string>> | null;
  readonly unsubscribe: boolean;
  readonly attachments: { readonly filename: string; readonly contentType: string; readonly size: number }[];
}

/** Which holds of an account are asked for; null asks for all. */
export interface ApprovalFilters {
  readonly accountId: string;
  /** Of the sends of this key. */
  readonly keyId: string | null;
  readonly status: string | null;
}

/** A page that would hold more octets of bodies than this ends earlier: each may be of four million, and a page of a hundred. */
const PAGE_OCTETS = 16_000_000;

/** One page of holds, newest first, as many as fit and one at least; `hasMore` says whether there are others behind it. */
export async function listApprovals(
  query: Query,
  filters: ApprovalFilters,
  { before, limit }: { readonly before: string | null; readonly limit: number },
): Promise<{ readonly rows: readonly ApprovalRow[]; readonly hasMore: boolean }> {
  const found = await query<{ id: string; octets: string }[]>`
    SELECT h.id, coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0) AS octets
    FROM approvals h LEFT JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id
    WHERE ${matching(query, filters)} ${before === null ? query`` : query`AND h.id < ${before}`}
    ORDER BY h.id DESC LIMIT ${limit + 1}`;
  const ids: string[] = [];
  let octets = 0;
  for (const row of found.slice(0, limit)) {
    octets += Number(row.octets);
    if (ids.length > 0 && octets > PAGE_OCTETS) break;
    ids.push(row.id);
  }
  if (ids.length === 0) return { rows: [], hasMore: false };
  const rows = await readApprovals(query, filters.accountId, ids);
  return { rows: rows.toReversed(), hasMore: found.length > ids.length };
}

/** Counts no further than `cap`. */
export async function countApprovals(query: Query, filters: ApprovalFilters, cap: number): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (SELECT FROM approvals h WHERE ${matching(query, filters)} LIMIT ${cap}) AS matches`;
  return row?.count ?? 0;
}

/** One hold; null where the account has none of that id, or none of that key. */
export async function readApproval(
  query: Query,
  { accountId, keyId, id }: { readonly accountId: string; readonly keyId: string | null; readonly id: string },
): Promise<ApprovalRow | null> {
  const [row] = await query<ApprovalRow[]>`
    ${selectApprovals(query)} WHERE ${matching(query, { accountId, keyId, status: null })} AND h.id = ${id}`;
  return row ?? null;
}

/** These holds of an account, oldest first. */
export async function readApprovals(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly ApprovalRow[]> {
  return await query<ApprovalRow[]>`
    ${selectApprovals(query)} WHERE h.account_id = ${accountId} AND h.id = ANY (${[...ids]}::uuid[]) ORDER BY h.id`;
}

function matching(query: Query, { accountId, keyId, status }: ApprovalFilters) {
  return query`h.account_id = ${accountId} ${keyId === null ? query`` : query`AND h.key_id = ${keyId}`}
    ${status === null ? query`` : query`AND h.status = ${status}`}`;
}

function selectApprovals(query: Query) {
  return query`
    SELECT h.id, h.message_id AS "emailId", h.status, h.reasons, h.revision, h.content_hash AS "contentHash", h.key_id AS "keyId",
      k.name AS "keyName", m.key_id AS "issuerKeyId", m.agent_name AS "agentName", m.source, m.channel, m.from_given AS "from", m.subject, b.html, b.text,
      m.scheduled_at AS "scheduledAt", h.created_at AS "createdAt", h.expires_at AS "expiresAt", h.decided_at AS "decidedAt",
      h.decided_by AS "decidedBy", h.note, h.reject_code AS "rejectCode", h.edited, h.outcome, h.problem,
      m.reply_to AS "replyTo", b.headers, m.unsubscribe,
      (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
        FROM message_recipients r WHERE r.account_id = h.account_id AND r.message_id = h.message_id) AS recipients,
      (SELECT coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'size', a.size) ORDER BY a.ordinal), '[]')
        FROM message_attachments a WHERE a.account_id = h.account_id AND a.message_id = h.message_id) AS attachments
    FROM approvals h JOIN messages m ON m.account_id = h.account_id AND m.id = h.message_id
    LEFT JOIN api_keys k ON k.account_id = h.account_id AND k.id = h.key_id
    LEFT JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id`;
}

/** A hold as it stands behind its lock. */
export interface LockedApproval {
  readonly accountId: string;
  readonly id: string;
  readonly messageId: string;
  readonly keyId: string;
  readonly status: ApprovalStatus;
  readonly revision: number;
  readonly contentHash: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
}

type ApprovalName = { readonly accountId: string; readonly id: string };

/** Keeps everybody else from deciding it to the end of the transaction; null where the account has none of that id. */
export async function lockApproval(
  transaction: Query,
  { accountId, id }: ApprovalName,
): Promise<LockedApproval | null> {
  const [row] = await transaction<LockedApproval[]>`
    SELECT ${lockedColumns(transaction)} FROM approvals h WHERE h.account_id = ${accountId} AND h.id = ${id} FOR UPDATE`;
  return row ?? null;
}

/** The same of the hold that a message has. */
export async function lockApprovalOf(
  transaction: Query,
  accountId: string,
  messageId: string,
): Promise<LockedApproval | null> {
  const [row] = await transaction<LockedApproval[]>`
    SELECT ${lockedColumns(transaction)} FROM approvals h
    WHERE h.account_id = ${accountId} AND h.message_id = ${messageId} FOR UPDATE`;
  return row ?? null;
}

/** Locks the undecided holds of a key, oldest first. */
export async function lockUndecidedOf(
  transaction: Query,
  accountId: string,
  keyId: string,
): Promise<readonly LockedApproval[]> {
  return await transaction<LockedApproval[]>`
    SELECT ${lockedColumns(transaction)} FROM approvals h
    WHERE h.account_id = ${accountId} AND h.key_id = ${keyId} AND h.status = 'pending' ORDER BY h.id FOR UPDATE`;
}

/** Locks one undecided hold that has expired and that nobody has in hand, in the order of the index, so that each of many costs the same; null where there is none. */
export async function lockExpiredApproval(transaction: Query, now: Date): Promise<LockedApproval | null> {
  const [row] = await transaction<LockedApproval[]>`
    SELECT ${lockedColumns(transaction)} FROM approvals h
    WHERE h.status = 'pending' AND least(h.expires_at, h.remind_at) <= ${now} AND h.expires_at <= ${now}
    ORDER BY least(h.expires_at, h.remind_at) LIMIT 1 FOR UPDATE SKIP LOCKED`;
  return row ?? null;
}

function lockedColumns(query: Query) {
  return query`h.account_id AS "accountId", h.id, h.message_id AS "messageId", h.key_id AS "keyId", h.status, h.revision,
    h.content_hash AS "contentHash", h.created_at AS "createdAt", h.expires_at AS "expiresAt"`;
}

/** How a hold ends. */
export interface HoldEnd {
  readonly status: Exclude<ApprovalStatus, 'pending'>;
  readonly decidedBy: string;
  readonly note: string | null;
  readonly rejectCode: string | null;
  readonly now: Date;
  readonly edited?: readonly string[];
  readonly contentHash?: string;
  readonly outcome?: 'queued' | 'failed';
  readonly problem?: unknown;
}

/** Writes the end of a hold where it still is undecided and of this revision; false where it is not. */
export async function endApproval(transaction: Query, hold: LockedApproval, end: HoldEnd): Promise<boolean> {
  const { edited = [], contentHash = hold.contentHash, outcome = null, problem = null } = end;
  const rows = await transaction`
    UPDATE approvals SET status = ${end.status}, decided_at = ${end.now}, decided_by = ${end.decidedBy}, note = ${end.note},
      reject_code = ${end.rejectCode}, edited = ${[...edited]}::text[], content_hash = ${contentHash},
      revision = revision + ${edited.length > 0 ? 1 : 0}, outcome = ${outcome},
      problem = ${problem === null ? null : JSON.stringify(problem)}::text::jsonb, remind_at = NULL
    WHERE account_id = ${hold.accountId} AND id = ${hold.id} AND status = 'pending' AND revision = ${hold.revision} RETURNING 1`;
  return rows.length > 0;
}

/** Writes the same end of many holds of one account, none of them edited; answers how many were undecided until now. */
export async function endApprovals(
  transaction: Query,
  holds: readonly [LockedApproval, ...LockedApproval[]],
  end: Pick<HoldEnd, 'status' | 'decidedBy' | 'note' | 'rejectCode' | 'now'>,
): Promise<number> {
  const rows = await transaction`
    UPDATE approvals SET status = ${end.status}, decided_at = ${end.now}, decided_by = ${end.decidedBy}, note = ${end.note},
      reject_code = ${end.rejectCode}, remind_at = NULL
    WHERE account_id = ${holds[0].accountId} AND id = ANY (${holds.map(({ id }) => id)}::uuid[]) AND status = 'pending' RETURNING 1`;
  return rows.length;
}

/** Ends the messages of holds that were not approved, and gives their quota back. */
export async function endHeldMessages(
  transaction: Query,
  holds: readonly LockedApproval[],
  end: {
    readonly status: 'rejected' | 'expired' | 'canceled';
    readonly detail: string | null;
    readonly nextId: () => string;
    readonly now: Date;
  },
): Promise<void> {
  const rows = holds.map(({ accountId: a, messageId: m }) => ({ a, m, e: end.nextId() }));
  await transaction`
    SELECT end_held_message(h.a, h.m, ${end.status}, h.e, ${end.now}, ${end.detail})
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS h (a uuid, m uuid, e uuid)`;
}

/** What happened to a hold, by whom and by which way. */
export interface NewApprovalEvent {
  /** As it was before. */
  readonly hold: Pick<LockedApproval, 'accountId' | 'id' | 'contentHash'>;
  readonly id: string;
  readonly type: 'edited' | 'approved' | 'rejected' | 'expired' | 'withdrawn' | 'canceled' | 'reminded';
  readonly actor: string;
  readonly way: string;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly hashAfter: string;
  readonly detail: string | null;
  readonly now: Date;
}

export async function addApprovalEvents(transaction: Query, events: readonly NewApprovalEvent[]): Promise<void> {
  const rows = events.map(({ hold, hashAfter, requestId, now, ...event }) => ({
    ...{ account_id: hold.accountId, approval_id: hold.id, hash_before: hold.contentHash, hash_after: hashAfter },
    ...{ request_id: requestId, created_at: now.toISOString(), ...event },
  }));
  await transaction`
    INSERT INTO approval_events (account_id, approval_id, id, type, actor, way, address, request_id, hash_before, hash_after, detail, created_at)
    SELECT account_id, approval_id, id, type, actor, way, address, request_id, hash_before, hash_after, detail, created_at
    FROM json_to_recordset(${JSON.stringify(rows)}::text::json) AS r (account_id uuid, approval_id uuid, id uuid, type text, actor text,
      way text, address text, request_id text, hash_before text, hash_after text, detail text, created_at timestamptz)`;
}

/** @param changes as JSON: before and after, with bodies of up to eight megabytes together */
export async function addRevision(
  transaction: Query,
  { accountId, id, revision }: LockedApproval,
  { changes, actor, now }: { readonly changes: string; readonly actor: string; readonly now: Date },
): Promise<void> {
  await transaction`
    INSERT INTO approval_revisions (account_id, approval_id, revision, changes, actor, created_at)
    VALUES (${accountId}, ${id}, ${revision + 1}, ${changes}::text::jsonb, ${actor}, ${now})`;
}

/** Trusts the recipients, folded, for the key whose send it was. */
export async function trustRecipients(
  transaction: Query,
  { accountId, id, keyId }: LockedApproval,
  emails: readonly string[],
  now: Date,
): Promise<void> {
  await transaction`
    INSERT INTO trusted_recipients (account_id, key_id, email, approval_id, created_at)
    SELECT ${accountId}, k.id, e, ${id}, ${now} FROM unnest(${[...new Set(emails)]}::text[]) AS e
    JOIN api_keys k ON k.account_id = ${accountId} AND k.id = ${keyId}
    ON CONFLICT (account_id, key_id, email) DO NOTHING`;
}
