import type { Clock } from '../clock.ts';
import { bindAccount } from '../db/account-client.ts';
import type { AccountSql, Pool, Sql } from '../db/client.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** The connections that read and write records, with the clock and the id generator for new rows. */
export interface Database {
  /** Sees the whole installation. Handlers of operations with a key receive an `AccountDatabase` instead. */
  readonly sql: Sql;
  /** For searches and exports, which may take longer than other requests. */
  readonly readsSql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

/** The database of one account: it returns and accepts only rows of that account, whatever the statement. */
export interface AccountDatabase extends Database {
  readonly sql: AccountSql;
  readonly readsSql: AccountSql;
}

/** Pools that are opened `forAccounts`. */
export interface AccountPools {
  readonly accounts: Pool;
  readonly reads: Pool;
}

/** A third of the connections, so that one busy account leaves connections for the others. */
const TRANSACTIONS_AT_ONCE = 2;

export function bindDatabase({ clock, ids }: Database, pools: AccountPools, accountId: string): AccountDatabase {
  return {
    sql: bindAccount(pools.accounts, accountId, { transactionsAtOnce: TRANSACTIONS_AT_ONCE }),
    readsSql: bindAccount(pools.reads, accountId),
    clock,
    ids,
  };
}
