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

/** Returns the accounts that have a chain, and those with a recorded chain end. */
export async function readChainedAccounts(query: Query): Promise<readonly string[]> {
  return (await readAccounts(query, {})).map(({ accountId }) => accountId);
}

const readHead = defineStatement({ accountId: auditHeads.accountId }, ({ accountId }) =>
  returning(
    { seq: auditHeads.seq, hash: auditHeads.hash },
    sql`SELECT seq, hash FROM audit_heads WHERE account_id = ${accountId}`,
  ),
);

/** The recorded end of an account's chain. */
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
        /** UTC, with microseconds. */
        createdAt: pg.text,
        /** In PostgreSQL's own JSON formatting. */
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
 * Reads one account's chain from a single snapshot: its recorded end and all its entries in order, in parts. The caller computes the
 * hashes, because a compromised database could return forged ones.
 */
export async function readChain<T>(
  pool: Sql,
  accountId: string,
  work: (head: ChainHeadRow | null, parts: AsyncIterable<readonly ChainedEntryRow[]>) => Promise<T>,
): Promise<T> {
  // The transaction returns exactly what `work` returned. The driver's type would unwrap an array of promises, which it is not.
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
