import { boolean, index, pgTable, text, uniqueIndex, uuid } from '../drizzle.ts';
import { bytea, int8, textArray, timestamptz } from './column-types.ts';
import { users } from './users.ts';

export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    credentialId: bytea('credential_id').notNull(),
    publicKey: bytea('public_key').notNull(),
    counter: int8('counter').notNull(),
    transports: textArray('transports').notNull(),
    name: text('name').notNull(),
    backedUp: boolean('backed_up').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    lastUsedAt: timestamptz('last_used_at'),
  },
  (t) => [uniqueIndex('passkeys_credential').on(t.credentialId), index('passkeys_user').on(t.userId)],
);

export const spentChallenges = pgTable(
  'spent_challenges',
  {
    challengeHash: bytea('challenge_hash').primaryKey(),
    expiresAt: timestamptz('expires_at').notNull(),
  },
  (t) => [index('spent_challenges_expiry').on(t.expiresAt)],
);
