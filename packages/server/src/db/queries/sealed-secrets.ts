import type { Query, Sql } from '../client.ts';

/** Every column that holds envelopes of the secret box. */
export const SEALED_COLUMNS = [
  { kind: 'dkimKeys', table: 'dkim_keys', column: 'private_key' },
  { kind: 'webhookSecrets', table: 'webhook_endpoints', column: 'secret' },
  { kind: 'webhookSecrets', table: 'webhook_endpoints', column: 'previous_secret' },
] as const;

export type SealedColumn = (typeof SEALED_COLUMNS)[number];
export type SealedKind = SealedColumn['kind'];

export interface SealedRow {
  readonly accountId: string;
  readonly id: string;
  readonly envelope: Uint8Array;
}

/** The next rows of a column in the order of the primary key; `after` is the last one before them. */
export async function readSealedRows(
  query: Query,
  { table, column }: SealedColumn,
  after: Pick<SealedRow, 'accountId' | 'id'> | null,
  limit: number,
): Promise<readonly SealedRow[]> {
  const from = after === null ? query`` : query`AND (account_id, id) > (${after.accountId}, ${after.id})`;
  return await query<SealedRow[]>`
    SELECT account_id AS "accountId", id, ${query(column)} AS envelope FROM ${query(table)}
    WHERE ${query(column)} IS NOT NULL ${from} ORDER BY account_id, id LIMIT ${limit}`;
}

/** False where the row has another envelope by now, which is left alone. What an endpoint is known by in memory stays: its secret is the same. */
export async function replaceEnvelope(
  query: Query,
  { table, column }: SealedColumn,
  { accountId, id, envelope }: SealedRow,
  replacement: Uint8Array,
): Promise<boolean> {
  const { count } = await query`
    UPDATE ${query(table)} SET ${query(column)} = ${replacement}
    WHERE account_id = ${accountId} AND id = ${id} AND ${query(column)} = ${envelope}`;
  return count > 0;
}

/** Waits for its turn, and keeps every other rotation out meanwhile: the work is done on other connections, and is kept as it goes. */
export async function holdRotationLock<T>(sql: Sql, work: () => Promise<T>): Promise<T> {
  const held = await sql.begin(async (transaction) => {
    await transaction`SELECT pg_advisory_xact_lock(hashtext('postrider.secrets'))`;
    return { result: await work() };
  });
  return held.result as T; // The driver's type of what a transaction answers unwraps arrays of promises; this is none.
}
