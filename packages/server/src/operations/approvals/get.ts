import type { Approval, ApprovalReview } from '@postrider/core';
import { HELD_REVIEW } from '../../approvals/held-review.ts';
import { toVisibleApproval } from '../../approvals/holds/approval-record.ts';
import { readApproval } from '../../db/queries/approvals.ts';
import { ProblemError } from '../../problem.ts';
import { isUuid } from '../../uuid-v7.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { assertStillAllowed } from '../assert-still-allowed.ts';
import type { Handler, KeyedContext } from '../context.ts';
import { visibleKeyOf } from './visible-approvals.ts';

/** Reads one hold. With `wait`, returns once it is decided or the time is over. */
export const getApproval: Handler<'approvals.get'> = async ({ params, query }, context) => {
  const { caller } = context;
  const { database, events } = context.services;
  const { accountId } = caller;
  const name = { accountId, keyId: visibleKeyOf(caller), id: params.id };
  const read = async () => (isUuid(params.id) ? await readApproval(database.sql, name) : null);
  let row = await read();
  if (row === null) throw approvalNotFound(params.id);
  context.noteEmail(row.emailId);
  if (query.wait !== undefined && row.status === 'pending') {
    const { emailId } = row;
    await events.waiter.wait(accountId, emailId, query.wait * 1_000, context.signal, isDecided);
    await assertStillAllowed(context, name.keyId === null ? 'approvals:read' : null);
    row = (await read()) ?? row;
  }
  const approval = toVisibleApproval(row, viewerOf(caller));
  if (!query.review) return { body: approval };
  return { body: { ...approval, review: await readReview(context, approval) } };
};

/** Of what the caller sees only, so that the review says nothing about the rest. */
async function readReview({ caller, services }: KeyedContext, approval: Approval): Promise<ApprovalReview | null> {
  const size = (approval.html?.length ?? 0) + (approval.text?.length ?? 0);
  const owner = { accountId: caller.accountId, keyId: approval.keyId };
  const result = await services.threads.run(owner, HELD_REVIEW, approval, size);
  return result.kind === 'done' ? result.output : null;
}

export function approvalNotFound(id: string): ProblemError {
  return new ProblemError('not_found', { detail: `There is no held send ${id} that this key may see.` });
}

/** The decision moves the message of a hold out of this status. */
function isDecided(status: string): boolean {
  return status !== 'pending_approval';
}
