import { builder, named } from '../builder.ts';
import type { Query } from '../client.ts';
import { and, desc, eq, isNull, sql } from '../drizzle.ts';
import { executing, returning } from '../result.ts';
import { approvals } from '../schema/approvals.ts';
import { approvalReceipts, receiptKeys } from '../schema/receipts.ts';
import { members } from '../schema/users.ts';
import { defineStatement, type RowOf } from '../statement.ts';

const insert = defineStatement(
  {
    accountId: approvalReceipts.accountId,
    approvalId: approvalReceipts.approvalId,
    receipt: approvalReceipts.receipt,
    createdAt: approvalReceipts.createdAt,
  },
  (row) => builder.insert(approvalReceipts).values(row),
);

/** Stores the receipt of a decision. A hold has at most one. */
export async function insertReceipt(
  transaction: Query,
  { accountId, id: approvalId }: { readonly accountId: string; readonly id: string },
  receipt: string,
  now: Date,
): Promise<void> {
  await insert(transaction, { accountId, approvalId, receipt, createdAt: now });
}

const listUnsigned = defineStatement({}, () =>
  returning(
    { accountId: approvals.accountId, id: approvals.id, decidedBy: approvals.decidedBy },
    sql`
      SELECT h.account_id AS "accountId", h.id, h.decided_by AS "decidedBy" FROM approvals h
      WHERE h.status = 'approved' AND h.outcome = 'queued'
        AND EXISTS (SELECT FROM deliveries d WHERE d.account_id = h.account_id AND d.message_id = h.message_id)
        AND NOT EXISTS (SELECT FROM approval_receipts p WHERE p.account_id = h.account_id AND p.approval_id = h.id)
      ORDER BY h.account_id, h.id`,
  ),
);

/** Approved holds whose message waits for its delivery, without a receipt. */
export async function listWithoutReceipt(query: Query): Promise<readonly RowOf<typeof listUnsigned>[]> {
  return await listUnsigned(query, {});
}

const readEmail = defineStatement({ accountId: members.accountId, id: members.id }, ({ accountId, id }) =>
  builder
    .select(named({ email: members.email }))
    .from(members)
    .where(and(eq(members.accountId, accountId), eq(members.id, id))),
);

/** The current address of a member; null if the account has no such member. */
export async function readMemberEmail(query: Query, accountId: string, id: string): Promise<string | null> {
  const [row] = await readEmail(query, { accountId, id });
  return row?.email ?? null;
}

const listKeys = defineStatement({}, () =>
  builder
    .select(named({ id: receiptKeys.id, sealed: receiptKeys.sealed, retiredAt: receiptKeys.retiredAt }))
    .from(receiptKeys)
    .orderBy(desc(receiptKeys.id)),
);

export type ReceiptKeyRow = RowOf<typeof listKeys>;

/** All keys that sign or signed receipts, the newest first. */
export async function listReceiptKeys(query: Query): Promise<readonly ReceiptKeyRow[]> {
  return await listKeys(query, {});
}

const NEW_KEY = { id: receiptKeys.id, sealed: receiptKeys.sealed, now: receiptKeys.createdAt };

const insertKey = defineStatement(NEW_KEY, ({ id, sealed, now }) =>
  executing(sql`
    INSERT INTO receipt_keys (id, sealed, created_at) VALUES (${id}, ${sealed}, ${now})
    ON CONFLICT ((retired_at IS NULL)) WHERE retired_at IS NULL DO NOTHING`),
);

type NewKey = Pick<typeof receiptKeys.$inferSelect, 'id' | 'sealed'> & { readonly now: Date };

/** Adds the signing key, unless another process was faster. */
export async function insertReceiptKey(query: Query, key: NewKey): Promise<void> {
  await insertKey(query, key);
}

const lockCurrent = defineStatement({}, () =>
  builder
    .select(named({ id: receiptKeys.id, sealed: receiptKeys.sealed }))
    .from(receiptKeys)
    .where(isNull(receiptKeys.retiredAt))
    .for('update'),
);

/** Locks the key that signs; null if there is none yet. */
export async function lockSigningKey(transaction: Query): Promise<RowOf<typeof lockCurrent> | null> {
  const [row] = await lockCurrent(transaction, {});
  return row ?? null;
}

const retire = defineStatement(NEW_KEY, ({ id, sealed, now }) =>
  builder.update(receiptKeys).set({ sealed, retiredAt: now }).where(eq(receiptKeys.id, id)),
);

/** Replaces a key with its public half, which stays. */
export async function retireReceiptKey(transaction: Query, key: NewKey): Promise<void> {
  await retire(transaction, key);
}
