import type { OperationById, OperationOutput } from '@postrider/core';
import { ProblemError, toItemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { assertMayDecide, decideOne } from './decide.ts';

type Results = OperationOutput<OperationById<'approvals.decide-many'>>['results'];

/** Approves or rejects several holds, each independently. */
export const decideApprovals: Handler<'approvals.decide-many'> = async ({ body }, context) => {
  assertMayDecide(context.caller);
  const { ids, decision, note } = body;
  const { baseUrl } = context.services.installation;
  const results: Results = [];
  // Runs one after the other: each decision locks the row of the account's quota, so parallel ones would only wait. Each checks the caller
  // again, because a hundred decisions take seconds, in which the caller can lose the right to decide.
  for (const [index, id] of ids.entries()) {
    try {
      const approval = await decideOne(id, { decision, note }, context, null);
      results.push({ index, id, ok: true, approval });
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      results.push({ index, id, ok: false, ...toItemError(error, baseUrl, context.requestId) });
    }
  }
  const accepted = results.filter(({ ok }) => ok).length;
  return { body: { accepted, refused: results.length - accepted, total: results.length, results } };
};
