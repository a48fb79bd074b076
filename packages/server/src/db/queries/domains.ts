import type { Query } from '../client.ts';
import type { DkimAlgorithm, DkimKeyState, StoredCheck, StoredDomainStatus } from '../schema/domains.ts';

/** A key without its private half. */
export interface DomainKey {
  readonly id: string;
  readonly algorithm: DkimAlgorithm;
  readonly selector: string;
  readonly publicKey: string;
  readonly state: DkimKeyState;
  /** ISO 8601. */
  readonly retiredAt: string | null;
}

export interface DomainRow {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly status: StoredDomainStatus;
  readonly statusSince: Date;
  /** Why it failed or is degraded, a sentence. */
  readonly statusReason: string | null;
  readonly returnPathHost: string;
  /** By record id. */
  readonly checks: Readonly<Record<string, StoredCheck>>;
  readonly createdAt: Date;
  readonly verifiedAt: Date | null;
  readonly lastCheckedAt: Date | null;
  readonly claimedAt: Date | null;
  /** Whether another account holds the name, so that whatever is published does not verify it here. */
  readonly heldByAnother: boolean;
  /** Those that sign first, then by age. */
  readonly keys: readonly DomainKey[];
}

export interface NewDomain {
  readonly accountId: string;
  readonly id: string;
  readonly name: string;
  readonly returnPathHost: string;
  readonly statusSince: Date;
  readonly nextCheckAt: Date | null;
  readonly claimedAt: Date | null;
  readonly now: Date;
}

export interface NewDkimKey {
  readonly accountId: string;
  readonly id: string;
  readonly domainId: string;
  readonly algorithm: DkimAlgorithm;
  readonly selector: string;
  /** An envelope of the secret box. */
  readonly privateKey: Uint8Array;
  readonly publicKey: string;
  readonly state: 'waiting' | 'signing';
  readonly now: Date;
}

/** Adds a pending domain; false where the account has one of that name. */
export async function insertDomain(query: Query, domain: NewDomain): Promise<boolean> {
  const rows = await query`
    INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, status_since, next_check_at, claimed_at)
    VALUES (${domain.accountId}, ${domain.id}, ${domain.name}, 'pending', ${domain.returnPathHost}, ${domain.now},
      ${domain.statusSince}, ${domain.nextCheckAt}, ${domain.claimedAt})
    ON CONFLICT (account_id, name) WHERE status <> 'removed' DO NOTHING
    RETURNING id`;
  return rows.length > 0;
}

/** Adds keys to a domain that is there; its name remembers their selectors, also when they are gone. */
export async function insertDkimKeys(query: Query, keys: readonly NewDkimKey[]): Promise<void> {
  for (const key of keys) {
    await query`
      WITH added AS (
        INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
        VALUES (${key.accountId}, ${key.id}, ${key.domainId}, ${key.algorithm}, ${key.selector}, ${key.privateKey}, ${key.publicKey},
          ${key.state}, ${key.now})
        RETURNING account_id, domain_id, selector)
      INSERT INTO dkim_selectors (account_id, name, selector, made_at)
      SELECT a.account_id, d.name, a.selector, ${key.now} FROM added a
      JOIN sending_domains d ON d.account_id = a.account_id AND d.id = a.domain_id`;
  }
}

/** The selectors that keys of the account have had at a name, in whichever of its domains. */
export async function readUsedSelectors(query: Query, accountId: string, name: string): Promise<ReadonlySet<string>> {
  const rows = await query<{ selector: string }[]>`
    SELECT selector FROM dkim_selectors WHERE account_id = ${accountId} AND name = ${name}`;
  return new Set(rows.map(({ selector }) => selector));
}

/** Forgets a key that never signed. */
export async function deleteKey(query: Query, accountId: string, id: string): Promise<void> {
  await query`DELETE FROM dkim_keys WHERE account_id = ${accountId} AND id = ${id} AND state = 'waiting'`;
}

/** The domain of an account with this id, removed or not; null where there is none. */
export async function readDomain(query: Query, accountId: string, id: string): Promise<DomainRow | null> {
  const [row] = await query<DomainRow[]>`
    SELECT ${columns(query)} FROM sending_domains d WHERE d.account_id = ${accountId} AND d.id = ${id}`;
  return row ?? null;
}

/** As `readDomain`, and nobody else changes it until the end of the transaction. */
export async function lockDomain(query: Query, accountId: string, id: string): Promise<DomainRow | null> {
  await query`SELECT FROM sending_domains WHERE account_id = ${accountId} AND id = ${id} FOR NO KEY UPDATE`;
  return await readDomain(query, accountId, id);
}

