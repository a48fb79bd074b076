import { ProblemError } from '../problem.ts';

/** Refuses a change with the effect of a decision, such as looser approval, for a caller that may not decide held sends. */
export function decidersOnly(detail: string): ProblemError {
  return new ProblemError('permission_escalation', {
    detail: `${detail}, and the caller may not decide held sends.`,
    fix: 'Use a key with `approvals:decide`, or have a user who may change this and decide held sends do it. On the command line, sign in again and tick “Approve and reject held sends” on the page.',
  });
}
