import { check, integer, pgTable, primaryKey, smallint, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { date, uuidArray } from './column-types.ts';

export const messageRollups = pgTable(
  'message_rollups',
  {
    accountId: uuid('account_id').notNull(),
    kind: text('kind').notNull(),
    span: smallint('span').notNull(),
    day: date('day').notNull(),
    value: text('value').notNull(),
    sent: integer('sent').notNull(),
    delivered: integer('delivered').notNull(),
    bounced: integer('bounced').notNull(),
    complained: integer('complained').notNull(),
    hard: integer('hard').notNull(),
    soft: integer('soft').notNull(),
    block: integer('block').notNull(),
    spam: integer('spam').notNull(),
    unknown: integer('unknown').notNull(),
    openTracked: integer('open_tracked').notNull(),
    opened: integer('opened').notNull(),
    clickTracked: integer('click_tracked').notNull(),
    clicked: integer('clicked').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.kind, t.span, t.day, t.value] }),
    check('message_rollups_span_check', sql`${t.span} IN (1, 4, 16)`),
    ...accountWall(t.accountId),
  ],
);

export const messageCounts = pgTable(
  'message_counts',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    flags: integer('flags').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.messageId] }), ...accountWall(t.accountId)],
);

export const countBacklog = pgTable(
  'count_backlog',
  {
    accountId: uuid('account_id').notNull(),
    messageIds: uuidArray('message_ids').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);
