import { readApprovers, takeApprovalMails } from '../db/queries/approval-notices.ts';
import {
  claimUnnotifiedDrafts,
  type NoticedDraft,
  readAccountsWithUnnotifiedDrafts,
} from '../db/queries/draft-notices.ts';
import type { ApprovalMailer } from './approval-mail.ts';
import { askedApprovers } from './asked-approvers.ts';
import { mailDrafts } from './draft-mail.ts';

/** A draft has no votes. */
const UNDECIDED = { voterIds: [], approvalsNeeded: 1 };

/**
 * Mails approvers about new template drafts, one mail for all drafts of an account. These mails count against the limit on approval mails.
 * @returns the number of drafts
 */
export async function notifyOfDrafts(mailer: ApprovalMailer): Promise<number> {
  const now = mailer.clock.now();
  const { drafts, notices } = await mailer.sql.begin(async (transaction) => {
    const waiting = await readAccountsWithUnnotifiedDrafts(transaction, now);
    if (waiting.length === 0) return { drafts: [], notices: [] };
    const mailed = await takeApprovalMails(transaction, waiting, now);
    const drafts = await claimUnnotifiedDrafts(transaction, [...mailed], now);
    const notices: { readonly to: string; readonly drafts: readonly NoticedDraft[] }[] = [];
    for (const [accountId, own] of Map.groupBy(drafts, (draft) => draft.accountId)) {
      const approvers = await readApprovers(transaction, accountId);
      for (const approver of approvers) {
        const asked = own.filter((draft) => askedApprovers(approvers, { ...draft, ...UNDECIDED }).includes(approver));
        if (asked.length > 0) notices.push({ to: approver.email, drafts: asked });
      }
    }
    return { drafts, notices };
  });
  for (const { to, drafts } of notices) {
    await mailDrafts(mailer, to, drafts).catch((error: unknown) => {
      mailer.onError(error, 'mailing an approver about template drafts');
    });
  }
  return drafts.length;
}
