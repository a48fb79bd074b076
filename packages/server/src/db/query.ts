import type { QueryResult, Run } from './query-result.ts';

/** Where statements run: a pool, a pool that is bound to an account, or a transaction. */
export interface Query {
  readonly run: Run;
}

/** One connection, from BEGIN to COMMIT. It refuses what comes later. */
export interface Transaction extends Query {
  /** The same transaction, of which each statement ends as soon as the signal says so: rejected then with SQLSTATE 57014, or the signal's reason where nothing was sent yet. */
  until(signal: AbortSignal): Query;
  /** Work of which nothing stays where it fails; the transaction itself goes on. */
  savepoint<T>(work: TransactionWork<T>): Promise<T>;
}

export type TransactionWork<T> = (transaction: Transaction) => T | Promise<T>;

/** A pool, or one that is bound to an account. */
export interface Sql extends Query {
  /** Runs work in a transaction of its own, which is rolled back where the work or one of its statements fails. */
  begin<T>(work: TransactionWork<T>): Promise<T>;
  begin<T>(mode: TransactionMode, work: TransactionWork<T>): Promise<T>;
}

export type TransactionMode = 'read only' | 'isolation level repeatable read read only';

/** A connection that only its holder sends statements on. */
export interface Connection {
  run<Row>(text: string, parameters?: readonly unknown[], signal?: AbortSignal): Promise<QueryResult<Row>>;
  release(): void;
}

declare const BOUND: unique symbol;
/** A pool that works for one account only, whatever a statement asks for: made by `bindAccount`, and by nothing else. */
export type AccountSql = Sql & { readonly [BOUND]: true };
