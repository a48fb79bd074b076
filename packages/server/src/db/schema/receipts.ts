import { foreignKey, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { approvals } from './approvals.ts';
import { bytea, timestamptz } from './column-types.ts';

export const approvalReceipts = pgTable(
  'approval_receipts',
  {
    accountId: uuid('account_id').notNull(),
    approvalId: uuid('approval_id').notNull(),
    receipt: text('receipt').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.approvalId] }),
    foreignKey({ columns: [t.accountId, t.approvalId], foreignColumns: [approvals.accountId, approvals.id] }).onDelete(
      'cascade',
    ),
    ...accountWall(t.accountId),
  ],
);

export const receiptKeys = pgTable(
  'receipt_keys',
  {
    id: uuid('id').primaryKey(),
    sealed: bytea('sealed').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    retiredAt: timestamptz('retired_at'),
  },
  (t) => [uniqueIndex('receipt_keys_current').on(sql`(${t.retiredAt} IS NULL)`).where(sql`${t.retiredAt} IS NULL`)],
);
