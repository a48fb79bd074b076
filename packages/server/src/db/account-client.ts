import type { BeginArguments, Pool } from './database-pool.ts';
import type { AccountSql, Sql } from './query.ts';
import type { QueryResult } from './query-result.ts';
import { runTransaction } from './transaction.ts';
import { createTransactionLimit } from './transaction-limit.ts';

export interface BindingOptions {
  /**
   * Transactions of the account wait for one another at its own rows (the quota, the end of its audit trail). Those beyond this number wait
   * here, where they hold no connection that another account could work on, and no deadline of the database runs.
   */
  readonly transactionsAtOnce?: number;
}

/**
 * Binds a pool that was opened `forAccounts` to one account: every statement runs in a transaction that names the account in `app.account_id`,
 * which is what the policies of row-level security compare with, and that takes the role these policies hold for. Other rows do not exist
 * then, whatever a statement forgets to ask for. The role is set in the transaction because a pooler may drop the one that the connection
 * asked for when it started.
 *
 * BEGIN with the settings, the statement and COMMIT are sent together, without waiting for one another, so that a statement costs one round
 * trip as before. Statements run one at a time by themselves; what belongs together goes into `begin`.
 */
export function bindAccount(
  pool: Pool,
  accountId: string,
  { transactionsAtOnce = Number.POSITIVE_INFINITY }: BindingOptions = {},
): AccountSql {
  // It becomes part of a statement that takes no parameters.
  if (!UUID.test(accountId)) throw new Error('an account without an id cannot be bound');
  const { settings } = pool;
  if (settings === null) throw new Error('the pool was not opened for accounts');
  const limited = createTransactionLimit(transactionsAtOnce);
  const beginOf: Begin = (mode = '') =>
    `BEGIN ${mode}; SET LOCAL app.account_id = '${accountId}'; ${settings.statements()}`;
  const bound: Sql = {
    run: (text, parameters) => runAlone(pool, beginOf, text, parameters),
    async begin<T>(...given: BeginArguments<T>) {
      const [mode, work] = given.length === 1 ? [undefined, given[0]] : given;
      return await limited(() => runTransaction(pool.reserve, () => beginOf(mode), work));
    },
  };
  return bound as AccountSql; // The one place that makes what the brand stands for.
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** What begins a transaction of the account, to be asked for once its connection is open. */
type Begin = (mode?: string) => string;

function runAlone<Row>(
  pool: Pool,
  begin: Begin,
  text: string,
  parameters: readonly unknown[] | undefined,
): Promise<QueryResult<Row>> {
  return pool.runOnConnection(async (connection) => {
    const begun = connection.run(begin()).then(noop);
    const answered = connection.run<Row>(text, parameters).then((answer) => ({ answer }));
    const ended = connection.run('COMMIT').then(noop);
    // A failure is reported at once; the connection is free when everything that was sent is answered.
    void Promise.allSettled([begun, answered, ended]).then(() => connection.release());
    await begun;
    const { answer } = await answered;
    await ended;
    return answer;
  });
}

function noop(): void {}