/** The domains of these accounts and names that cannot be sent from; of a name that was removed the one that was removed last. */
export async function readUnsendableDomains(
  query: Query,
  asked: readonly { readonly accountId: string; readonly value: string }[],
): Promise<readonly DomainRow[]> {
  const questions = asked.map(({ accountId, value }) => ({ a: accountId, v: value }));
  return await query<DomainRow[]>`
    SELECT DISTINCT ON (d.account_id, d.name) ${columns(query)}
    FROM jsonb_to_recordset(${JSON.stringify(questions)}::text::jsonb) AS p (a uuid, v text)
    JOIN sending_domains d ON d.account_id = p.a AND d.name = p.v
    ORDER BY d.account_id, d.name, d.status = 'removed', d.removed_at DESC, d.id DESC`;
}

export interface DomainFilter {
  readonly accountId: string;
  readonly removed: boolean;
  /** Null: whichever. */
  readonly status?: StoredDomainStatus | null;
  /** As it is stored; null: whichever. */
  readonly name?: string | null;
}

function matchesFilter(query: Query, { accountId, removed, status = null, name = null }: DomainFilter) {
  return query`d.account_id = ${accountId} AND (d.status = 'removed') = ${removed}
    ${status === null ? query`` : query`AND d.status = ${status}`} ${name === null ? query`` : query`AND d.name = ${name}`}`;
}

/** One page, newest first. */
export async function listDomains(
  query: Query,
  { before, limit, ...filter }: DomainFilter & { readonly before: string | null; readonly limit: number },
): Promise<readonly DomainRow[]> {
  return await query<DomainRow[]>`
    SELECT ${columns(query)} FROM sending_domains d
    WHERE ${matchesFilter(query, filter)}
      ${before === null ? query`` : query`AND d.id < ${before}`}
    ORDER BY d.id DESC LIMIT ${limit}`;
}

/** Counts matches, but never past `cap`. */
export async function countDomains(
  query: Query,
  { cap, ...filter }: DomainFilter & { readonly cap: number },
): Promise<number> {
  const [row] = await query<{ count: number }[]>`
    SELECT count(*)::int AS count FROM (
      SELECT FROM sending_domains d WHERE ${matchesFilter(query, filter)} LIMIT ${cap}) AS matches`;
  return row?.count ?? 0;
}

