import { z } from 'zod';
import { LIMITS } from '../limits.ts';

export const metadataSchema = z
  .record(z.string().min(1).max(LIMITS.metadataKeyCharacters), z.string().max(LIMITS.metadataValueCharacters))
  .refine((map) => Object.keys(map).length <= LIMITS.metadataKeys, {
    message: `must have at most ${LIMITS.metadataKeys} keys`,
    params: { code: 'too_many' },
  })
  .describe(
    `Your own key-value pairs, returned with the message. At most ${LIMITS.metadataKeys} keys of 1 to ${LIMITS.metadataKeyCharacters} characters, values up to ${LIMITS.metadataValueCharacters} characters.`,
  );
