import type { QueryResult, Run } from './query-result.ts';

/** Where statements run: a pool, a pool bound to an account, or a transaction. */
export interface Query {
  readonly run: Run;
}

/** One connection, from BEGIN to COMMIT. It rejects later statements. */
export interface Transaction extends Query {
  /**
   * The same transaction, but its statements end as soon as the signal is aborted. They are rejected with SQLSTATE 57014, or with the
   * signal's reason if nothing had been sent.
   */
  until(signal: AbortSignal): Query;
  /** Runs work in a savepoint. If it fails, its changes are rolled back and the transaction continues. */
  savepoint<T>(work: TransactionWork<T>): Promise<T>;
}

export type TransactionWork<T> = (transaction: Transaction) => T | Promise<T>;

/** A pool, or a pool bound to an account. */
export interface Sql extends Query {
  /** Runs work in its own transaction, which is rolled back if the work or one of its statements fails. */
  begin<T>(work: TransactionWork<T>): Promise<T>;
  begin<T>(mode: TransactionMode, work: TransactionWork<T>): Promise<T>;
  /**
   * Runs statements in one transaction that takes one round trip: BEGIN, the statements and COMMIT are sent together, so locks are held no
   * longer than the database needs. If PostgreSQL rejects a statement, it rejects those after it too, and commits nothing.
   *
   * The driver sends a prepared statement again if its plan is no longer valid, which is after the end of this transaction. A statement that must
   * not run alone needs the condition `IS_TOGETHER`.
   * @param work sends all its statements before it waits for a response
   */
  together<T>(work: (query: Query) => Promise<T>): Promise<T>;
}

export type TransactionMode = 'read only' | 'isolation level repeatable read read only';

/** A connection that only its current user sends statements on. */
export interface Connection {
  run<Row>(
    text: string,
    parameters?: readonly unknown[],
    options?: { readonly signal?: AbortSignal | undefined; readonly isRaw?: true | undefined },
  ): Promise<QueryResult<Row>>;
  release(): void;
}

declare const BOUND: unique symbol;
/** A pool that can only work for one account, whatever a statement asks for. Only `bindAccount` creates it. */
export type AccountSql = Sql & { readonly [BOUND]: true };
