import type { TicketStatus } from '@postrider/core';
import { check, foreignKey, integer, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { int8, json, timestamptz } from './column-types.ts';

export const supportTickets = pgTable(
  'support_tickets',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    number: int8('number').notNull().generatedAlwaysAsIdentity(),
    status: text('status').$type<TicketStatus>().notNull(),
    subject: text('subject').notNull(),
    keyId: uuid('key_id').notNull(),
    context: json<Readonly<Record<string, unknown>>>('context').notNull(),
    requestId: text('request_id'),
    requestLog: json<Readonly<Record<string, unknown>>>('request_log'),
    emailId: uuid('email_id'),
    emailTrail: json<Readonly<Record<string, unknown>>>('email_trail'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    uniqueIndex('support_tickets_number').on(t.number),
    check('support_tickets_status_check', sql`${t.status} IN ('open', 'pending', 'solved', 'closed')`),
    ...accountWall(t.accountId),
  ],
);

export const supportMessages = pgTable(
  'support_messages',
  {
    accountId: uuid('account_id').notNull(),
    ticketId: uuid('ticket_id').notNull(),
    seq: integer('seq').notNull(),
    author: text('author').$type<'customer' | 'support'>().notNull(),
    keyId: uuid('key_id'),
    body: text('body').notNull(),
    mailedTo: text('mailed_to'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.ticketId, t.seq] }),
    foreignKey({
      columns: [t.accountId, t.ticketId],
      foreignColumns: [supportTickets.accountId, supportTickets.id],
    }).onDelete('cascade'),
    check('support_messages_author_check', sql`${t.author} IN ('customer', 'support')`),
    ...accountWall(t.accountId),
  ],
);
