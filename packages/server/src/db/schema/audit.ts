import { pgTable, primaryKey, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { int8, jsonb, timestamptz } from './column-types.ts';

export const auditLog = pgTable(
  'audit_log',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    seq: int8('seq').notNull(),
    action: text('action').notNull(),
    actor: text('actor').notNull(),
    targetId: text('target_id'),
    details: jsonb<Readonly<Record<string, string | number | boolean | null>>>('details').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    hash: text('hash').notNull(),
    previousHash: text('previous_hash').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('audit_log_chain').on(t.accountId, t.seq),
    ...accountWall(t.accountId),
  ],
);

export const auditHeads = pgTable(
  'audit_heads',
  {
    accountId: uuid('account_id').primaryKey(),
    seq: int8('seq').notNull(),
    hash: text('hash').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);
