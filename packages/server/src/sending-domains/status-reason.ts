import { LIMITS } from '@postrider/core';
import type { StatusDecision, StatusFacts } from './domain-status.ts';

/** What a look-up came to, as far as the reason of a status goes. */
export interface ReasonFacts {
  readonly before: Pick<StatusFacts, 'status'> & { readonly reason: string | null };
  readonly decision: Pick<StatusDecision, 'status' | 'since'>;
  /** The purposes of the required records that are known to be missing. */
  readonly missing: readonly string[];
  /** Another account holds the name. */
  readonly isHeld: boolean;
}

/** What the account reads whose name was taken over: not by whom. */
export const TAKEN_OVER = 'Another account of this server has proven that the name is its own.';

const HELD = 'Another account of this server holds the name.';

/** Why a domain failed or is degraded; null where it is neither. What nobody could look up changes nothing of what is known. */
export function explainStatus({ before, decision, missing, isHeld }: ReasonFacts): string | null {
  switch (decision.status) {
    case 'pending':
    case 'verified':
      return null;
    case 'degraded':
      return missing.length === 0 ? before.reason : explainLoss(missing, decision.since);
    case 'failed':
      return before.status === 'failed' ? before.reason : explainFailure(before.status, missing, isHeld);
  }
}

const HOUR_MS = 3_600_000;

function explainLoss(missing: readonly string[], since: Date): string {
  const end = new Date(since.getTime() + LIMITS.domainGraceHours * HOUR_MS).toISOString();
  return `Required and gone: ${namesOf(missing)}. Mail is still sent until ${end}; then the domain fails.`;
}

function explainFailure(from: StatusFacts['status'], missing: readonly string[], isHeld: boolean): string {
  if (from === 'degraded') return `Required and gone for ${LIMITS.domainGraceHours} hours: ${namesOf(missing)}.`;
  if (missing.length > 0)
    return `Required and not found within ${LIMITS.domainPendingHours} hours: ${namesOf(missing)}.`;
  return isHeld ? HELD : `Its required records could not be looked up within ${LIMITS.domainPendingHours} hours.`;
}

function namesOf(purposes: readonly string[]): string {
  return [...new Set(purposes)].map((purpose) => purpose.toUpperCase()).join(', ');
}
