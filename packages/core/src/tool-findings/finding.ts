/** How bad a finding is; the status of a check is that of its worst one. */
export const FINDING_LEVELS = ['pass', 'warn', 'fail'] as const;

export type FindingLevel = (typeof FINDING_LEVELS)[number];

/** One thing a check can find. `message` is what is always true of it; the place that finds it adds the particulars. */
export interface FindingDefinition {
  readonly level: FindingLevel;
  readonly message: string;
  readonly fix: string;
}

/** As it should be. */
export function good(message: string): FindingDefinition {
  return { level: 'pass', message, fix: 'Nothing to do.' };
}

/** Works, but can cause problems now or later; also used if something could not be checked. */
export function worth(message: string, fix: string): FindingDefinition {
  return { level: 'warn', message, fix };
}

/** Does not work, or does harm. */
export function broken(message: string, fix: string): FindingDefinition {
  return { level: 'fail', message, fix };
}
