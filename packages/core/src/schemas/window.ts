import { z } from 'zod';
import { LIMITS } from '../limits.ts';

/** A number of UTC days including today; parses to a number. The handler rejects too many, with its own code. */
export const windowSchema = z
  .string()
  .max(20)
  .regex(/^[1-9]\d*d$/, 'must be a number of days followed by `d`, such as `14d`')
  .default(`${LIMITS.statsWindowDaysDefault}d`)
  .transform((given) => Number(given.slice(0, -1)))
  .describe(
    `Number of UTC days including today, \`1d\` to \`${LIMITS.statsWindowDaysMax}d\`. Default: \`${LIMITS.statsWindowDaysDefault}d\`.`,
  );
