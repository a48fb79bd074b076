import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { checked } from './parse-steps.ts';

/** Reserved for each recipient's unsubscribe link, so a variable with this name would never be used. */
export const UNSUBSCRIBE_VARIABLE = 'unsubscribe_url';

export const variablesSchema = z
  .record(z.string(), z.unknown())
  .check(
    checked((variables, context) => {
      if (Object.hasOwn(variables, UNSUBSCRIBE_VARIABLE)) {
        const message = 'is reserved for the recipient’s unsubscribe link; use another name';
        context.addIssue({ path: [UNSUBSCRIBE_VARIABLE], message, params: { code: 'reserved' } });
      }
      if (JSON.stringify(variables).length > LIMITS.templateVariablesCharacters) {
        const message = `must be at most ${LIMITS.templateVariablesCharacters} characters as JSON`;
        context.addIssue({ message, params: { code: 'too_long' } });
      }
    }),
  )
  .describe(
    'Values for the template, a JSON object. A null value counts as missing. `unsubscribe_url` is always set to the recipient’s unsubscribe link.',
  );
