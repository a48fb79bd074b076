import { index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { bits, int8Array, timestamptz, uuidArray } from './column-types.ts';

export const messageSearch = pgTable(
  'message_search',
  {
    accountId: uuid('account_id').notNull(),
    messageId: uuid('message_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    facets: int8Array('facets').notNull(),
    search: text('search').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.messageId] }),
    index('message_search_facets')
      .using('gin', t.facets, sql`search_spans(${t.accountId}, ${t.messageId})`)
      .with({ gin_pending_list_limit: 128 }),
    index('message_search_text').using('gin', t.search.op('gin_trgm_ops')).with({ gin_pending_list_limit: 1024 }),
    ...accountWall(t.accountId),
  ],
);

export const searchBacklog = pgTable(
  'search_backlog',
  {
    accountId: uuid('account_id').notNull(),
    messageIds: uuidArray('message_ids').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);

export const searchPairs = pgTable(
  'search_pairs',
  {
    accountId: uuid('account_id').notNull(),
    span: integer('span').notNull(),
    pairs: bits('pairs').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.span] }), ...accountWall(t.accountId)],
);
