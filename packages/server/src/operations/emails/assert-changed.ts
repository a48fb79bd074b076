import { ProblemError } from '../../problem.ts';
import type { QueuedVerdict } from '../../sending/change-queued.ts';
import { toSendProblem } from './send-response.ts';

/** @throws ProblemError if a message could not be changed: it does not exist, or is no longer queued. */
export function assertChanged(
  verdict: QueuedVerdict,
  id: string,
): asserts verdict is Extract<QueuedVerdict, { kind: 'changed' }> {
  switch (verdict.kind) {
    case 'changed':
      return;
    case 'missing':
      throw new ProblemError('not_found', { detail: `There is no message ${id} in this account.` });
    case 'refused':
      throw toSendProblem(verdict);
    case 'not_queued':
      throw new ProblemError('message_not_queued', {
        detail: `The message is no longer queued: it is \`${verdict.currentStatus}\`.`,
        currentStatus: verdict.currentStatus,
      });
  }
}
