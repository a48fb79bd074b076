import type { ReservedSql } from 'postgres';
import type { AccountSql, Sql, Transaction } from './client.ts';
import { runOnConnection } from './renewed-pool.ts';
import { transactionSettingsOf } from './session-settings.ts';
import { createTurns, type Turns } from './turns.ts';

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
  pool: Sql,
  accountId: string,
  { transactionsAtOnce = Number.POSITIVE_INFINITY }: BindingOptions = {},
): AccountSql {
  // It becomes part of a statement that takes no parameters.
  if (!UUID.test(accountId)) throw new Error('an account without an id cannot be bound');
  const turns = createTurns(transactionsAtOnce);
  const settings = transactionSettingsOf(pool);
  const begin = (options = '') =>
    `BEGIN ${options}; SET LOCAL app.account_id = '${accountId}'; ${settings.statements()}`;
  const bound = new Proxy(pool, {
    apply: (target, self, given) => {
      const part: unknown = Reflect.apply(target, self, given);
      return bindQuery(part, () => runAlone(pool, begin, (connection) => Reflect.apply(connection, undefined, given)));
    },
    get: (target, name) => {
      if (name === 'begin') return (...given: readonly unknown[]) => runTransaction(pool, begin, given, turns);
      if (name === 'unsafe') {
        return (...given: unknown[]) =>
          bindQuery(Reflect.apply(target.unsafe, target, given), () =>
            runAlone(pool, begin, (connection) => Reflect.apply(connection.unsafe, connection, given)),
          );
      }
      if (typeof name === 'string' && UNBOUND.has(name)) throw new Error(`${name} would leave the account`);
      return Reflect.get(target, name);
    },
  });
  return bound as AccountSql; // The one place that makes what the brand stands for.
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Ways to a connection that would not be bound. */
const UNBOUND = new Set(['reserve', 'listen', 'subscribe', 'file', 'largeObject', 'notify', 'end', 'close']);

type Connection = ReservedSql;
type Send = (connection: Connection) => Promise<unknown>;
/** What begins a transaction of the account, to be asked for once its connection is open. */
type Begin = (options?: string) => string;

/** A query is sent when somebody first asks for its result, and then by `send`; as a part of another one it is never sent. */
function bindQuery(query: unknown, send: () => Promise<unknown>): unknown {
  if (!(query instanceof Promise)) return query;
  let outcome: Promise<unknown> | null = null;
  const sent = (): Promise<unknown> => {
    outcome ??= send();
    return outcome;
  };
  const ask: Promise<unknown>['then'] = (onDone, onFailed) => sent().then(onDone, onFailed);
  return Object.assign(query, {
    // biome-ignore lint/suspicious/noThenProperty: it is a promise, and its own `then` is what sends it.
    then: ask,
    catch: (onFailed: (error: unknown) => unknown) => sent().catch(onFailed),
    finally: (onEnded: () => void) => sent().finally(onEnded),
    ...UNANSWERED,
  });
}

function refuse(): never {
  throw new Error('a statement bound to an account is only ever awaited');
}

/** What the driver would send by itself, past the transaction, and what would be asked of a query that is not the one that is sent. */
const UNANSWERED = {
  ...{ cursor: refuse, forEach: refuse, execute: refuse, writable: refuse, readable: refuse },
  ...{ values: refuse, raw: refuse, simple: refuse, describe: refuse, cancel: refuse },
};

function runAlone(pool: Sql, begin: Begin, send: Send): Promise<unknown> {
  return runOnConnection(pool, async (connection) => {
    const begun = connection.unsafe(begin()).then(noop);
    const answered = send(connection).then((result) => ({ result }));
    const ended = connection.unsafe('COMMIT').then(noop);
    // A failure is told at once; the connection is free when everything that was sent is answered.
    void Promise.allSettled([begun, answered, ended]).then(() => connection.release());
    await begun;
    const { result } = await answered;
    await ended;
    return result;
  });
}

async function runTransaction(pool: Sql, begin: Begin, given: readonly unknown[], turns: Turns): Promise<unknown> {
  const [options, work] = given.length > 1 ? given : ['', given[0]];
  // The type of `begin` says what the last argument is.
  return await turns(() => transact(pool, begin, String(options), work as TransactionWork));
}

type TransactionWork = (transaction: Transaction) => unknown;

async function transact(pool: Sql, begin: Begin, options: string, work: TransactionWork): Promise<unknown> {
  const connection = await pool.reserve();
  const { transaction, end } = boundedBy(connection);
  try {
    const begun = connection.unsafe(begin(options.replaceAll(/[^a-z ]/gi, ''))).then(noop);
    // Whoever begins is told by the first statement at the latest, which is sent behind it.
    begun.catch(noop);
    const worked = work(transaction);
    const result = await (Array.isArray(worked) ? Promise.all(worked) : worked);
    end();
    await begun;
    await commit(connection);
    return result;
  } catch (error) {
    end();
    // Of a connection that was lost nothing is left to be rolled back.
    await connection.unsafe('ROLLBACK').catch(noop);
    throw error;
  } finally {
    connection.release();
  }
}

/**
 * A connection for as long as its transaction lasts. One branch of some work may fail while another goes on: what that sends later would run
 * within whatever transaction the connection has by then, on the rows of another account.
 */
function boundedBy(connection: Connection): { readonly transaction: Transaction; readonly end: () => void } {
  let isOver = false;
  const assertOpen = () => {
    if (isOver) throw new Error('the transaction is over');
  };
  // A query is sent when somebody first asks for its result, which may be long after it was written.
  const whileOpen = (query: unknown): unknown => {
    if (!(query instanceof Promise)) return query;
    const send = query.then.bind(query);
    let isSent = false;
    const ask: typeof send = (onDone, onFailed) => {
      if (isOver && !isSent) return Promise.reject(new Error('the transaction is over')).then(onDone, onFailed);
      isSent = true;
      return send(onDone, onFailed);
    };
    return Object.assign(query, {
      // biome-ignore lint/suspicious/noThenProperty: it is a promise, and its own `then` is what sends it.
      then: ask,
      catch: (onFailed: (error: unknown) => unknown) => ask(undefined, onFailed),
      finally: (onEnded: () => void) => ask().finally(onEnded),
    });
  };
  const transaction = new Proxy(connection, {
    apply: (target, self, given) => {
      assertOpen();
      return whileOpen(Reflect.apply(target, self, given));
    },
    get: (target, name) => {
      if (name === 'unsafe') {
        return (...given: unknown[]) => {
          assertOpen();
          return whileOpen(Reflect.apply(target.unsafe, target, given));
        };
      }
      return Reflect.get(target, name);
    },
  });
  const end = () => {
    isOver = true;
  };
  return { transaction: transaction as unknown as Transaction, end }; // A connection that BEGIN was sent on.
}

/** A transaction in which a statement failed ends in a rollback, also where whoever ran it did not mind. */
async function commit(connection: Connection): Promise<void> {
  const { command } = await connection.unsafe('COMMIT');
  if (command !== 'COMMIT') throw new Error('a statement of the transaction had failed, and all of it was rolled back');
}

function noop(): void {}
