import { builder, named } from '../builder.ts';
import { asCount, countUpTo } from '../capped-count.ts';
import type { Query } from '../client.ts';
import { and, eq, sql } from '../drizzle.ts';
import { recordColumns } from '../record-columns.ts';
import { executing, narrowed, pg, returning } from '../result.ts';
import { type dkimKeys, sendingDomains } from '../schema/domains.ts';
import { defineStatement, type GivenOf, optional, type RowOf, value } from '../statement.ts';

type Domain = typeof sendingDomains.$inferSelect;

/** A key without its private half. */
export interface DomainKey
  extends Pick<typeof dkimKeys.$inferSelect, 'id' | 'algorithm' | 'selector' | 'publicKey' | 'state'> {
  /** ISO 8601. */
  readonly retiredAt: string | null;
}

const DOMAIN = {
  accountId: sendingDomains.accountId,
  id: sendingDomains.id,
  name: sendingDomains.name,
  status: sendingDomains.status,
  statusSince: sendingDomains.statusSince,
  /** A sentence that says why the domain failed or is degraded. */
  statusReason: sendingDomains.statusReason,
  returnPathHost: sendingDomains.returnPathHost,
  /** Keyed by record id. */
  checks: sendingDomains.checks,
  createdAt: sendingDomains.createdAt,
  verifiedAt: sendingDomains.verifiedAt,
  lastCheckedAt: sendingDomains.lastCheckedAt,
  claimedAt: sendingDomains.claimedAt,
  /** Whether another account owns the name. If so, no DNS records verify it here. */
  heldByAnother: pg.bool,
  /** Signing keys first, then by age. */
  keys: narrowed<readonly DomainKey[]>(pg.jsonb),
};

const COLUMNS = sql`d.account_id AS "accountId", d.id, d.name, d.status, d.status_since AS "statusSince",
  d.status_reason AS "statusReason",
  d.return_path_host AS "returnPathHost", d.checks, d.created_at AS "createdAt", d.verified_at AS "verifiedAt",
  d.last_checked_at AS "lastCheckedAt", d.claimed_at AS "claimedAt",
  d.status IN ('pending', 'failed') AND is_domain_held_elsewhere(d.account_id, d.name) AS "heldByAnother",
  (SELECT coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'algorithm', k.algorithm, 'selector', k.selector,
      'publicKey', k.public_key, 'state', k.state, 'retiredAt', k.retired_at)
      ORDER BY k.state = 'signing' DESC, k.algorithm DESC, k.id), '[]')
    FROM dkim_keys k WHERE k.account_id = d.account_id AND k.domain_id = d.id) AS keys`;

const insert = defineStatement(
  {
    accountId: sendingDomains.accountId,
    id: sendingDomains.id,
    name: sendingDomains.name,
    returnPathHost: sendingDomains.returnPathHost,
    statusSince: sendingDomains.statusSince,
    nextCheckAt: sendingDomains.nextCheckAt,
    claimedAt: sendingDomains.claimedAt,
    now: sendingDomains.createdAt,
  },
  ({ now, ...domain }) =>
    builder
      .insert(sendingDomains)
      .values({ ...domain, status: 'pending', createdAt: now })
      .onConflictDoNothing({
        target: [sendingDomains.accountId, sendingDomains.name],
        where: sql`status <> 'removed'`,
      })
      .returning(named({ id: sendingDomains.id })),
);

/** Adds a pending domain; returns false if the account already has one with that name. */
export async function insertDomain(query: Query, domain: Parameters<typeof insert>[1]): Promise<boolean> {
  const rows = await insert(query, domain);
  return rows.length > 0;
}

const ID = { accountId: sendingDomains.accountId, id: sendingDomains.id };

const read = defineStatement(ID, ({ accountId, id }) =>
  returning(DOMAIN, sql`SELECT ${COLUMNS} FROM sending_domains d WHERE d.account_id = ${accountId} AND d.id = ${id}`),
);

export type DomainRow = RowOf<typeof read>;

/** Finds a domain of an account by id, removed or not; null if there is none. */
export async function readDomain(query: Query, accountId: string, id: string): Promise<DomainRow | null> {
  const [row] = await read(query, { accountId, id });
  return row ?? null;
}

const lock = defineStatement(ID, ({ accountId, id }) =>
  executing(sql`SELECT FROM sending_domains WHERE account_id = ${accountId} AND id = ${id} FOR NO KEY UPDATE`),
);

/** Like `readDomain`, with the row locked until the end of the transaction. */
export async function lockDomain(query: Query, accountId: string, id: string): Promise<DomainRow | null> {
  await lock(query, { accountId, id });
  return await readDomain(query, accountId, id);
}

const ASKED = sql.raw(recordColumns({ accountId: sendingDomains.accountId, value: sendingDomains.name }));

const readUnsendable = defineStatement({ asked: value<string>() }, ({ asked }) =>
  returning(
    DOMAIN,
    sql`
      SELECT DISTINCT ON (d.account_id, d.name) ${COLUMNS}
      FROM jsonb_to_recordset(${asked}::text::jsonb) AS p (${ASKED})
      JOIN sending_domains d ON d.account_id = p."accountId" AND d.name = p.value
      ORDER BY d.account_id, d.name, d.status = 'removed', d.removed_at DESC, d.id DESC`,
  ),
);

/** Finds the domains of these accounts and names that cannot send. For a removed name, returns the most recently removed domain. */
export async function readUnsendableDomains(
  query: Query,
  asked: readonly { readonly accountId: string; readonly value: string }[],
): Promise<readonly DomainRow[]> {
  return await readUnsendable(query, { asked: JSON.stringify(asked) });
}

