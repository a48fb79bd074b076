import { type AnyOperation, type CallerFacts, type CallerKind, nameOperation, refusedKind } from '@postrider/core';
import type { Caller } from '../keys/caller.ts';
import type { CallContext } from '../operations/context.ts';
import { ProblemError } from '../problem.ts';

/**
 * Rejects an operation whose reach is not allowed for this kind of caller, by the shared policy table.
 * @throws ProblemError `permission_escalation`
 */
export function assertReach(operation: AnyOperation, { caller }: Pick<CallContext, 'caller'>): void {
  if (caller === null) return;
  const kind = refusedKind(operation, callerFactsOf(caller));
  if (kind === null) return;
  const decides = operation.access.kind === 'key' && operation.access.scope === 'approvals:decide';
  if (kind === 'held key' && decides) {
    throw new ProblemError('self_approval_forbidden', { detail: 'A key in approval mode cannot make decisions.' });
  }
  throw new ProblemError('permission_escalation', {
    detail: `A ${kind} may not call ${nameOperation(operation.id)}: ${WHY[operation.reach]}`,
    fix: FIXES[kind] ?? 'Ask an owner or admin of the account to do this.',
  });
}

/** What the policy needs to know about a caller. */
export function callerFactsOf(caller: Caller): CallerFacts {
  const { user, approval, mode, recipientAllowlist, sendLimit, makerLimits, pausedBy } = caller;
  return {
    role: user?.role ?? null,
    isDevice: user?.isDevice ?? false,
    isHeld: approval !== null,
    isTest: mode === 'test',
    isAllowlisted: recipientAllowlist !== null,
    isLimited: sendLimit !== null || makerLimits.length > 0,
    isPaused: user === null && pausedBy !== null,
  };
}

const WHY: Readonly<Record<AnyOperation['reach'], string>> = {
  none: 'it only reads.',
  outbound: 'it can send mail.',
  'shapes-outbound': 'it changes the content or the destination of other senders’ mail.',
  notifies: 'it sends data to an address that the caller chooses.',
  controls: 'it changes who may send, or a decision.',
};

const FIXES: Partial<Readonly<Record<CallerKind, string>>> = {
  'held key': 'Ask a user of the account to do this, or use a key that is not in approval mode.',
  'test key': 'Use a live key, or ask a user of the account to do this.',
  'paused key': 'Ask a user of the account to do this or to resume the key or the account. Do not retry.',
};
