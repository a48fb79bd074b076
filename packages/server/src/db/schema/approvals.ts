import type { ApprovalStatus, EditableField, HoldReason, Problem, RejectCode } from '@postrider/core';
import {
  boolean,
  check,
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
import { bytea, jsonb, textArray, timestamptz, timestamptzArray } from './column-types.ts';

/** By field: its previous value and its new value. */
export type FieldChanges = Readonly<
  Partial<Record<EditableField, { readonly before: unknown; readonly after: unknown }>>
>;

export type ApprovalEventType =
  | 'requested'
  | 'edited'
  | 'voted'
  | 'approved'
  | 'rejected'
  | 'expired'
  | 'withdrawn'
  | 'canceled'
  | 'rescheduled'
  | 'reminded';

export const approvals = pgTable(
  'approvals',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    messageId: uuid('message_id').notNull(),
    keyId: uuid('key_id').notNull(),
    status: text('status').$type<ApprovalStatus>().notNull(),
    reasons: textArray<HoldReason>('reasons').notNull(),
    revision: integer('revision').notNull().default(1),
    contentHash: text('content_hash').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    expiresAt: timestamptz('expires_at').notNull(),
    remindAt: timestamptz('remind_at'),
    toldAt: timestamptz('told_at'),
    decidedAt: timestamptz('decided_at'),
    decidedBy: text('decided_by'),
    note: text('note'),
    rejectCode: text('reject_code').$type<RejectCode>(),
    edited: textArray<EditableField>('edited').notNull().default(sql`'{}'`),
    outcome: text('outcome').$type<'queued' | 'failed'>(),
    problem: jsonb<Problem>('problem'),
    charged: integer('charged').notNull().default(0),
    heldContentHash: text('held_content_hash'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('approvals_due').on(sql`least(${t.expiresAt}, ${t.remindAt})`).where(sql`${t.status} = 'pending'`),
    index('approvals_key').on(t.accountId, t.keyId, t.id),
    uniqueIndex('approvals_message').on(t.accountId, t.messageId),
    index('approvals_pending').on(t.accountId, t.keyId).where(sql`${t.status} = 'pending'`),
    // INCLUDE (charged): see test/db/schema/declared-tables.ts.
    index('approvals_reserved').on(t.accountId).where(sql`${t.status} = 'pending'`),
    index('approvals_status').on(t.accountId, t.status, t.id),
    index('approvals_untold').on(t.createdAt).where(sql`${t.status} = 'pending' AND ${t.toldAt} IS NULL`),
    check('approvals_outcome_check', sql`${t.outcome} IN ('queued', 'failed')`),
    check(
      'approvals_reject_code_check',
      sql`${t.rejectCode} IN ('wrong_recipient', 'wrong_content', 'not_needed', 'policy', 'other')`,
    ),
    check('approvals_status_check', sql`${t.status} IN ('pending', 'approved', 'rejected', 'expired', 'withdrawn')`),
    ...accountWall(t.accountId),
  ],
);

export const approvalRevisions = pgTable(
  'approval_revisions',
  {
    accountId: uuid('account_id').notNull(),
    approvalId: uuid('approval_id').notNull(),
    revision: integer('revision').notNull(),
    changes: jsonb<FieldChanges>('changes').notNull(),
    actor: text('actor').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.approvalId, t.revision] }),
    foreignKey({ columns: [t.accountId, t.approvalId], foreignColumns: [approvals.accountId, approvals.id] }).onDelete(
      'cascade',
    ),
    ...accountWall(t.accountId),
  ],
);

export const approvalEvents = pgTable(
  'approval_events',
  {
    accountId: uuid('account_id').notNull(),
    approvalId: uuid('approval_id').notNull(),
    id: uuid('id').notNull(),
    type: text('type').$type<ApprovalEventType>().notNull(),
    actor: text('actor').notNull(),
    way: text('way').notNull(),
    address: text('address'),
    requestId: text('request_id'),
    hashBefore: text('hash_before'),
    hashAfter: text('hash_after'),
    detail: text('detail'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.approvalId, t.id] }), ...accountWall(t.accountId)],
);

export const trustedRecipients = pgTable(
  'trusted_recipients',
  {
    accountId: uuid('account_id').notNull(),
    keyId: uuid('key_id').notNull(),
    email: text('email').notNull(),
    approvalId: uuid('approval_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [primaryKey({ columns: [t.accountId, t.keyId, t.email] }), ...accountWall(t.accountId)],
);

export const approvalVotes = pgTable(
  'approval_votes',
  {
    accountId: uuid('account_id').notNull(),
    approvalId: uuid('approval_id').notNull(),
    memberId: uuid('member_id').notNull(),
    revision: integer('revision').notNull(),
    /** The member as the receipt will name them: see `memberDeciderSchema`. */
    decider: jsonb<unknown>('decider').notNull(),
    remember: boolean('remember').notNull(),
    note: text('note'),
    createdAt: timestamptz('created_at').notNull(),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.approvalId, t.memberId] }),
    foreignKey({ columns: [t.accountId, t.approvalId], foreignColumns: [approvals.accountId, approvals.id] }).onDelete(
      'cascade',
    ),
    ...accountWall(t.accountId),
  ],
);

export const approvalLinks = pgTable(
  'approval_links',
  {
    accountId: uuid('account_id').notNull(),
    tokenHash: bytea('token_hash').notNull(),
    approvalId: uuid('approval_id').notNull(),
    revision: integer('revision').notNull(),
    memberId: uuid('member_id').notNull(),
    createdAt: timestamptz('created_at').notNull(),
    usedAt: timestamptz('used_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.tokenHash] }),
    foreignKey({ columns: [t.accountId, t.approvalId], foreignColumns: [approvals.accountId, approvals.id] }).onDelete(
      'cascade',
    ),
    index('approval_links_approval').on(t.accountId, t.approvalId),
    uniqueIndex('approval_links_token').on(t.tokenHash),
    ...accountWall(t.accountId),
  ],
);

export const approvalMails = pgTable(
  'approval_mails',
  {
    accountId: uuid('account_id')
      .primaryKey()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    mailedAt: timestamptzArray('mailed_at').notNull(),
  },
  (t) => [...accountWall(t.accountId)],
);
