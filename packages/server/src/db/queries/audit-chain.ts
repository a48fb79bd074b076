import type { Query, Sql, Transaction } from '../client.ts';

/** An entry with all its fields as text. */
interface ChainedEntryRow {
  readonly accountId: string;
  readonly id: string;
  readonly seq: string;
  readonly action: string;
  readonly actor: string;
  readonly targetId: string | null;
  /** In microseconds, UTC. */
  readonly createdAt: string;
  /** As Postgres writes its JSON. */
  readonly details: string;
  readonly hash: string;
  readonly previousHash: string;
}

/** Where an account's chain is recorded to end. */
interface ChainHeadRow {
  readonly seq: string;
  readonly hash: string;
}

/** The accounts that have a chain, or of which it is recorded that they have one. */
export async function readChainedAccounts(query: Query): Promise<readonly string[]> {
  const rows = await query<{ accountId: string }[]>`
    SELECT account_id AS "accountId" FROM audit_heads UNION SELECT DISTINCT account_id FROM audit_log ORDER BY 1`;
  return rows.map(({ accountId }) => accountId);
}

const ENTRIES_AT_ONCE = 2_000;

/**
 * Reads one account's chain as it is at one moment: its recorded end, and all entries in order, a part at a time. The hashes are computed by
 * whoever reads them, since a database that was tampered with may compute what it likes.
 */
export async function readChain<T>(
  sql: Sql,
  accountId: string,
  work: (head: ChainHeadRow | null, parts: AsyncIterable<readonly ChainedEntryRow[]>) => Promise<T>,
): Promise<T> {
  // What the transaction answers is what `work` did; the driver's type unwraps arrays of promises, which it is not.
  return (await sql.begin('isolation level repeatable read read only', async (transaction) => {
    const [head] = await transaction<ChainHeadRow[]>`
      SELECT seq::text AS seq, hash FROM audit_heads WHERE account_id = ${accountId}`;
    return await work(head ?? null, readParts(transaction, accountId));
  })) as T;
}

async function* readParts(transaction: Transaction, accountId: string): AsyncGenerator<readonly ChainedEntryRow[]> {
  let after: ChainedEntryRow | undefined;
  do {
    const part: readonly ChainedEntryRow[] = await transaction<ChainedEntryRow[]>`
      SELECT account_id::text AS "accountId", id::text AS id, seq::text AS seq, action, actor, target_id AS "targetId",
        to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAt", details::text AS details, hash,
        previous_hash AS "previousHash"
      FROM audit_log l WHERE l.account_id = ${accountId}
        ${after === undefined ? transaction`` : transaction`AND (l.seq, l.id) > (${after.seq}::bigint, ${after.id}::uuid)`}
      ORDER BY l.seq, l.id LIMIT ${ENTRIES_AT_ONCE}`;
    yield part;
    after = part.length === ENTRIES_AT_ONCE ? part.at(-1) : undefined;
  } while (after !== undefined);
}
