import type { Clock } from '../clock.ts';
import { bindAccount } from '../db/account-client.ts';
import type { AccountSql, Pool, Sql } from '../db/client.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** The records: the connections to read and write them, and the clock and the ids of new rows. */
export interface Database {
  /** Sees the whole installation. Handlers of operations with a key receive an `AccountDatabase` instead. */
  readonly sql: Sql;
  /** For searches and exports, which may take longer than other requests. */
  readonly readsSql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** The database of one account: it returns and accepts only rows of that account, whatever the statement says. */
export interface AccountDatabase extends Database {
  readonly sql: AccountSql;
  readonly readsSql: AccountSql;
}

/** Pools that are opened `forAccounts`. */
export interface AccountPools {
  readonly accounts: Pool;
  readonly reads: Pool;
}

/** A third of the connections: one account that does much at once leaves the others theirs. */
const TRANSACTIONS_AT_ONCE = 2;

export function bindDatabase({ clock, ids }: Database, pools: AccountPools, accountId: string): AccountDatabase {
  return {
    sql: bindAccount(pools.accounts, accountId, { transactionsAtOnce: TRANSACTIONS_AT_ONCE }),
    readsSql: bindAccount(pools.reads, accountId),
    clock,
    ids,
  };
}
