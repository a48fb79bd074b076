import type { OwnValues } from '../invocation.ts';
import { numberFlag } from '../own-flag.ts';

export const LAST_DEFAULT = 10;
const LAST_MAX = 100;
export const INTERVAL_SECONDS_DEFAULT = 2;
const INTERVAL_SECONDS_MAX = 3_600;

/** The flags of all commands that follow a log. */
export const TAIL_FLAGS = {
  last: numberFlag(
    '--last <number>',
    `Number of newest entries to begin with, 0 to ${LAST_MAX}; ${LAST_DEFAULT} by default.`,
    { min: 0, max: LAST_MAX },
  ),
  interval: numberFlag(
    '--interval <seconds>',
    `Seconds between checks, 1 to ${INTERVAL_SECONDS_MAX}; ${INTERVAL_SECONDS_DEFAULT} by default.`,
    { min: 1, max: INTERVAL_SECONDS_MAX },
  ),
};

export interface TailValues extends OwnValues {
  readonly last: number | undefined;
  readonly interval: number | undefined;
}

/** The arguments of a list that make no sense for new rows; the others filter them. */
export const NOT_OF_TAIL: readonly string[] = ['limit', 'cursor', 'from', 'to'];
