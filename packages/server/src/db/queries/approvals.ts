import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { type SQL, sql } from '../drizzle.ts';
import { narrowed, nullable, pg, returning } from '../result.ts';
import { approvals } from '../schema/approvals.ts';
import { apiKeys } from '../schema/keys.ts';
import { type messageAttachments, messageBodies, type messageRecipients, messages } from '../schema/messages.ts';
import { approvalReceipts } from '../schema/receipts.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';
import { joinKeys, rulesOf, votesOf } from './deciding-members.ts';

type Recipient = Pick<typeof messageRecipients.$inferSelect, 'kind' | 'name' | 'email'>;
interface StoredVote {
  readonly memberId: string;
  /** RFC 3339. */
  readonly at: string;
  readonly note: string | null;
}
type Attachment = Pick<typeof messageAttachments.$inferSelect, 'filename' | 'contentType' | 'size'>;

const APPROVAL = {
  id: approvals.id,
  emailId: approvals.messageId,
  status: approvals.status,
  reasons: approvals.reasons,
  revision: approvals.revision,
  contentHash: approvals.contentHash,
  keyId: approvals.keyId,
  keyName: nullable(apiKeys.name),
  /** The key that issued the message. It differs from the hold's key if that key asked to resend another key's message. */
  issuerKeyId: messages.keyId,
  agentName: messages.agentName,
  source: messages.source,
  channel: messages.channel,
  from: messages.fromGiven,
  subject: messages.subject,
  html: nullable(messageBodies.html),
  text: nullable(messageBodies.text),
  scheduledAt: messages.scheduledAt,
  createdAt: approvals.createdAt,
  expiresAt: approvals.expiresAt,
  decidedAt: approvals.decidedAt,
  decidedBy: approvals.decidedBy,
  note: approvals.note,
  rejectCode: approvals.rejectCode,
  edited: approvals.edited,
  outcome: approvals.outcome,
  problem: approvals.problem,
  replyTo: messages.replyTo,
  /** Null once the headers are no longer stored. */
  headers: nullable(messageBodies.headers),
  unsubscribe: messages.unsubscribe,
  recipients: narrowed<readonly Recipient[]>(pg.json),
  attachments: narrowed<readonly Attachment[]>(pg.json),
  /** What its approval needs, by the rules of the account and of both keys: see readApproverRules. */
  needsPasskey: pg.bool,
  approvalsNeeded: pg.int4,
  approverIds: nullable(apiKeys.approverIds),
  votes: narrowed<readonly StoredVote[]>(pg.json),
  /** Of a single hold only. */
  receipt: nullable(approvalReceipts.receipt),
};

const RULES = rulesOf(sql`y`);
const VOTES = votesOf(
  sql`h`,
  sql`y`,
  sql`coalesce(json_agg(json_build_object('memberId', v.member_id, 'at', v.created_at, 'note', v.note) ORDER BY v.created_at, v.member_id), '[]')`,
);
const NO_RECEIPT = sql`NULL::text AS receipt`;
const SELECTED = selected(sql`b.html, b.text, (SELECT p.receipt FROM approval_receipts p
    WHERE p.account_id = h.account_id AND p.approval_id = h.id) AS receipt`);
const SELECTED_FOR_LIST = selected(sql`b.html, b.text, ${NO_RECEIPT}`);
/** Without the bodies, which are most of the bytes of a list. */
const SELECTED_WITHOUT_CONTENT = selected(sql`NULL::text AS html, NULL::text AS text, ${NO_RECEIPT}`);

function selected(bodies: SQL) {
  return sql`
  SELECT h.id, h.message_id AS "emailId", h.status, h.reasons, h.revision, h.content_hash AS "contentHash", h.key_id AS "keyId",
    k.name AS "keyName", m.key_id AS "issuerKeyId", m.agent_name AS "agentName", m.source, m.channel, m.from_given AS "from", m.subject, ${bodies},
    m.scheduled_at AS "scheduledAt", h.created_at AS "createdAt", h.expires_at AS "expiresAt", h.decided_at AS "decidedAt",
    h.decided_by AS "decidedBy", h.note, h.reject_code AS "rejectCode", h.edited, h.outcome, h.problem,
    m.reply_to AS "replyTo", b.headers, m.unsubscribe,
    ${RULES.needsPasskey} AS "needsPasskey",
    ${RULES.count} AS "approvalsNeeded", ${RULES.memberIds} AS "approverIds",
    ${VOTES} AS votes,
    (SELECT coalesce(json_agg(json_build_object('kind', r.kind, 'name', r.name, 'email', r.email) ORDER BY r.ordinal), '[]')
      FROM message_recipients r WHERE r.account_id = h.account_id AND r.message_id = h.message_id) AS recipients,
    (SELECT coalesce(json_agg(json_build_object('filename', a.filename, 'contentType', a.content_type, 'size', a.size) ORDER BY a.ordinal), '[]')
      FROM message_attachments a WHERE a.account_id = h.account_id AND a.message_id = h.message_id) AS attachments
  FROM approvals h JOIN accounts y ON y.id = h.account_id JOIN messages m ON m.account_id = h.account_id AND m.id = h.message_id
  ${joinKeys(sql`h`)}
  LEFT JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id`;
}

