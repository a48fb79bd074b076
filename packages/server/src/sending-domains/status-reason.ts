import { LIMITS } from '@postrider/core';
import type { StatusDecision, StatusFacts } from './domain-status.ts';

/** The facts of a check from which the reason of a status follows. */
export interface ReasonFacts {
  readonly before: Pick<StatusFacts, 'status'> & { readonly reason: string | null };
  readonly decision: Pick<StatusDecision, 'status' | 'since'>;
  /** The purposes of the required records that are known to be missing. */
  readonly missing: readonly string[];
  /** Whether another account has the name. */
  readonly isHeld: boolean;
}

/** Shown to the account that lost the name. It does not reveal which account has it now. */
export const TAKEN_OVER = 'Another account of this server has proven that it owns the name.';

const HELD = 'Another account of this server has this name.';

/** Why a domain failed or is degraded; null for other statuses. Failed lookups leave the known reason unchanged. */
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
  return `Required and missing: ${namesOf(missing)}. Mail is still sent until ${end}; then the domain fails.`;
}

function explainFailure(from: StatusFacts['status'], missing: readonly string[], isHeld: boolean): string {
  if (from === 'degraded') return `Required and missing for ${LIMITS.domainGraceHours} hours: ${namesOf(missing)}.`;
  if (missing.length > 0)
    return `Required and not found within ${LIMITS.domainPendingHours} hours: ${namesOf(missing)}.`;
  return isHeld ? HELD : `Its required records could not be looked up within ${LIMITS.domainPendingHours} hours.`;
}

function namesOf(purposes: readonly string[]): string {
  return [...new Set(purposes)].map((purpose) => purpose.toUpperCase()).join(', ');
}
