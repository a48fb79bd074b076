import type { AccountSql, Pool, Query, Sql, Transaction } from '../../packages/server/src/db/client.ts';

export type TaggedQuery = Query;
export type TaggedTransaction = Transaction;
export type TaggedSql = Sql;
export type TaggedPool = Pool;
export type TaggedAccountSql = AccountSql;

/** The same object as a tag of templates. */
export function tagged<Own extends Query>(own: Own): Own {
  return own;
}
