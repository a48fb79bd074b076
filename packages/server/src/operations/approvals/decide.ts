import { type DecidedApproval, nameOperation } from '@postrider/core';
import { type Decision, type DecisionVerdict, decideApproval as decideHold } from '../../approvals/decide-approval.ts';
import { toDecidedApproval } from '../../approvals/holds/approval-record.ts';
import { passkeyNeeded } from '../../approvals/passkey-approval.ts';
import { ConfirmationNeeded, type Confirmed } from '../../auth/passkeys/confirmation.ts';
import { readApproval } from '../../db/queries/approvals.ts';
import type { Caller } from '../../keys/caller.ts';
import { ProblemError } from '../../problem.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { lostPermission } from '../assert-still-allowed.ts';
import type { Handler, KeyedContext } from '../context.ts';
import { toSendProblem } from '../emails/send-response.ts';
import { validationFailed } from '../parse-part.ts';
import { deciderOf } from './decider-of.ts';
import { approvalNotFound } from './get.ts';

export const decideApproval: Handler<'approvals.decide'> = async ({ params, body }, context) => {
  assertMayDecide(context.caller);
  return { body: await decideOne(params.id, body, context, await context.readConfirmed()) };
};

/** Decides one hold and returns its record. */
export async function decideOne(
  id: string,
  decision: Decision,
  context: KeyedContext,
  confirmed: Confirmed | null,
): Promise<DecidedApproval> {
  const { caller } = context;
  const { database, delivery, events, threads, installation, receipts } = context.services;
  const { accountId } = caller;
  const verdict = await decideHold(
    { ...database, ...installation, threads, receipts },
    { accountId, id },
    decision,
    deciderOf(context),
    { caller, confirmed },
  );
  if (verdict.kind === 'lost_permission') throw lostPermission(caller);
  if (verdict.kind !== 'decided' && verdict.kind !== 'recorded') {
    throw toDecisionProblem(verdict, id, installation.baseUrl);
  }
  context.noteEmail(verdict.emailId);
  if (verdict.kind === 'decided') {
    events.waiter.notify([{ id: verdict.emailId, status: verdict.outcome }]);
    if (verdict.outcome === 'queued') delivery.wake();
  }
  const row = await readApproval(database.sql, { accountId, keyId: null, id });
  if (row === null) throw approvalNotFound(id);
  return toDecidedApproval(row, viewerOf(caller));
}

/** A key in approval mode could otherwise approve sends like its own. */
export function assertMayDecide({ user, approval }: Caller): void {
  if (user !== null || approval === null) return;
  throw new ProblemError('self_approval_forbidden', { detail: 'A key in approval mode cannot make decisions.' });
}

type Obstacle = Exclude<DecisionVerdict, { kind: 'decided' | 'recorded' | 'lost_permission' }>;

function toDecisionProblem(verdict: Obstacle, id: string, baseUrl: string): ProblemError {
  switch (verdict.kind) {
    case 'missing':
      return approvalNotFound(id);
    case 'self_approval':
      return new ProblemError('self_approval_forbidden', { detail: 'This key sent the message.' });
    case 'beyond_caller':
      return toSendProblem({ kind: 'refused', ...verdict.refusal });
    case 'passkey_needed':
      return new ConfirmationNeeded(passkeyNeeded(baseUrl, id), verdict.statement);
    case 'already_decided':
      return new ProblemError('approval_already_decided', { detail: `The hold is \`${verdict.status}\`.` });
    case 'changed':
      return new ProblemError('approval_changed', {
        detail: '`contentHash` is the hash of other content than that of the held send.',
      });
    case 'unseen':
      return new ProblemError('approval_changed', {
        detail: 'This message was edited since it was held, and this decision does not say which content was reviewed.',
        fix: `Read it with ${nameOperation('approvals.get')}, and pass its \`contentHash\`.`,
      });
    case 'invalid':
      return validationFailed(verdict.problems);
  }
}
