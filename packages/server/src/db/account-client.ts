import type { BeginArguments, Pool } from './database-pool.ts';
import type { AccountSql, Sql } from './query.ts';
import { KEEP_PLANS, SET_TOGETHER } from './session-settings.ts';
import { runTogether, runTransaction } from './transaction.ts';
import { createTransactionLimit } from './transaction-limit.ts';

export interface BindingOptions {
  /**
   * Concurrent transactions of an account wait for each other's locks on its own rows (the quota, the end of its audit log). Transactions
   * beyond this number wait here instead, where they use no connection that another account needs and no database deadline runs.
   */
  readonly transactionsAtOnce?: number;
}

/**
 * Binds a pool opened with `forAccounts` to one account. Every statement runs in a transaction that sets `app.account_id` and the role of the
 * row-level security policies, because a pooler may drop a role requested at connection start. A single statement is sent together with
 * BEGIN, the settings and COMMIT, so it costs one round trip; use `begin` for statements that belong together.
 */
export function bindAccount(
  pool: Pool,
  accountId: string,
  { transactionsAtOnce = Number.POSITIVE_INFINITY }: BindingOptions = {},
): AccountSql {
  // The id becomes part of a statement that accepts no parameters, so only a UUID is safe.
  if (!UUID.test(accountId)) throw new Error('an account without an id cannot be bound');
  const { settings } = pool;
  if (settings === null) throw new Error('the pool was not opened for accounts');
  const limited = createTransactionLimit(transactionsAtOnce);
  const beginOf: Begin = (mode = '') =>
    `BEGIN ${mode}; SET LOCAL app.account_id = '${accountId}'; ${settings.statements()}`;
  const beginKept: Begin = () => `${beginOf()}; ${KEEP_PLANS}`;
  const bound: Sql = {
    run: (text, parameters, options) =>
      runTogether(pool, options?.plan === 'kept' ? beginKept : beginOf, (query) =>
        query.run(text, parameters, { isRaw: options?.isRaw }),
      ),
    together: (work) => limited(() => runTogether(pool, () => `${beginOf()}; ${SET_TOGETHER}`, work)),
    async begin<T>(...given: BeginArguments<T>) {
      const [mode, work] = given.length === 1 ? [undefined, given[0]] : given;
      return await limited(() => runTransaction(pool.reserve, () => beginOf(mode), work));
    },
  };
  return bound as AccountSql; // The only place that creates a branded value.
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Returns the statements that begin a transaction of the account. Called once its connection is open, because the settings depend on it.
 */
type Begin = (mode?: string) => string;