/** How many domains an account has; whoever counts to add one does so alone until the end of the transaction. */
export async function countForAddition(query: Query, accountId: string): Promise<number> {
  await query`SELECT FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return await countDomains(query, { accountId, removed: false, cap: 1_000 });
}

/** Whether the account has a domain of this name that is not removed. */
export async function hasDomain(query: Query, accountId: string, name: string): Promise<boolean> {
  const rows = await query`
    SELECT FROM sending_domains WHERE account_id = ${accountId} AND name = ${name} AND status <> 'removed'`;
  return rows.length > 0;
}

/**
 * Only one transaction at a time decides whose a name is, over all accounts. A unique index could not: an unverified name may be in many.
 */
export async function lockName(query: Query, name: string): Promise<void> {
  await query`SELECT pg_advisory_xact_lock(hashtextextended(${`postrider.domain ${name}`}, 0))`;
}

/** The domain of another account that holds a name. */
export interface NameHolder {
  readonly accountId: string;
  readonly id: string;
  /** Not where it is held by a challenge alone. */
  readonly isVerified: boolean;
  /** How often the name was taken from a holder. */
  readonly takeovers: number;
}

/** The domain of another account that holds a name: verified, or taken by a challenge that was met. Null where nobody does. */
export async function readHolder(query: Query, accountId: string, name: string): Promise<NameHolder | null> {
  const [row] = await query<NameHolder[]>`
    SELECT h.account_id AS "accountId", h.id, h.status <> 'pending' AS "isVerified",
      coalesce((SELECT times FROM domain_takeovers t WHERE t.name = h.name), 0) AS takeovers
    FROM sending_domains h
    WHERE h.name = ${name} AND h.account_id <> ${accountId} AND ${holdsName(query)}
    ORDER BY h.claimed_at DESC NULLS LAST LIMIT 1`;
  return row ?? null;
}

/** As is_domain_held_elsewhere has it, by which an account is told that somebody has the name. */
function holdsName(query: Query) {
  return query`(is_sendable(h.status) OR (h.status = 'pending' AND h.claimed_at IS NOT NULL))`;
}

/** Counts that a name was taken from its holder. */
export async function countTakeover(query: Query, name: string): Promise<void> {
  await query`
    INSERT INTO domain_takeovers AS t (name, times) VALUES (${name}, 1) ON CONFLICT (name) DO UPDATE SET times = t.times + 1`;
}

/** What changes of a domain. */
export interface DomainChange {
  readonly status: StoredDomainStatus;
  readonly statusSince: Date;
  readonly statusReason: string | null;
  readonly nextCheckAt: Date | null;
  readonly checks: Readonly<Record<string, StoredCheck>>;
  readonly verifiedAt: Date | null;
  readonly lastCheckedAt: Date | null;
  readonly claimedAt: Date | null;
  readonly removedAt: Date | null;
}

export async function changeDomain(query: Query, accountId: string, id: string, change: DomainChange): Promise<void> {
  await query`
    UPDATE sending_domains SET status = ${change.status}, status_since = ${change.statusSince}, status_reason = ${change.statusReason}, next_check_at = ${change.nextCheckAt},
      checks = ${JSON.stringify(change.checks)}::text::jsonb, verified_at = ${change.verifiedAt},
      last_checked_at = ${change.lastCheckedAt}, claimed_at = ${change.claimedAt}, removed_at = ${change.removedAt}
    WHERE account_id = ${accountId} AND id = ${id}`;
}

/** Takes a name from a domain whose account does not hold it any more. */
export async function failDomain(
  query: Query,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  reason: string,
  now: Date,
): Promise<void> {
  await query`
    UPDATE sending_domains SET status = 'failed', status_since = ${now}, status_reason = ${reason}, next_check_at = NULL,
      verified_at = NULL, claimed_at = NULL
    WHERE account_id = ${accountId} AND id = ${id}`;
}

/** A key that signs no more is forgotten but for its public half, which stays listed. */
export async function retireKey(query: Query, accountId: string, id: string, now: Date): Promise<void> {
  await query`
    UPDATE dkim_keys SET state = 'retired', private_key = NULL, retired_at = ${now} WHERE account_id = ${accountId} AND id = ${id}`;
}

export async function setKeyState(
  query: Query,
  accountId: string,
  id: string,
  state: 'waiting' | 'signing',
): Promise<void> {
  await query`UPDATE dkim_keys SET state = ${state} WHERE account_id = ${accountId} AND id = ${id}`;
}

/** Keeps the newest `keep` keys of a domain that sign no more. */
export async function forgetRetiredKeys(
  query: Query,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  keep: number,
): Promise<void> {
  await query`
    DELETE FROM dkim_keys WHERE account_id = ${accountId} AND id IN (
      SELECT id FROM dkim_keys WHERE account_id = ${accountId} AND domain_id = ${id} AND state = 'retired'
      ORDER BY retired_at DESC, id DESC OFFSET ${keep})`;
}

/** Keeps the `keep` domains of an account that were removed last, with their keys. */
export async function forgetRemovedDomains(query: Query, accountId: string, keep: number): Promise<void> {
  await query`
    WITH old AS MATERIALIZED (
      SELECT id FROM sending_domains WHERE account_id = ${accountId} AND status = 'removed'
      ORDER BY removed_at DESC NULLS LAST, id DESC OFFSET ${keep}),
    keys AS (DELETE FROM dkim_keys WHERE account_id = ${accountId} AND domain_id IN (SELECT id FROM old))
    DELETE FROM sending_domains WHERE account_id = ${accountId} AND id IN (SELECT id FROM old)`;
}

/**
 * Takes domains whose look-up is due, the longest due first. They are due again after `leaseMs`, unless whoever took them says otherwise: a
 * process that dies in the middle loses none.
 */
export async function claimDueDomains(
  query: Query,
  now: Date,
  { limit, leaseMs }: { readonly limit: number; readonly leaseMs: number },
): Promise<readonly { readonly accountId: string; readonly id: string }[]> {
  return await query<{ accountId: string; id: string }[]>`
    WITH due AS MATERIALIZED (
      SELECT account_id, id FROM sending_domains WHERE next_check_at <= ${now}
      ORDER BY next_check_at LIMIT ${limit} FOR NO KEY UPDATE SKIP LOCKED)
    UPDATE sending_domains d SET next_check_at = ${new Date(now.getTime() + leaseMs)}
    FROM due WHERE d.account_id = due.account_id AND d.id = due.id
    RETURNING d.account_id AS "accountId", d.id`;
}

function columns(query: Query) {
  return query`d.account_id AS "accountId", d.id, d.name, d.status, d.status_since AS "statusSince",
    d.status_reason AS "statusReason",
    d.return_path_host AS "returnPathHost", d.checks, d.created_at AS "createdAt", d.verified_at AS "verifiedAt",
    d.last_checked_at AS "lastCheckedAt", d.claimed_at AS "claimedAt",
    d.status IN ('pending', 'failed') AND is_domain_held_elsewhere(d.account_id, d.name) AS "heldByAnother",
    (SELECT coalesce(jsonb_agg(jsonb_build_object('id', k.id, 'algorithm', k.algorithm, 'selector', k.selector,
        'publicKey', k.public_key, 'state', k.state, 'retiredAt', k.retired_at)
        ORDER BY k.state = 'signing' DESC, k.algorithm DESC, k.id), '[]')
      FROM dkim_keys k WHERE k.account_id = d.account_id AND k.domain_id = d.id) AS keys`;
}
