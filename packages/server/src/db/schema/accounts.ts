import type { ReputationLevel } from '@postrider/core';
import { boolean, check, index, integer, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { date, timestamptz } from './column-types.ts';

export const accounts = pgTable(
  'accounts',
  {
    id: uuid('id').primaryKey(),
    name: text('name').notNull(),
    plan: text('plan').notNull().default('self_hosted'),
    monthlyQuota: integer('monthly_quota'),
    suspendedAt: timestamptz('suspended_at'),
    createdAt: timestamptz('created_at').notNull(),
    trackOpens: boolean('track_opens').notNull().default(false),
    trackClicks: boolean('track_clicks').notNull().default(false),
    pausedAt: timestamptz('paused_at'),
    reputationLevel: text('reputation_level').$type<ReputationLevel>().notNull().default('good'),
    reputationFrom: date('reputation_from'),
    deletionScheduledAt: timestamptz('deletion_scheduled_at'),
    erasingAt: timestamptz('erasing_at'),
    approvalHours: integer('approval_hours').notNull().default(72),
    pausedBy: uuid('paused_by'),
    approvalsNeedPasskey: boolean('approvals_need_passkey').notNull().default(false),
    approvalsNeeded: integer('approvals_needed').notNull().default(1),
  },
  (t) => [
    index('accounts_deletion').on(t.deletionScheduledAt).where(sql`${t.deletionScheduledAt} IS NOT NULL`),
    check('accounts_approvals_needed_check', sql`${t.approvalsNeeded} BETWEEN 1 AND 5`),
    check('accounts_approval_hours_check', sql`${t.approvalHours} BETWEEN 1 AND 720`),
    check('accounts_monthly_quota_check', sql`${t.monthlyQuota} >= 0`),
    check('accounts_reputation_level_check', sql`${t.reputationLevel} IN ('good', 'watch', 'at_risk', 'suspended')`),
    ...accountWall(t.id),
  ],
);

export const quotaUsage = pgTable(
  'quota_usage',
  {
    accountId: uuid('account_id').notNull(),
    month: date('month').notNull(),
    used: integer('used').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.month] }), ...accountWall(t.accountId)],
);

export const quotaNotices = pgTable(
  'quota_notices',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    month: date('month').notNull(),
    threshold: integer('threshold').notNull(),
    toldAt: timestamptz('told_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.month, t.threshold] }), ...accountWall(t.accountId)],
);
