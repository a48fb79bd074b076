import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

export const passkeyParams = z.object({ id: z.string().describe('Passkey id.') });

/** Shown to its user only, who chooses it to tell devices apart. */
export const passkeyNameSchema = headerText(1, LIMITS.passkeyNameCharacters)
  .refine((text) => text.trim() === text, {
    message: 'must not begin or end with white space',
    params: { code: 'invalid_format' },
  })
  .describe('A name by which you recognize the device or password manager, such as `Work laptop`.');

/** A passkey of the signed-in user, without its key. */
export const passkeySchema = z
  .object({
    id: idSchema,
    name: z.string(),
    backedUp: z.boolean().describe('Whether it is synchronized to other devices, by its last use.'),
    createdAt: timestampSchema,
    lastUsedAt: timestampSchema.nullable().describe('Null until it is used to sign in.'),
  })
  .meta({ id: 'Passkey' });
