import { index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { jsonb, timestamptz } from './column-types.ts';

/** One entry of what a session watches. */
export interface WatchedEntry {
  /** The state that the client was last notified of; null for what does not exist. */
  readonly state: string | null;
  /** The number of that event; 0 if there was none. */
  readonly event: number;
  /** Set when nothing more is reported. The entry remains for a client that missed the event. */
  readonly isDone?: true;
}

export type WatchedEntries = Readonly<Record<string, WatchedEntry>>;

export const mcpSessions = pgTable(
  'mcp_sessions',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    keyId: uuid('key_id').notNull(),
    revision: integer('revision').notNull().default(1),
    watched: jsonb<WatchedEntries>('watched').notNull().default(sql`'{}'`),
    event: integer('event').notNull().default(0),
    streamId: uuid('stream_id'),
    replies: jsonb<Readonly<Record<string, unknown>>>('replies').notNull().default(sql`'{}'`),
    logLevel: text('log_level'),
    seenAt: timestamptz('seen_at').notNull(),
    endedAt: timestamptz('ended_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('mcp_sessions_key').on(t.accountId, t.keyId, t.seenAt),
    ...accountWall(t.accountId),
  ],
);
