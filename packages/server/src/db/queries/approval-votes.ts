import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, eq, getTableColumns, sql } from '../drizzle.ts';
import { executing, returning } from '../result.ts';
import { approvals, approvalVotes } from '../schema/approvals.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { DECIDES, meetsRules } from './deciding-members.ts';

const APPROVAL = { accountId: approvalVotes.accountId, approvalId: approvalVotes.approvalId };

interface Hold {
  readonly accountId: string;
  readonly id: string;
}

const clear = defineStatement(APPROVAL, ({ accountId, approvalId }) =>
  builder
    .delete(approvalVotes)
    .where(and(eq(approvalVotes.accountId, accountId), eq(approvalVotes.approvalId, approvalId))),
);

/** Removes the approvals of a hold so far, because its content changed. */
export async function clearVotes(transaction: Query, { accountId, id: approvalId }: Hold): Promise<void> {
  await clear(transaction, { accountId, approvalId });
}

const put = defineStatement(
  { ...getTableColumns(approvalVotes), decider: value<string>() },
  ({ decider: given, ...vote }) => {
    const decider = sql`${given}::text::jsonb`;
    // Without a passkey, it does not replace one that was made with it.
    const kept = sql`CASE WHEN approval_votes.revision = excluded.revision AND approval_votes.remember = excluded.remember
      AND approval_votes.decider ? 'assertion' AND NOT excluded.decider ? 'assertion'
      THEN approval_votes.decider ELSE excluded.decider END`;
    const said = sql`CASE WHEN approval_votes.revision = excluded.revision THEN coalesce(excluded.note, approval_votes.note)
      ELSE excluded.note END`;
    const { revision, remember, createdAt } = vote;
    return builder
      .insert(approvalVotes)
      .values({ ...vote, decider })
      .onConflictDoUpdate({
        target: [approvalVotes.accountId, approvalVotes.approvalId, approvalVotes.memberId],
        set: { revision, decider: kept, remember, note: said, createdAt },
        setWhere: sql`(approval_votes.revision, approval_votes.remember, approval_votes.note, approval_votes.decider ? 'assertion')
          IS DISTINCT FROM (excluded.revision, excluded.remember, ${said}, excluded.decider ? 'assertion')`,
      })
      .returning(named({ memberId: approvalVotes.memberId }));
  },
);

export type Vote = Omit<typeof approvalVotes.$inferSelect, 'accountId' | 'approvalId'>;

/** Stores the approval of a member, instead of an earlier one of the same member. False if that one says the same. */
export async function putVote(
  transaction: Query,
  { accountId, id: approvalId }: Hold,
  { decider, ...vote }: Vote,
): Promise<boolean> {
  return (await put(transaction, { accountId, approvalId, ...vote, decider: JSON.stringify(decider) })).length > 0;
}

const keepOnly = defineStatement({ ...APPROVAL, kept: value<readonly string[]>() }, ({ accountId, approvalId, kept }) =>
  executing(sql`
    DELETE FROM approval_votes
    WHERE account_id = ${accountId} AND approval_id = ${approvalId} AND NOT (member_id = ANY (${kept}::uuid[]))`),
);

/** Removes the approvals that did not decide the hold. */
export async function keepVotes(
  transaction: Query,
  { accountId, id: approvalId }: Hold,
  kept: readonly string[],
): Promise<void> {
  await keepOnly(transaction, { accountId, approvalId, kept });
}

const revise = defineStatement(
  {
    accountId: approvals.accountId,
    id: approvals.id,
    revision: approvals.revision,
    contentHash: approvals.contentHash,
    edited: approvals.edited,
  },
  ({ accountId, id, revision, contentHash, edited }) =>
    executing(sql`
      UPDATE approvals SET revision = revision + 1, held_content_hash = coalesce(held_content_hash, content_hash),
        content_hash = ${contentHash}, edited = ${edited}::text[], told_at = NULL
      WHERE account_id = ${accountId} AND id = ${id} AND status = 'pending' AND revision = ${revision}`),
);

/** Records an edit of a hold that stays undecided. The approvers are notified again, because their links are for the earlier revision. */
export async function reviseApproval(
  transaction: Query,
  { accountId, id, revision }: Hold & { readonly revision: number },
  { contentHash, edited }: Pick<typeof approvals.$inferSelect, 'contentHash' | 'edited'>,
): Promise<void> {
  const revised = await revise(transaction, { accountId, id, revision, contentHash, edited });
  if (revised === 0) throw new Error('a locked hold was changed by another transaction');
}

const readCounting = defineStatement(
  {
    accountId: approvals.accountId,
    id: approvals.id,
    revision: approvals.revision,
    ...{ needsPasskey: value<boolean>(), memberIds: value<readonly string[] | null>() },
  },
  ({ accountId, id, revision, needsPasskey, memberIds }) =>
    returning(
      {
        memberId: approvalVotes.memberId,
        decider: approvalVotes.decider,
        remember: approvalVotes.remember,
        note: approvalVotes.note,
      },
      sql`
        SELECT v.member_id AS "memberId", v.decider, v.remember, v.note
        FROM approval_votes v JOIN members ON members.account_id = v.account_id AND members.id = v.member_id
        WHERE v.account_id = ${accountId} AND v.approval_id = ${id} AND v.revision = ${revision} AND ${DECIDES}
          AND ${meetsRules({ needsPasskey: sql`${needsPasskey}::boolean`, memberIds: sql`${memberIds}::uuid[]` })}
        ORDER BY v.created_at, v.member_id FOR SHARE OF members`,
    ),
);

export type CountingVote = RowOf<typeof readCounting>;

/**
 * The approvals of a revision that count by these rules, oldest first: of members who may decide now. Their roles are locked until the end
 * of the transaction.
 */
export async function readCountingVotes(
  transaction: Query,
  { accountId, id }: Hold,
  revision: number,
  rules: { readonly requirePasskey: boolean; readonly memberIds: readonly string[] | null },
): Promise<readonly CountingVote[]> {
  const { requirePasskey: needsPasskey, memberIds } = rules;
  return await readCounting(transaction, { accountId, id, revision, needsPasskey, memberIds });
}
