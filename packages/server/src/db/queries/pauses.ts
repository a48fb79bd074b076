import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { alias, and, eq, isNotNull, type SQL, sql } from '../drizzle.ts';
import { accounts } from '../schema/accounts.ts';
import { apiKeys } from '../schema/keys.ts';
import { defineStatement, type RowOf, value } from '../statement.ts';
import { lockAccount } from './accounts.ts';

const pausers = alias(apiKeys, 'pausers');
/** Who paused something; a user if their key is gone. */
const pauser = { keyId: pausers.id, isUser: sql<boolean>`coalesce(${pausers.isSeat}, true)`, name: pausers.name };

const readOfAccount = defineStatement({ id: accounts.id }, ({ id }) =>
  builder
    .select(named(pauser))
    .from(accounts)
    .leftJoin(pausers, and(eq(pausers.accountId, accounts.id), eq(pausers.id, accounts.pausedBy)))
    .where(and(eq(accounts.id, id), isNotNull(accounts.pausedAt))),
);

/** Who paused something; null if it is not paused. */
export type PauseRow = RowOf<typeof readOfAccount>;

/** The pause of an account, with its row locked. */
export async function lockAccountPause(transaction: Query, accountId: string): Promise<PauseRow | null> {
  await lockAccount(transaction, { id: accountId });
  const [row] = await readOfAccount(transaction, { id: accountId });
  return row ?? null;
}

const KEY = { accountId: apiKeys.accountId, keyId: apiKeys.id };

const readOfKey = defineStatement(KEY, ({ accountId, keyId }) =>
  builder
    .select(named(pauser))
    .from(apiKeys)
    .leftJoin(pausers, and(eq(pausers.accountId, apiKeys.accountId), eq(pausers.id, apiKeys.pausedBy)))
    .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId), isNotNull(apiKeys.pausedAt))),
);

/** The pause of a key that the caller has locked. */
export async function readKeyPause(transaction: Query, accountId: string, keyId: string): Promise<PauseRow | null> {
  const [row] = await readOfKey(transaction, { accountId, keyId });
  return row ?? null;
}

interface Pausable {
  readonly pausedAt: typeof accounts.pausedAt | typeof apiKeys.pausedAt;
}

function pause({ pausedAt }: Pausable, by: SQL<string | null>, now: SQL<Date>) {
  return {
    pausedAt: sql`CASE WHEN ${by}::uuid IS NULL THEN NULL ELSE coalesce(${pausedAt}, ${now}::timestamptz) END`,
    pausedBy: by,
  };
}

const pauseAccount = defineStatement(
  { id: accounts.id, by: accounts.pausedBy, now: value<Date>() },
  ({ id, by, now }) =>
    builder
      .update(accounts)
      .set(pause(accounts, by, now))
      .where(eq(accounts.id, id)),
);

/** A pause keeps its time when a user takes it over; null resumes. */
export async function setAccountPause(query: Query, accountId: string, by: string | null, now: Date): Promise<void> {
  await pauseAccount(query, { id: accountId, by, now });
}

const pauseKey = defineStatement(
  { ...KEY, by: apiKeys.pausedBy, now: value<Date>() },
  ({ accountId, keyId, by, now }) =>
    builder
      .update(apiKeys)
      .set(pause(apiKeys, by, now))
      .where(and(eq(apiKeys.accountId, accountId), eq(apiKeys.id, keyId))),
);

/** Like setAccountPause. */
export async function setKeyPause(
  query: Query,
  { accountId, keyId }: { readonly accountId: string; readonly keyId: string },
  by: string | null,
  now: Date,
): Promise<void> {
  await pauseKey(query, { accountId, keyId, by, now });
}
