import type { ApprovalMailer } from './approval-mail.ts';
import { expireHolds } from './holds/withdraw-holds.ts';
import { notifyApprovers, remindApprovers } from './notify-approvers.ts';
import { notifyOfDrafts } from './notify-of-drafts.ts';

/** The background jobs for holds. */
export interface ApprovalJobs {
  /** Notifies approvers of new holds. */
  notify(): Promise<void>;
  /**
   * Runs on a schedule: ends expired holds, reminds approvers of pending ones, and notifies them of new ones in case a wake-up was lost.
   * Only this job mails template drafts, so that an agent's changes within one minute become one mail.
   */
  watch(): Promise<void>;
}

export function createApprovalJobs(mailer: ApprovalMailer): ApprovalJobs {
  const notify = async () => {
    while ((await notifyApprovers(mailer)) > 0);
  };
  return {
    notify,
    async watch() {
      await expireHolds(mailer.sql, mailer.ids, mailer.clock.now());
      await notify();
      while ((await remindApprovers(mailer)) > 0);
      while ((await notifyOfDrafts(mailer)) > 0);
    },
  };
}
