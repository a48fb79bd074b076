import type { Citation } from './citations.ts';
import type { Requirement } from './requirement.ts';

export interface RequirementsAudit {
  /** Citations of ids that no requirement has, as `id (file: title)`. */
  readonly unknown: readonly string[];
  /** Ids that must be proven now and that no test cites. */
  readonly unproven: readonly string[];
  /** Citations of ids that are still marked as waiting for a capability, as `id (file: title)`. */
  readonly early: readonly string[];
  /** Ids that stand more than once among the requirements. */
  readonly duplicated: readonly string[];
}

/** Compares what is required with what the tests say they prove. Every list is empty when the two agree. */
export function auditRequirements(
  requirements: readonly Requirement[],
  citations: readonly Citation[],
): RequirementsAudit {
  const byId = new Map(requirements.map((requirement) => [requirement.id, requirement]));
  const cited = new Set(citations.map((citation) => citation.id));
  const ids = requirements.map((requirement) => requirement.id);
  return {
    unknown: citations.filter(({ id }) => !byId.has(id)).map(describeCitation),
    unproven: requirements.filter(({ id, deferredTo }) => deferredTo === null && !cited.has(id)).map(({ id }) => id),
    early: citations.filter(({ id }) => isDeferred(byId.get(id))).map(describeCitation),
    duplicated: [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))],
  };
}

function isDeferred(requirement: Requirement | undefined): boolean {
  return requirement !== undefined && requirement.deferredTo !== null;
}

function describeCitation({ id, file, title }: Citation): string {
  return `${id} (${file}: ${title})`;
}
