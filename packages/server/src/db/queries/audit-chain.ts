import type { Query, Sql, Transaction } from '../client.ts';
import { sql } from '../drizzle.ts';
import { pg, returning } from '../result.ts';
import { auditHeads, auditLog } from '../schema/audit.ts';
import { defineStatement, optional, type RowOf, value } from '../statement.ts';

const readAccounts = defineStatement({}, () =>
  returning(
    { accountId: pg.uuid },
    sql`SELECT account_id AS "accountId" FROM audit_heads UNION SELECT DISTINCT account_id FROM audit_log ORDER BY 1`,
  ),
);

/** The accounts that have a chain, or of which it is recorded that they have one. */
export async function readChainedAccounts(query: Query): Promise<readonly string[]> {
  return (await readAccounts(query, {})).map(({ accountId }) => accountId);
}

const readHead = defineStatement({ accountId: auditHeads.accountId }, ({ accountId }) =>
  returning(
    { seq: auditHeads.seq, hash: auditHeads.hash },
    sql`SELECT seq, hash FROM audit_heads WHERE account_id = ${accountId}`,
  ),
);

/** Where an account's chain is recorded to end. */
type ChainHeadRow = RowOf<typeof readHead>;

const readPart = defineStatement(
  {
    ...{ accountId: auditLog.accountId, limit: value<number>() },
    ...{ afterSeq: optional(auditLog.seq), afterId: optional(auditLog.id) },
  },
  ({ accountId, afterSeq, afterId, limit }) =>
    returning(
      {
        ...{ accountId: auditLog.accountId, id: auditLog.id, seq: auditLog.seq, action: auditLog.action },
        ...{ actor: auditLog.actor, targetId: auditLog.targetId },
        /** In microseconds, UTC. */
        createdAt: pg.text,
        /** As PostgreSQL writes its JSON. */
        details: pg.text,
        ...{ hash: auditLog.hash, previousHash: auditLog.previousHash },
      },
      sql`
        SELECT account_id AS "accountId", id, seq, action, actor, target_id AS "targetId",
          to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS "createdAt", details::text AS details, hash,
          previous_hash AS "previousHash"
        FROM audit_log l WHERE l.account_id = ${accountId}
          ${afterSeq && afterId && sql`AND (l.seq, l.id) > (${afterSeq}, ${afterId})`}
        ORDER BY l.seq, l.id LIMIT ${limit}`,
    ),
);

/** An entry with all its fields as text. */
type ChainedEntryRow = RowOf<typeof readPart>;

const ENTRIES_AT_ONCE = 2_000;

/**
 * Reads one account's chain as it is at one moment: its recorded end, and all entries in order, a part at a time. The hashes are computed by
 * the reader, since a database that was tampered with may compute what it likes.
 */
export async function readChain<T>(
  pool: Sql,
  accountId: string,
  work: (head: ChainHeadRow | null, parts: AsyncIterable<readonly ChainedEntryRow[]>) => Promise<T>,
): Promise<T> {
  // What the transaction returns is what `work` did; the driver's type unwraps arrays of promises, which it is not.
  return (await pool.begin('isolation level repeatable read read only', async (transaction) => {
    const [head] = await readHead(transaction, { accountId });
    return await work(head ?? null, readParts(transaction, accountId));
  })) as T;
}

async function* readParts(transaction: Transaction, accountId: string): AsyncGenerator<readonly ChainedEntryRow[]> {
  let after: ChainedEntryRow | undefined;
  do {
    const [afterSeq, afterId] = [after?.seq ?? null, after?.id ?? null];
    const part = await readPart(transaction, { accountId, afterSeq, afterId, limit: ENTRIES_AT_ONCE });
    yield part;
    after = part.length === ENTRIES_AT_ONCE ? part.at(-1) : undefined;
  } while (after !== undefined);
}
