import type { SuppressionReason } from '@postrider/core';
import { check, index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { timestamptz } from './column-types.ts';

export const suppressions = pgTable(
  'suppressions',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    email: text('email').notNull(),
    reason: text('reason').$type<SuppressionReason>().notNull(),
    emailId: uuid('email_id'),
    note: text('note'),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('suppressions_email').on(t.accountId, t.email),
    index('suppressions_expiry').on(t.expiresAt).where(sql`${t.expiresAt} IS NOT NULL`),
    check('suppressions_reason_check', sql`${t.reason} IN ('hard_bounce', 'complaint', 'unsubscribe', 'manual')`),
    ...accountWall(t.accountId),
  ],
);
