import { check, index, integer, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { bytea, jsonb, timestamptz, timestamptzArray } from './column-types.ts';

export type StoredDomainStatus = 'pending' | 'verified' | 'failed' | 'degraded' | 'removed';
export type DkimAlgorithm = 'rsa' | 'ed25519';
export type DkimKeyState = 'waiting' | 'signing' | 'retired';

/** The result of the last lookup of one record. */
export interface StoredCheck {
  readonly status: 'pass' | 'fail' | 'pending';
  readonly reason: string | null;
  readonly found: readonly string[];
  /** ISO 8601. */
  readonly checkedAt: string;
}

export const sendingDomains = pgTable(
  'sending_domains',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    status: text('status').$type<StoredDomainStatus>().notNull(),
    createdAt: timestamptz('created_at').notNull(),
    verifiedAt: timestamptz('verified_at'),
    returnPathHost: text('return_path_host').notNull(),
    checks: jsonb<Readonly<Record<string, StoredCheck>>>('checks').notNull().default(sql`'{}'`),
    statusSince: timestamptz('status_since').notNull(),
    lastCheckedAt: timestamptz('last_checked_at'),
    nextCheckAt: timestamptz('next_check_at'),
    claimedAt: timestamptz('claimed_at'),
    removedAt: timestamptz('removed_at'),
    statusReason: text('status_reason'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('sending_domains_due').on(t.nextCheckAt).where(sql`${t.nextCheckAt} IS NOT NULL`),
    index('sending_domains_holders').on(t.name).where(sql`${t.status} <> 'removed'`),
    uniqueIndex('sending_domains_name').on(t.accountId, t.name).where(sql`${t.status} <> 'removed'`),
    index('sending_domains_return_path').on(t.returnPathHost),
    check('sending_domains_status_check', sql`${t.status} IN ('pending', 'verified', 'failed', 'degraded', 'removed')`),
    ...accountWall(t.accountId),
  ],
);

export const dkimKeys = pgTable(
  'dkim_keys',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    domainId: uuid('domain_id').notNull(),
    algorithm: text('algorithm').$type<DkimAlgorithm>().notNull(),
    selector: text('selector').notNull(),
    privateKey: bytea('private_key'),
    publicKey: text('public_key').notNull(),
    state: text('state').$type<DkimKeyState>().notNull(),
    createdAt: timestamptz('created_at').notNull(),
    retiredAt: timestamptz('retired_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('dkim_keys_in_use')
      .on(t.accountId, t.domainId, t.algorithm, t.state)
      .where(sql`${t.state} <> 'retired'`),
    uniqueIndex('dkim_keys_selector').on(t.accountId, t.domainId, t.selector),
    check('dkim_keys_algorithm_check', sql`${t.algorithm} IN ('rsa', 'ed25519')`),
    check('dkim_keys_check', sql`(${t.state} = 'retired') = (${t.privateKey} IS NULL)`),
    check('dkim_keys_state_check', sql`${t.state} IN ('waiting', 'signing', 'retired')`),
    ...accountWall(t.accountId),
  ],
);

export const dkimSelectors = pgTable(
  'dkim_selectors',
  {
    accountId: uuid('account_id').notNull(),
    name: text('name').notNull(),
    selector: text('selector').notNull(),
    madeAt: timestamptz('made_at').notNull().default(sql`now()`),
    unusedSince: timestamptz('unused_since'),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.name, t.selector] }), ...accountWall(t.accountId)],
);

export const dkimKeysMade = pgTable(
  'dkim_keys_made',
  {
    accountId: uuid('account_id').primaryKey(),
    madeAt: timestamptzArray('made_at').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);

export const domainTakeovers = pgTable('domain_takeovers', {
  name: text('name').primaryKey(),
  times: integer('times').notNull(),
});
