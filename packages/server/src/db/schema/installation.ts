import { index, integer, pgTable, primaryKey, smallint, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { timestamptz } from './column-types.ts';

export const installation = pgTable('installation', {
  name: text('name').primaryKey(),
  value: text('value').notNull(),
});

export const schemaMigrations = pgTable('schema_migrations', {
  name: text('name').primaryKey(),
  checksum: text('checksum').notNull(),
  appliedAt: timestamptz('applied_at').notNull().default(sql`now()`),
});

export const workerHeartbeats = pgTable('worker_heartbeats', {
  workerId: text('worker_id').primaryKey(),
  seenAt: timestamptz('seen_at').notNull(),
});

export const requestLog = pgTable(
  'request_log',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    requestId: text('request_id').notNull(),
    method: text('method').notNull(),
    path: text('path').notNull(),
    status: smallint('status').notNull(),
    code: text('code'),
    durationMs: integer('duration_ms').notNull(),
    keyId: uuid('key_id'),
    emailId: uuid('email_id'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('request_log_age').using('brin', t.createdAt),
    // Other request ids are also the id of the entry.
    index('request_log_chosen_id').on(t.accountId, t.requestId).where(sql`${t.requestId} <> ${t.id}::text`),
    ...accountWall(t.accountId),
  ],
);
