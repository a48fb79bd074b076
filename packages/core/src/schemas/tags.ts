import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { hasForbiddenCharacter } from './email-address.ts';
import { transformed } from './parse-steps.ts';
import { BLANK } from './text.ts';

/** One tag as passed; compared and stored in lower case. */
export const tagSchema = z
  .string()
  .min(1)
  .max(LIMITS.tagCharacters)
  .refine((tag) => !/[,;]/.test(tag) && !hasForbiddenCharacter(tag), {
    message: 'must not contain a comma, a semicolon or a control character',
    params: { code: 'forbidden_character' },
  })
  .refine((tag) => tag === '' || tag.trim() !== '', BLANK);

/** The limit applies after lower-casing and de-duplication. */
export const tagsSchema = transformed(z.array(tagSchema), (tags) => [...new Set(tags.map((tag) => tag.toLowerCase()))])
  .refine((tags) => tags.length <= LIMITS.tagsPerMessage, {
    message: `must have at most ${LIMITS.tagsPerMessage} different tags`,
    params: { code: 'too_many' },
  })
  .describe(
    `Labels for filtering, at most ${LIMITS.tagsPerMessage}. They are lower-cased and de-duplicated; 1 to ${LIMITS.tagCharacters} characters each, no comma, semicolon or control character.`,
  );
