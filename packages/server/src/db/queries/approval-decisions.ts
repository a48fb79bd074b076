import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, getTableColumns, sql } from '../drizzle.ts';
import { recordColumns, unnested } from '../record-columns.ts';
import { executing, returning } from '../result.ts';
import { approvalEvents, approvalRevisions, approvals, trustedRecipients } from '../schema/approvals.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';

type Approval = typeof approvals.$inferSelect;

const ID = { accountId: approvals.accountId, id: approvals.id };

const LOCKED = {
  ...ID,
  messageId: approvals.messageId,
  keyId: approvals.keyId,
  status: approvals.status,
  reasons: approvals.reasons,
  revision: approvals.revision,
  contentHash: approvals.contentHash,
  /** The content as it was held, if an approver has edited it since; otherwise null. */
  heldContentHash: approvals.heldContentHash,
  /** The fields that approvers have changed so far. */
  edited: approvals.edited,
  createdAt: approvals.createdAt,
  expiresAt: approvals.expiresAt,
};

const lock = defineStatement(ID, ({ accountId, id }) =>
  builder
    .select(named(LOCKED))
    .from(approvals)
    .where(and(eq(approvals.accountId, accountId), eq(approvals.id, id)))
    .for('update'),
);

/** A hold whose row is locked. */
export type LockedApproval = RowOf<typeof lock>;

/** Locks a hold until the end of the transaction, so that only this transaction can decide it; null if the account has no such hold. */
export async function lockApproval(
  transaction: Query,
  { accountId, id }: Pick<Approval, 'accountId' | 'id'>,
): Promise<LockedApproval | null> {
  const [row] = await lock(transaction, { accountId, id });
  return row ?? null;
}

const lockOf = defineStatement(
  { accountId: approvals.accountId, messageId: approvals.messageId },
  ({ accountId, messageId }) =>
    builder
      .select(named(LOCKED))
      .from(approvals)
      .where(and(eq(approvals.accountId, accountId), eq(approvals.messageId, messageId)))
      .for('update'),
);

/** Like `lockApproval`, by the id of the held message. */
export async function lockApprovalOf(
  transaction: Query,
  accountId: string,
  messageId: string,
): Promise<LockedApproval | null> {
  const [row] = await lockOf(transaction, { accountId, messageId });
  return row ?? null;
}

const IS_PENDING = eq(approvals.status, sql`'pending'`);

const lockUndecided = defineStatement(
  { accountId: approvals.accountId, keyId: approvals.keyId },
  ({ accountId, keyId }) =>
    builder
      .select(named(LOCKED))
      .from(approvals)
      .where(and(eq(approvals.accountId, accountId), eq(approvals.keyId, keyId), IS_PENDING))
      .orderBy(approvals.id)
      .for('update'),
);

/** Locks the undecided holds of a key, oldest first. */
export async function lockUndecidedOf(
  transaction: Query,
  accountId: string,
  keyId: string,
): Promise<readonly LockedApproval[]> {
  return await lockUndecided(transaction, { accountId, keyId });
}

const lockExpired = defineStatement({ now: value<Date>() }, ({ now }) =>
  returning(
    LOCKED,
    sql`
      SELECT h.account_id AS "accountId", h.id, h.message_id AS "messageId", h.key_id AS "keyId", h.status, h.reasons, h.revision,
        h.content_hash AS "contentHash", h.held_content_hash AS "heldContentHash", h.edited, h.created_at AS "createdAt", h.expires_at AS "expiresAt"
      FROM approvals h
      WHERE h.status = 'pending' AND least(h.expires_at, h.remind_at) <= ${now} AND h.expires_at <= ${now}
      ORDER BY least(h.expires_at, h.remind_at) LIMIT 1 FOR UPDATE SKIP LOCKED`,
  ),
);

/**
 * Locks one expired hold that is undecided and not locked by another transaction; null if there is none. Takes them in index order, so that
 * the cost per hold does not grow with their number.
 */
export async function lockExpiredApproval(transaction: Query, now: Date): Promise<LockedApproval | null> {
  const [row] = await lockExpired(transaction, { now });
  return row ?? null;
}

export interface HoldEnd
  extends Pick<Approval, 'note' | 'rejectCode'>,
    Pick<Approval, 'revision' | 'edited' | 'contentHash' | 'outcome'> {
  readonly status: Exclude<Approval['status'], 'pending'>;
  readonly decidedBy: string;
  readonly now: Date;
  readonly problem: unknown;
}

const END = {
  accountId: approvals.accountId,
  status: approvals.status,
  decidedBy: approvals.decidedBy,
  note: approvals.note,
  rejectCode: approvals.rejectCode,
  now: approvals.decidedAt,
};

const endOne = defineStatement(
  {
    ...END,
    id: approvals.id,
    revision: approvals.revision,
    edited: approvals.edited,
    contentHash: approvals.contentHash,
    after: approvals.revision,
    outcome: approvals.outcome,
    problem: value<string | null>(),
  },
  (end) =>
    executing(sql`
      UPDATE approvals SET status = ${end.status}, decided_at = ${end.now}, decided_by = ${end.decidedBy}, note = ${end.note},
        reject_code = ${end.rejectCode}, edited = ${end.edited}::text[], content_hash = ${end.contentHash},
        revision = ${end.after}, outcome = ${end.outcome}, problem = ${end.problem}::text::jsonb, remind_at = NULL
      WHERE account_id = ${end.accountId} AND id = ${end.id} AND status = 'pending' AND revision = ${end.revision}`),
);

