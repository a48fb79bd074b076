import type { ApprovalMode, HoldWhen, KeyMode, Scope, Source } from '@postrider/core';
import {
  boolean,
  check,
  doublePrecision,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
  uuid,
} from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { bytea, jsonb, textArray, timestamptz, uuidArray } from './column-types.ts';

export const apiKeys = pgTable(
  'api_keys',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    mode: text('mode').$type<KeyMode>().notNull(),
    secretHash: bytea('secret_hash').notNull(),
    last4: text('last4').notNull(),
    scopes: textArray<Scope>('scopes').notNull(),
    recipientAllowlist: textArray('recipient_allowlist'),
    personaAgentName: text('persona_agent_name'),
    personaSource: text('persona_source').$type<Source>(),
    createdAt: timestamptz('created_at').notNull(),
    lastUsedAt: timestamptz('last_used_at'),
    expiresAt: timestamptz('expires_at'),
    revokedAt: timestamptz('revoked_at'),
    rateLimit: integer('rate_limit').notNull().default(600),
    ipAllowlist: textArray('ip_allowlist'),
    approvalMode: text('approval_mode').$type<ApprovalMode>().notNull().default('off'),
    holdWhen: jsonb<HoldWhen>('hold_when'),
    lockPersona: boolean('lock_persona').notNull().default(false),
    hourlySends: integer('hourly_sends'),
    dailySends: integer('daily_sends'),
    pausedAt: timestamptz('paused_at'),
    expiryToldAt: timestamptz('expiry_told_at'),
    createdByKey: uuid('created_by_key'),
    createdByMember: uuid('created_by_member'),
    isSeat: boolean('is_seat').notNull().default(false),
    version: integer('version').notNull().default(1),
    pausedBy: uuid('paused_by'),
    heldSince: timestamptz('held_since'),
    attachmentHosts: textArray('attachment_hosts'),
    makers: uuidArray('makers').notNull().default(sql`'{}'`),
    clientId: text('client_id'),
    clientName: text('client_name'),
    signIn: integer('sign_in').notNull().default(0),
    approvalsNeedPasskey: boolean('approvals_need_passkey').notNull().default(false),
    approvalsNeeded: integer('approvals_needed').notNull().default(1),
    approverIds: uuidArray('approver_ids'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('api_keys_clients').on(t.accountId, t.createdByMember).where(sql`${t.clientId} IS NOT NULL`),
    check('api_keys_client_check', sql`${t.clientId} IS NULL OR ${t.createdByMember} IS NOT NULL`),
    index('api_keys_expiry')
      .on(t.expiresAt)
      .where(sql`${t.expiresAt} IS NOT NULL AND ${t.expiryToldAt} IS NULL AND ${t.revokedAt} IS NULL`),
    uniqueIndex('api_keys_secret_hash').on(t.secretHash),
    check('api_keys_approval_mode_check', sql`${t.approvalMode} IN ('off', 'always', 'policy')`),
    check('api_keys_approvals_needed_check', sql`${t.approvalsNeeded} BETWEEN 1 AND 5`),
    check('api_keys_daily_sends_check', sql`${t.dailySends} > 0`),
    check('api_keys_hourly_sends_check', sql`${t.hourlySends} > 0`),
    check('api_keys_mode_check', sql`${t.mode} IN ('live', 'test')`),
    check('api_keys_rate_limit_check', sql`${t.rateLimit} BETWEEN 1 AND 1000000`),
    ...accountWall(t.accountId),
  ],
);

export const retiredKeySecrets = pgTable(
  'retired_key_secrets',
  {
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id').notNull(),
    secretHash: bytea('secret_hash').notNull(),
    last4: text('last4').notNull(),
    endsAt: timestamptz('ends_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.keyId, t.secretHash] }),
    foreignKey({ columns: [t.accountId, t.keyId], foreignColumns: [apiKeys.accountId, apiKeys.id] }).onDelete(
      'cascade',
    ),
    uniqueIndex('retired_key_secrets_hash').on(t.secretHash),
    ...accountWall(t.accountId),
  ],
);

export const keyRates = pgTable(
  'key_rates',
  {
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id').notNull(),
    used: doublePrecision('used').notNull(),
    asOf: timestamptz('as_of').notNull(),
    lentUntil: timestamptz('lent_until').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.keyId] }),
    foreignKey({ columns: [t.accountId, t.keyId], foreignColumns: [apiKeys.accountId, apiKeys.id] }).onDelete(
      'cascade',
    ),
    ...accountWall(t.accountId),
  ],
);

export const keySends = pgTable(
  'key_sends',
  {
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id').notNull(),
    period: text('period').$type<'hour' | 'day'>().notNull(),
    startsAt: timestamptz('starts_at').notNull(),
    sends: integer('sends').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.keyId, t.period] }),
    foreignKey({ columns: [t.accountId, t.keyId], foreignColumns: [apiKeys.accountId, apiKeys.id] }).onDelete(
      'cascade',
    ),
    check('key_sends_period_check', sql`${t.period} IN ('hour', 'day')`),
    ...accountWall(t.accountId),
  ],
);
