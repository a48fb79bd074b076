import { newApprovalDecisionSchema } from '@postrider/core';
import type { FastifyRequest } from 'fastify';
import { type Confirmation, type Confirmed, readConfirmation } from '../../auth/passkeys/confirmation.ts';
import { relyingPartyOf } from '../../auth/passkeys/relying-party.ts';
import { lockLink, markLinkUsed } from '../../db/queries/approval-notices.ts';
import type { Services } from '../../operations/context.ts';
import { findTextFault } from '../../operations/text-faults.ts';
import { type Decision, type DecisionVerdict, decideApproval } from '../decide-approval.ts';
import type { GivenDecision } from './decision-form.ts';
import type { FoundHold } from './link-hold.ts';

/**
 * Decides the hold of a link, in the name of the member whose link it is. Null if the member has lost the right to decide meanwhile.
 * @param confirmation what a passkey has confirmed: it must be one of that member
 */
export async function decideByLink(
  { link, tokenHash, own }: FoundHold,
  decision: Decision,
  confirmation: Confirmation | null,
  request: FastifyRequest,
  services: Services,
): Promise<DecisionVerdict | null> {
  const confirmed = await readConfirmed(link.userId, confirmation, services);
  const decider = { actor: link.memberId, way: 'mail', address: request.ip, requestId: request.id } as const;
  const { accountId, approvalId: id } = link;
  const { database, installation, threads, receipts } = own;
  const tools = { ...database, ...installation, threads, receipts };
  try {
    const verdict = await decideApproval(tools, { accountId, id }, decision, decider, {
      ...{ caller: null, confirmed },
      onDecided: async (transaction, now, isFinal) => {
        // If more people must approve, the link stays live, so that its member can see the outcome.
        const isLive = isFinal
          ? await markLinkUsed(transaction, tokenHash, now)
          : await lockLink(transaction, tokenHash);
        if (!isLive) throw new DeadLinkError();
      },
    });
    if (verdict.kind === 'lost_permission') return null;
    if (verdict.kind === 'decided') {
      services.events.waiter.notify([{ id: verdict.emailId, status: verdict.outcome }]);
      if (verdict.outcome === 'queued') services.delivery.wake();
    }
    return verdict;
  } catch (error) {
    if (error instanceof DeadLinkError) return null;
    throw error;
  }
}

async function readConfirmed(
  userId: string | null,
  confirmation: Confirmation | null,
  { auth, installation }: Services,
): Promise<Confirmed | null> {
  const party = relyingPartyOf(installation.baseUrl);
  if (userId === null || confirmation === null || party === null) return null;
  return await readConfirmation({ auth, party }, userId, confirmation);
}

/** Rolls back the decision of a member who lost permission at the same moment. */
class DeadLinkError extends Error {}

/**
 * Parses a decision with the schema of every decision; returns null if it is invalid. A form can contain NUL, which PostgreSQL cannot store.
 * A link is valid for one revision.
 */
export function parseDecision(given: GivenDecision | null, { link }: FoundHold): Decision | null {
  if (given === null || findTextFault(given) !== null) return null;
  const parsed = newApprovalDecisionSchema.safeParse(given);
  return parsed.success ? { ...parsed.data, revision: link.revision } : null;
}
