import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { alias, and, desc, eq, gt, gte, lt, sql } from '../drizzle.ts';
import { auditLog } from '../schema/audit.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

/** Null applies no filter; an entry must match all the others. */
const FILTER = {
  accountId: auditLog.accountId,
  /** A full action such as `key.created`, or only its noun. */
  action: optional(auditLog.action),
  actor: optional(auditLog.actor),
  targetId: optional(value<string>()),
  from: optional(auditLog.createdAt),
  to: optional(auditLog.createdAt),
};

function matches({ accountId, action, actor, targetId, from, to }: GivenOf<typeof FILTER>) {
  return and(
    eq(auditLog.accountId, accountId),
    action && sql`(${auditLog.action} = ${action} OR starts_with(${auditLog.action}, ${action}::text || '.'))`,
    actor && eq(auditLog.actor, actor),
    targetId && eq(auditLog.targetId, targetId),
    from && gte(auditLog.createdAt, from),
    to && lt(auditLog.createdAt, to),
  );
}

const before = alias(auditLog, 'before');

/**
 * Lists one page of an account's audit log, newest first, in the order of the chain. Ids made by several processes at the same time can be
 * out of order.
 */
export const listAuditEntries = defineStatement(
  { ...FILTER, beforeId: optional(auditLog.id), limit: value<number>() },
  ({ beforeId, limit, ...filter }) => {
    const last =
      beforeId &&
      builder
        .select({ seq: before.seq })
        .from(before)
        .where(and(eq(before.accountId, filter.accountId), eq(before.id, beforeId)));
    const fields = named({
      ...{ id: auditLog.id, seq: sql<number>`${auditLog.seq}::float8`, action: auditLog.action },
      ...{ actor: auditLog.actor, targetId: auditLog.targetId, details: auditLog.details },
      ...{ createdAt: auditLog.createdAt, hash: auditLog.hash, previousHash: auditLog.previousHash },
    });
    return builder
      .select(fields)
      .from(auditLog)
      .where(and(matches(filter), last && sql`${auditLog.seq} < ${last}`))
      .orderBy(desc(auditLog.seq))
      .limit(limit);
  },
);

export type AuditEntryRow = RowOf<typeof listAuditEntries>;

/** Stops counting at `cap`. */
export const countAuditEntries = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(cap, sql`SELECT FROM ${auditLog} WHERE ${matches(filter)}`),
  ),
);

const findInvited = defineStatement(
  { accountId: auditLog.accountId, at: auditLog.createdAt, id: auditLog.id, skipped: value<number>() },
  ({ accountId, at, id, skipped }) =>
    builder
      .select(named({ createdAt: auditLog.createdAt }))
      .from(auditLog)
      .where(
        and(
          ...[eq(auditLog.accountId, accountId), gte(auditLog.id, id), gt(auditLog.createdAt, at)],
          eq(auditLog.action, sql`'member.invited'`),
        ),
      )
      .orderBy(desc(auditLog.id))
      .offset(skipped)
      .limit(1),
);

/**
 * Finds when the account's invitation number `rank` was sent, counting back from the latest; null if fewer were sent since then.
 * @param since the time, and the lowest id of that time: the id lets the primary key skip older entries
 */
export async function findInvitation(
  query: Query,
  {
    accountId,
    since,
    rank,
  }: {
    readonly accountId: string;
    readonly since: { readonly at: Date; readonly id: string };
    readonly rank: number;
  },
): Promise<Date | null> {
  const [row] = await findInvited(query, { accountId, ...since, skipped: rank - 1 });
  return row?.createdAt ?? null;
}