const FILTERS = {
  accountId: approvals.accountId,
  keyId: optional(approvals.keyId),
  status: optional(value<string>()),
};

function matches({ accountId, keyId, status }: GivenOf<typeof FILTERS>) {
  return sql`h.account_id = ${accountId} ${keyId && sql`AND h.key_id = ${keyId}`} ${status && sql`AND h.status = ${status}`}`;
}

/** Filters for an account's holds; null matches all. */
export interface ApprovalFilters {
  readonly accountId: string;
  /** The key that asked for the sends. */
  readonly keyId: string | null;
  readonly status: string | null;
}

const listSizes = defineStatement(
  { ...FILTERS, before: optional(approvals.id), limit: value<number>() },
  ({ before, limit, ...filters }) =>
    returning(
      { id: approvals.id, bytes: pg.int4 },
      sql`
        SELECT h.id, coalesce(octet_length(b.html), 0) + coalesce(octet_length(b.text), 0) AS bytes
        FROM approvals h LEFT JOIN message_bodies b ON b.account_id = h.account_id AND b.message_id = h.message_id
        WHERE ${matches(filters)} ${before && sql`AND h.id < ${before}`}
        ORDER BY h.id DESC LIMIT ${limit}`,
    ),
);

/** Limits the bytes of bodies per page: a page has up to 100 holds, and each can have bodies of 4 MB. */
const PAGE_BYTES = 16_000_000;

/** Returns one page of holds, newest first: as many as fit, but at least one. `hasMore` says whether more follow. */
export async function listApprovals(
  query: Query,
  filters: ApprovalFilters,
  {
    before,
    limit,
    hasContent,
  }: { readonly before: string | null; readonly limit: number; readonly hasContent: boolean },
): Promise<{ readonly rows: readonly ApprovalRow[]; readonly hasMore: boolean }> {
  const found = await listSizes(query, { ...filters, before, limit: limit + 1 });
  const ids: string[] = [];
  let total = 0;
  for (const { id, bytes } of found.slice(0, limit)) {
    total += hasContent ? bytes : 0;
    if (ids.length > 0 && total > PAGE_BYTES) break;
    ids.push(id);
  }
  if (ids.length === 0) return { rows: [], hasMore: false };
  const rows = await (hasContent ? readMany : readManyWithoutContent)(query, { accountId: filters.accountId, ids });
  return { rows: rows.toReversed(), hasMore: found.length > ids.length };
}

/** Stops counting at `cap`. */
export const countApprovals = asCount(
  defineStatement({ ...FILTERS, cap: value<number>() }, ({ cap, ...filters }) =>
    countUpTo(cap, sql`SELECT FROM approvals h WHERE ${matches(filters)}`),
  ),
);

const read = defineStatement({ ...FILTERS, id: approvals.id }, ({ id, ...filters }) =>
  returning(APPROVAL, sql`${SELECTED} WHERE ${matches(filters)} AND h.id = ${id}`),
);

/** A hold with everything that approvers see of its message. */
export type ApprovalRow = RowOf<typeof read>;

/** Reads one hold; null if the account, or the given key, has no such hold. */
export async function readApproval(
  query: Query,
  name: { readonly accountId: string; readonly keyId: string | null; readonly id: string },
): Promise<ApprovalRow | null> {
  const [row] = await read(query, { ...name, status: null });
  return row ?? null;
}

const readMany = defineStatement(
  { accountId: approvals.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) =>
    returning(
      APPROVAL,
      sql`${SELECTED_FOR_LIST} WHERE h.account_id = ${accountId} AND h.id = ANY (${ids}::uuid[]) ORDER BY h.id`,
    ),
);

const readManyWithoutContent = defineStatement(
  { accountId: approvals.accountId, ids: value<readonly string[]>() },
  ({ accountId, ids }) =>
    returning(
      APPROVAL,
      sql`${SELECTED_WITHOUT_CONTENT} WHERE h.account_id = ${accountId} AND h.id = ANY (${ids}::uuid[]) ORDER BY h.id`,
    ),
);

/** Reads these holds of an account, oldest first. */
export async function readApprovals(
  query: Query,
  accountId: string,
  ids: readonly string[],
): Promise<readonly ApprovalRow[]> {
  return await readMany(query, { accountId, ids });
}
