import { boolean, check, foreignKey, index, integer, pgTable, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { bytea, timestamptz, timestamptzArray } from './column-types.ts';
import { passkeys } from './passkeys.ts';
import { members, users } from './users.ts';

export type SessionKind = 'cookie' | 'device';

export const sessions = pgTable(
  'sessions',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    accountId: uuid('account_id').notNull(),
    memberId: uuid('member_id').notNull(),
    kind: text('kind').$type<SessionKind>().notNull(),
    tokenHash: bytea('token_hash').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    seenAt: timestamptz('seen_at').notNull(),
    mayDecide: boolean('may_decide').notNull().default(false),
    client: text('client'),
    address: text('address'),
    passkeyId: uuid('passkey_id').references(() => passkeys.id, { onDelete: 'cascade' }),
  },
  (t) => [
    foreignKey({ columns: [t.accountId, t.memberId], foreignColumns: [members.accountId, members.id] }).onDelete(
      'cascade',
    ),
    index('sessions_passkey').on(t.passkeyId).where(sql`${t.passkeyId} IS NOT NULL`),
    index('sessions_seat').on(t.accountId, t.memberId),
    uniqueIndex('sessions_token').on(t.tokenHash),
    index('sessions_user').on(t.userId),
    check('sessions_kind_check', sql`${t.kind} IN ('cookie', 'device')`),
    ...accountWall(t.accountId),
  ],
);

export const magicLinks = pgTable(
  'magic_links',
  {
    tokenHash: bytea('token_hash').primaryKey(),
    browserHash: bytea('browser_hash').notNull(),
    email: text('email').notNull(),
    next: text('next'),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [index('magic_links_email').on(sql`lower(${t.email})`, t.createdAt)],
);

export const deviceCodes = pgTable(
  'device_codes',
  {
    codeHash: bytea('code_hash').primaryKey(),
    userCode: text('user_code').notNull(),
    intervalSeconds: integer('interval_seconds').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    polledAt: timestamptz('polled_at'),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'cascade' }),
    accountId: uuid('account_id'),
    memberId: uuid('member_id'),
    client: text('client').notNull(),
    address: text('address').notNull(),
    mayDecide: boolean('may_decide').notNull().default(false),
  },
  (t) => [
    foreignKey({ columns: [t.accountId, t.memberId], foreignColumns: [members.accountId, members.id] }).onDelete(
      'cascade',
    ),
    uniqueIndex('device_codes_user_code').on(t.userCode),
    ...accountWall(t.accountId),
  ],
);

/** Tries of device codes (`user:`, `client:`), and sign-in links that were mailed (`link:`, `link-browser:`). */
export const codeTries = pgTable(
  'code_tries',
  {
    triedBy: text('tried_by').primaryKey(),
    triedAt: timestamptzArray('tried_at').notNull(),
    lastAt: timestamptz('last_at').notNull(),
  },
  (t) => [index('code_tries_last').on(t.lastAt)],
);