const FILTER = {
  accountId: sendingDomains.accountId,
  removed: value<boolean>(),
  status: optional(sendingDomains.status),
  /** In its stored form. */
  name: optional(sendingDomains.name),
};

function matches({ accountId, removed, status, name }: GivenOf<typeof FILTER>) {
  return sql`d.account_id = ${accountId} AND (d.status = 'removed') = ${removed}
    ${status && sql`AND d.status = ${status}`} ${name && sql`AND d.name = ${name}`}`;
}

/** Lists one page, newest first. */
export const listDomains = defineStatement(
  { ...FILTER, before: optional(sendingDomains.id), limit: value<number>() },
  ({ before, limit, ...filter }) =>
    returning(
      DOMAIN,
      sql`
        SELECT ${COLUMNS} FROM sending_domains d WHERE ${matches(filter)} ${before && sql`AND d.id < ${before}`}
        ORDER BY d.id DESC LIMIT ${limit}`,
    ),
);

const count = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(cap, sql`SELECT FROM sending_domains d WHERE ${matches(filter)}`),
  ),
);

export interface DomainFilter extends Pick<Domain, 'accountId'> {
  readonly removed: boolean;
  /** Null or undefined matches all. */
  readonly status?: Domain['status'] | null;
  readonly name?: string | null;
}

/** Stops counting at `cap`. */
export async function countDomains(
  query: Query,
  { status = null, name = null, ...filter }: DomainFilter & { readonly cap: number },
): Promise<number> {
  return await count(query, { ...filter, status, name });
}

const lockAccount = defineStatement({ accountId: sendingDomains.accountId }, ({ accountId }) =>
  executing(sql`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`),
);

/** Counts an account's domains before one is added. Locks the account, so that only one transaction at a time adds a domain. */
export async function countForAddition(query: Query, accountId: string): Promise<number> {
  await lockAccount(query, { accountId });
  return await countDomains(query, { accountId, removed: false, cap: 1_000 });
}

function isDomain({ accountId, id }: GivenOf<typeof ID>) {
  return and(eq(sendingDomains.accountId, accountId), eq(sendingDomains.id, id));
}

const CHANGED = {
  status: sendingDomains.status,
  statusSince: sendingDomains.statusSince,
  statusReason: sendingDomains.statusReason,
  nextCheckAt: sendingDomains.nextCheckAt,
  checks: sendingDomains.checks,
  verifiedAt: sendingDomains.verifiedAt,
  lastCheckedAt: sendingDomains.lastCheckedAt,
  claimedAt: sendingDomains.claimedAt,
  removedAt: sendingDomains.removedAt,
};

export type DomainChange = Pick<Domain, keyof typeof CHANGED>;

const change = defineStatement(
  { ...ID, ...CHANGED, checks: value<string>() },
  ({ accountId, id, checks, ...changed }) =>
    builder
      .update(sendingDomains)
      .set({ ...changed, checks: sql`${checks}::text::jsonb` })
      .where(isDomain({ accountId, id })),
);

export async function changeDomain(query: Query, accountId: string, id: string, changed: DomainChange): Promise<void> {
  await change(query, { accountId, id, ...changed, checks: JSON.stringify(changed.checks) });
}

const fail = defineStatement(
  { ...ID, reason: sendingDomains.statusReason, now: sendingDomains.statusSince },
  ({ reason, now, ...domain }) =>
    builder
      .update(sendingDomains)
      .set({
        status: 'failed',
        statusSince: now,
        statusReason: reason,
        nextCheckAt: null,
        verifiedAt: null,
        claimedAt: null,
      })
      .where(isDomain(domain)),
);

/** Marks a domain as failed because its account no longer owns the name. */
export async function failDomain(
  query: Query,
  { accountId, id }: Pick<Domain, 'accountId' | 'id'>,
  reason: string,
  now: Date,
): Promise<void> {
  await fail(query, { accountId, id, reason, now });
}

const forgetRemoved = defineStatement(
  { accountId: sendingDomains.accountId, keep: value<number>() },
  ({ accountId, keep }) =>
    executing(sql`
      WITH old AS MATERIALIZED (
        SELECT id FROM sending_domains WHERE account_id = ${accountId} AND status = 'removed'
        ORDER BY removed_at DESC NULLS LAST, id DESC OFFSET ${keep}),
      keys AS (DELETE FROM dkim_keys WHERE account_id = ${accountId} AND domain_id IN (SELECT id FROM old))
      DELETE FROM sending_domains WHERE account_id = ${accountId} AND id IN (SELECT id FROM old)`),
);

/** Deletes removed domains of an account with their keys, except for the `keep` most recently removed. */
export async function forgetRemovedDomains(query: Query, accountId: string, keep: number): Promise<void> {
  await forgetRemoved(query, { accountId, keep });
}

const claim = defineStatement(
  { now: value<Date>(), nextCheckAt: value<Date>(), limit: value<number>() },
  ({ now, nextCheckAt, limit }) =>
    returning(
      ID,
      sql`
        WITH due AS MATERIALIZED (
          SELECT account_id, id FROM sending_domains WHERE next_check_at <= ${now}
          ORDER BY next_check_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
        UPDATE sending_domains d SET next_check_at = ${nextCheckAt}
        FROM due WHERE d.account_id = due.account_id AND d.id = due.id
        RETURNING d.account_id AS "accountId", d.id`,
    ),
);

/**
 * Claims domains whose DNS lookup is due, the longest overdue first. They become due again after `leaseMs` unless the caller reschedules
 * them, so a process that crashes loses none.
 */
export async function claimDueDomains(
  query: Query,
  now: Date,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly RowOf<typeof claim>[]> {
  return await claim(query, { now, nextCheckAt: new Date(now.getTime() + leaseMs), limit });
}
