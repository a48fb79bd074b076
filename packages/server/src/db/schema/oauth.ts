import { foreignKey, index, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { bytea, jsonb, textArray, timestamptz } from './column-types.ts';
import { apiKeys } from './keys.ts';

export const accessTokens = pgTable(
  'access_tokens',
  {
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id').notNull(),
    tokenHash: bytea('token_hash').notNull(),
    scopes: textArray('scopes').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    endsAt: timestamptz('ends_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.keyId, t.tokenHash] }),
    foreignKey({ columns: [t.accountId, t.keyId], foreignColumns: [apiKeys.accountId, apiKeys.id] }).onDelete(
      'cascade',
    ),
    uniqueIndex('access_tokens_hash').on(t.tokenHash),
    index('access_tokens_end').on(t.endsAt),
    ...accountWall(t.accountId),
  ],
);

export const oauthRecords = pgTable(
  'oauth_records',
  {
    kind: text('kind').notNull(),
    idHash: bytea('id_hash').notNull(),
    payload: jsonb<Readonly<Record<string, unknown>>>('payload').notNull(),
    accountId: uuid('account_id').references(() => accounts.id, { onDelete: 'cascade' }),
    keyId: uuid('key_id'),
    createdAt: timestamptz('created_at').notNull(),
    consumedAt: timestamptz('consumed_at'),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.kind, t.idHash] }),
    index('oauth_records_key').on(t.accountId, t.keyId).where(sql`${t.accountId} IS NOT NULL`),
    index('oauth_records_expiry').on(t.expiresAt),
    index('oauth_records_kind').on(t.kind, t.expiresAt),
    ...accountWall(t.accountId),
  ],
);
