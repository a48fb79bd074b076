import type { Query, Sql } from './query.ts';

/**
 * Runs statements that end at once when `signal` says so. They run in a transaction, since PostgreSQL cancels whatever a connection is at when
 * the request arrives: that can only be the end of this transaction, and never a statement of the next holder of the connection.
 */
export async function runCancelable<T>(sql: Sql, signal: AbortSignal, work: (query: Query) => Promise<T>): Promise<T> {
  return await sql.begin('read only', async (transaction) => await work(transaction.until(signal)));
}
