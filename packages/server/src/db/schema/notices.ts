import { check, index, pgTable, primaryKey, sql, text, uuid } from '../drizzle.ts';
import { accountWall } from './account-wall.ts';
import { accounts } from './accounts.ts';
import { jsonb, timestamptz } from './column-types.ts';

/** The events that members of the account get mail about. */
export type NoticeKind = 'domain.degraded' | 'domain.failed' | 'key.expiring' | 'quota.threshold' | 'webhook.disabled';

export interface QuotaFacts {
  readonly limit: number;
  readonly used: number;
  /** In percent. */
  readonly threshold: number;
}

export const notices = pgTable(
  'notices',
  {
    accountId: uuid('account_id')
      .notNull()
      .references(() => accounts.id, { onDelete: 'cascade' }),
    id: uuid('id').notNull(),
    kind: text('kind').$type<NoticeKind>().notNull(),
    targetId: uuid('target_id'),
    facts: jsonb<QuotaFacts>('facts'),
    dueAt: timestamptz('due_at').notNull(),
    mailId: uuid('mail_id'),
    triedAt: timestamptz('tried_at'),
    mailedAt: timestamptz('mailed_at'),
  },
  (t) => [
    primaryKey({ columns: [t.accountId, t.id] }),
    index('notices_due').on(t.dueAt).where(sql`${t.mailedAt} IS NULL`),
    check('notices_check', sql`(${t.kind} = 'quota.threshold') = (${t.targetId} IS NULL)`),
    check('notices_check1', sql`(${t.targetId} IS NULL) = (${t.facts} IS NOT NULL)`),
    check(
      'notices_kind_check',
      sql`${t.kind} IN ('domain.degraded', 'domain.failed', 'key.expiring', 'quota.threshold', 'webhook.disabled')`,
    ),
    ...accountWall(t.accountId),
  ],
);
