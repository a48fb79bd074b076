import type { Query } from '../db/client.ts';
import { addApprovalEvents } from '../db/queries/approval-decisions.ts';
import {
  type Approver,
  type CountedHolds,
  claimOthers,
  claimUnnotified,
  insertApprovalLinks,
  lockDueReminders,
  type NewApprovalLink,
  type NoticedHold,
  readApprovers,
  setReminders,
  takeApprovalMails,
  unclaim,
} from '../db/queries/approval-notices.ts';
import { nextReminder } from '../sending/message-rows.ts';
import { type ApprovalMailer, type ApprovalNotice, mailApprovals, NAMED_HOLDS } from './approval-mail.ts';
import { createApprovalToken } from './approval-token.ts';
import { askedApprovers } from './asked-approvers.ts';
import { announceApprovals } from './holds/announce-approvals.ts';
import { SYSTEM } from './holds/decider.ts';

/** Mails approvers about new holds. Returns the number of holds. */
export async function notifyApprovers(mailer: ApprovalMailer): Promise<number> {
  return await notify(mailer, false, async (transaction, now) => {
    const claimed = await claimUnnotified(transaction, now);
    const mailed = await claimMails(transaction, claimed, now);
    const holds = claimed.filter(({ accountId }) => mailed.has(accountId));
    if (holds.length < claimed.length) {
      const others = claimed.filter(({ accountId }) => !mailed.has(accountId));
      await unclaim(transaction, others);
    }
    return { holds, others: holds.length === 0 ? [] : await claimOthers(transaction, [...mailed], now) };
  });
}

/** Mails approvers about holds still undecided after half and after nine tenths of their time, and announces the reminder. */
export async function remindApprovers(mailer: ApprovalMailer): Promise<number> {
  return await notify(mailer, true, async (transaction, now) => {
    const due = await lockDueReminders(transaction, now);
    const mailed = await claimMails(transaction, due, now);
    const holds = due.filter(({ accountId }) => mailed.has(accountId));
    if (holds.length === 0) return { holds, others: [] };
    const reminders = holds.map((hold) => ({ ...hold, at: nextReminder(hold.createdAt, hold.expiresAt, now) }));
    await setReminders(transaction, reminders);
    await addApprovalEvents(
      transaction,
      holds.map((hold) => ({
        ...{
          hold,
          id: mailer.ids.next(now),
          type: 'reminded' as const,
          hashAfter: hold.contentHash,
          detail: null,
          now,
        },
        ...SYSTEM,
      })),
    );
    for (const [accountId, own] of byAccount(holds)) {
      const approvalIds = own.map(({ id }) => id);
      await announceApprovals(transaction, mailer.ids, 'approval.reminder', { accountId, approvalIds }, now);
    }
    return { holds, others: [] };
  });
}

/** Claims one mail per approver for each account of these holds. Returns the accounts that may be mailed. */
async function claimMails(transaction: Query, holds: readonly NoticedHold[], now: Date): Promise<ReadonlySet<string>> {
  if (holds.length === 0) return new Set();
  return await takeApprovalMails(transaction, [...byAccount(holds).keys()], now);
}

/** The holds to notify approvers of, and the others, which the mail only counts. */
interface Claim {
  readonly holds: readonly NoticedHold[];
  readonly others: readonly CountedHolds[];
}

/**
 * Stores the links and marks the holds as notified before any mail is sent. A lost mail is made up for by the reminder, and no approver is
 * notified twice.
 */
async function notify(
  mailer: ApprovalMailer,
  isReminder: boolean,
  claim: (transaction: Query, now: Date) => Promise<Claim>,
): Promise<number> {
  const now = mailer.clock.now();
  const { notices, count } = await mailer.sql.begin(async (transaction) => {
    const { holds, others } = await claim(transaction, now);
    const count = holds.length + total(others);
    return { notices: await makeNotices(transaction, { holds, others }, now), count };
  });
  for (const notice of notices) {
    await mailApprovals(mailer, notice, isReminder).catch((error: unknown) => {
      mailer.onError(error, 'mailing an approver');
    });
  }
  return count;
}

async function makeNotices(
  transaction: Query,
  { holds, others }: Claim,
  now: Date,
): Promise<readonly ApprovalNotice[]> {
  const links: NewApprovalLink[] = [];
  const notices: ApprovalNotice[] = [];
  for (const [accountId, own] of byAccount(holds)) {
    const approvers = await readApprovers(transaction, accountId);
    const rest = others.filter((counted) => counted.accountId === accountId);
    for (const approver of approvers) {
      const asked = own.filter((hold) => askedApprovers(approvers, hold).includes(approver));
      if (asked.length === 0) continue;
      notices.push({
        to: approver.email,
        holds: asked.slice(0, NAMED_HOLDS).map((hold) => ({ hold, token: makeLink(hold, approver, links) })),
        count: asked.length + total(rest.filter((counted) => askedApprovers(approvers, counted).includes(approver))),
      });
    }
  }
  if (links.length > 0) await insertApprovalLinks(transaction, links, now);
  return notices;
}

function total(counted: readonly CountedHolds[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}

function makeLink({ accountId, id, revision }: NoticedHold, { memberId }: Approver, links: NewApprovalLink[]): string {
  const { token, hash } = createApprovalToken();
  links.push({ accountId, approvalId: id, revision, memberId, tokenHash: hash });
  return token;
}

function byAccount(holds: readonly NoticedHold[]): ReadonlyMap<string, readonly NoticedHold[]> {
  return Map.groupBy(holds, ({ accountId }) => accountId);
}
