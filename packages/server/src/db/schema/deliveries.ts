import { index, integer, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { bytea, date, smallintArray, textArray, timestamptz } from './column-types.ts';

export const deliveries = pgTable(
  'deliveries',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    messageId: uuid('message_id').notNull(),
    route: text('route').notNull(),
    ordinals: smallintArray('ordinals').notNull(),
    attempt: integer('attempt').notNull().default(0),
    nextAt: timestamptz('next_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    leaseId: uuid('lease_id'),
    destination: text('destination').notNull().default(''),
    /** Bytes of memory that the message needs; null if they are not known. */
    bytes: integer('bytes'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('deliveries_destination').on(t.accountId, t.destination, t.nextAt).where(sql`${t.destination} <> ''`),
    index('deliveries_due').on(t.accountId, t.nextAt),
    ...accountWall(t.accountId),
  ],
);

export const capturedMessages = pgTable(
  'captured_messages',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    mailFrom: text('mail_from').notNull(),
    recipients: textArray('recipients').notNull(),
    subject: text('subject').notNull(),
    raw: bytea('raw').notNull(),
    receivedAt: timestamptz('received_at').notNull(),
    fromGiven: text('from_given'),
    messageId: uuid('message_id'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('captured_messages_newest').on(t.id),
    ...accountWall(t.accountId),
  ],
);

export const inboundReports = pgTable(
  'inbound_reports',
  {
    accountId: uuid('account_id').notNull(),
    id: uuid('id').notNull(),
    messageId: uuid('message_id'),
    kind: text('kind').notNull(),
    outcome: text('outcome').notNull(),
    day: date('day').notNull(),
    count: integer('count').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('inbound_reports_age').on(t.day),
    // NULLS NOT DISTINCT: see test/db/schema/declared-tables.ts.
    uniqueIndex('inbound_reports_counter').on(t.accountId, t.day, t.messageId, t.kind, t.outcome),
    ...accountWall(t.accountId),
  ],
);
