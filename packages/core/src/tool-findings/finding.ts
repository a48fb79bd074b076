/** The severity of a finding; a check has the status of its worst finding. */
export const FINDING_LEVELS = ['pass', 'warn', 'fail'] as const;

export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** A possible finding of a check. `message` is its general text; the check adds the details. */
export interface FindingDefinition {
  readonly level: FindingLevel;
  readonly message: string;
  readonly fix: string;
}

/** Correct. */
export function good(message: string): FindingDefinition {
  return { level: 'pass', message, fix: 'Nothing to do.' };
}

/** Works, but can cause problems now or later; also used if something could not be checked. */
export function worth(message: string, fix: string): FindingDefinition {
  return { level: 'warn', message, fix };
}

/** Broken or harmful. */
export function broken(message: string, fix: string): FindingDefinition {
  return { level: 'fail', message, fix };
}