/** Records the decision if the hold is still undecided and at this revision; otherwise returns false. */
export async function endApproval(transaction: Query, hold: LockedApproval, end: HoldEnd): Promise<boolean> {
  const { accountId, id, revision } = hold;
  const { revision: after, problem } = end;
  const ended = await endOne(transaction, {
    ...{ ...end, accountId, id, revision, after },
    problem: problem === null ? null : JSON.stringify(problem),
  });
  return ended > 0;
}

const endMany = defineStatement({ ...END, ids: value<readonly string[]>() }, (end) =>
  executing(sql`
    UPDATE approvals SET status = ${end.status}, decided_at = ${end.now}, decided_by = ${end.decidedBy}, note = ${end.note},
      reject_code = ${end.rejectCode}, remind_at = NULL
    WHERE account_id = ${end.accountId} AND id = ANY (${end.ids}::uuid[]) AND status = 'pending'`),
);

/** Records the same decision for many holds of one account, none of them edited; returns how many were still undecided. */
export async function endApprovals(
  transaction: Query,
  holds: readonly [LockedApproval, ...LockedApproval[]],
  end: Pick<HoldEnd, 'status' | 'decidedBy' | 'note' | 'rejectCode' | 'now'>,
): Promise<number> {
  return await endMany(transaction, { ...end, accountId: holds[0].accountId, ids: holds.map(({ id }) => id) });
}

const ENDED = { accountId: approvals.accountId, messageId: approvals.messageId, eventId: approvalEvents.id };

const endMessages = defineStatement(
  { held: value<string>(), status: value<string>(), detail: value<string | null>(), now: value<Date>() },
  ({ held, status, detail, now }) =>
    executing(sql`
      SELECT FROM json_to_recordset(${held}::text::json) AS h (${sql.raw(recordColumns(ENDED))}),
        end_held_message(h."accountId", h."messageId", ${status}, h."eventId", ${now}, ${detail})`),
);

/** Ends the messages of holds that were not approved, and refunds their quota. */
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
  const { nextId, ...rest } = end;
  const held = holds.map(({ accountId, messageId }) => ({ accountId, messageId, eventId: nextId() }));
  await endMessages(transaction, { ...rest, held: JSON.stringify(held) });
}

type ApprovalEvent = typeof approvalEvents.$inferSelect;

/** What happened to a hold, who did it, and by which channel. */
export interface NewApprovalEvent
  extends Pick<ApprovalEvent, 'id' | 'type' | 'actor' | 'way' | 'address' | 'requestId' | 'detail'> {
  /** The hold before the event. */
  readonly hold: Pick<LockedApproval, 'accountId' | 'id' | 'contentHash'>;
  readonly hashAfter: string;
  readonly now: Date;
}

const addEvents = defineStatement({ events: value<string>() }, ({ events }) =>
  executing(sql`
    INSERT INTO approval_events (account_id, approval_id, id, type, actor, way, address, request_id, hash_before, hash_after, detail, created_at)
    SELECT "accountId", "approvalId", id, type, actor, way, address, "requestId", "hashBefore", "hashAfter", detail, "createdAt"
    FROM json_to_recordset(${events}::text::json) AS r (${sql.raw(recordColumns(getTableColumns(approvalEvents)))})`),
);

export async function addApprovalEvents(transaction: Query, events: readonly NewApprovalEvent[]): Promise<void> {
  const rows = events.map(({ hold, now, ...event }): ApprovalEvent => {
    const { accountId, id: approvalId, contentHash: hashBefore } = hold;
    return { ...event, accountId, approvalId, hashBefore, createdAt: now };
  });
  await addEvents(transaction, { events: JSON.stringify(rows) });
}

const insertRevision = defineStatement(
  { ...getTableColumns(approvalRevisions), changes: value<string>() },
  ({ changes, ...revision }) =>
    builder.insert(approvalRevisions).values({ ...revision, changes: sql`${changes}::text::jsonb` }),
);

/** @param changes JSON with the message before and after the edit; the bodies can total 8 MB */
export async function addRevision(
  transaction: Query,
  { accountId, id, revision }: LockedApproval,
  { changes, actor, now }: { readonly changes: string; readonly actor: string; readonly now: Date },
): Promise<void> {
  const next = { accountId, approvalId: id, revision: revision + 1 };
  await insertRevision(transaction, { ...next, changes, actor, createdAt: now });
}

const trust = defineStatement(
  {
    accountId: trustedRecipients.accountId,
    keyId: trustedRecipients.keyId,
    approvalId: trustedRecipients.approvalId,
    emails: value<readonly string[]>(),
    now: value<Date>(),
  },
  ({ accountId, keyId, approvalId, emails, now }) =>
    executing(sql`
      INSERT INTO trusted_recipients (account_id, key_id, email, approval_id, created_at)
      SELECT ${accountId}, k.id, e, ${approvalId}, ${now} FROM ${unnested({ e: trustedRecipients.email }, { e: emails })} AS e
      JOIN api_keys k ON k.account_id = ${accountId} AND k.id = ${keyId}
      ON CONFLICT (account_id, key_id, email) DO NOTHING`),
);

/** Marks the folded recipients as trusted for the key that asked for the send. */
export async function trustRecipients(
  transaction: Query,
  { accountId, id, keyId }: LockedApproval,
  emails: readonly string[],
  now: Date,
): Promise<void> {
  await trust(transaction, { accountId, keyId, approvalId: id, emails: [...new Set(emails)], now });
}
