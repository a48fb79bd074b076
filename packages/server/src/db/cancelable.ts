import type { Query, Sql } from './query.ts';

/**
 * Runs statements that end as soon as `signal` is aborted. They run in a transaction, because PostgreSQL cancels whatever the connection is
 * running when the request arrives. At worst that is the end of this transaction, never a statement of the connection's next user.
 */
export async function runCancelable<T>(sql: Sql, signal: AbortSignal, work: (query: Query) => Promise<T>): Promise<T> {
  return await sql.begin('read only', async (transaction) => await work(transaction.until(signal)));
}
