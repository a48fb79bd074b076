import type { ApprovalMailer } from './approval-mail.ts';
import { expireHolds } from './holds/withdraw-holds.ts';
import { notifyApprovers, remindApprovers } from './notify-approvers.ts';
import { notifyOfDrafts } from './notify-of-drafts.ts';

/** What the queue does for holds. */
export interface ApprovalJobs {
  /** The approvers of holds that are new hear of them. */
  tell(): Promise<void>;
  /**
   * By the clock: holds whose time is over end, and approvers are reminded of the others; the new ones are told once more, should a wish have
   * got lost. Approvers are mailed of template drafts here alone: the changes that an agent makes within a minute are one mail.
   */
  watch(): Promise<void>;
}

export function createApprovalJobs(mailer: ApprovalMailer): ApprovalJobs {
  const tell = async () => {
    while ((await notifyApprovers(mailer)) > 0);
  };
  return {
    tell,
    async watch() {
      await expireHolds(mailer.sql, mailer.ids, mailer.clock.now());
      await tell();
      while ((await remindApprovers(mailer)) > 0);
      while ((await notifyOfDrafts(mailer)) > 0);
    },
  };
}
