import type { Citation } from './citations.ts';
import type { Requirement } from './requirement.ts';

export interface RequirementsAudit {
  /** Citations of ids that no requirement has, as `id (file: title)`. */
  readonly unknown: readonly string[];
  /** Ids that no test cites. */
  readonly unproven: readonly string[];
  /** Ids that more than one requirement has. */
  readonly duplicated: readonly string[];
}

/** Compares the requirements with the ids that tests cite. Every list is empty if they match. */
export function auditRequirements(
  requirements: readonly Requirement[],
  citations: readonly Citation[],
): RequirementsAudit {
  const cited = new Set(citations.map((citation) => citation.id));
  const ids = requirements.map(({ id }) => id);
  const known = new Set(ids);
  return {
    unknown: citations.filter(({ id }) => !known.has(id)).map(describeCitation),
    unproven: ids.filter((id) => !cited.has(id)),
    duplicated: [...new Set(ids.filter((id, index) => ids.indexOf(id) !== index))],
  };
}

function describeCitation({ id, file, title }: Citation): string {
  return `${id} (${file}: ${title})`;
}
