import type { Role } from '@postrider/core';
import { check, index, pgPolicy, pgTable, primaryKey, sql, text, uniqueIndex, uuid } from '../drizzle.ts';
import { accountRole, accountWall, systemPolicy } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { timestamptz } from './column-types.ts';

export const users = pgTable(
  'users',
  {
    id: uuid('id').primaryKey(),
    email: text('email').notNull(),
    name: text('name'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    uniqueIndex('users_email').on(sql`lower(${t.email})`),
    // A user belongs to no account; an account sees the users that have a seat in it.
    pgPolicy('own_account', {
      for: 'select',
      to: accountRole,
      using: sql`EXISTS (SELECT FROM members m WHERE m.user_id = users.id)`,
    }),
    systemPolicy(),
  ],
);

export const identities = pgTable(
  'identities',
  {
    issuer: text('issuer').notNull(),
    subject: text('subject').notNull(),
    userId: uuid('user_id')
      .notNull()
      .references(() => users.id, { onDelete: 'cascade' }),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.issuer, t.subject] }), index('identities_user').on(t.userId)],
);

export const members = pgTable(
  'members',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    email: text('email').notNull(),
    name: text('name'),
    role: text('role').$type<Role>().notNull(),
    status: text('status').$type<'active' | 'invited'>().notNull(),
    joinedAt: timestamptz('joined_at'),
    userId: uuid('user_id').references(() => users.id, { onDelete: 'set null' }),
    invitedBy: text('invited_by'),
    invitedAt: timestamptz('invited_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('members_address').on(sql`lower(${t.email})`),
    uniqueIndex('members_email').on(t.accountId, sql`lower(${t.email})`),
    index('members_user').on(t.userId),
    check('members_role_check', sql`${t.role} IN ('owner', 'admin', 'developer', 'approver', 'viewer')`),
    check('members_status_check', sql`${t.status} IN ('active', 'invited')`),
    ...accountWall(t.accountId),
  ],
);
