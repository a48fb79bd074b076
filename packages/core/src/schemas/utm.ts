import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { hasForbiddenCharacter } from './email-address.ts';

const utmValueSchema = z
  .string()
  .min(1)
  .max(LIMITS.utmValueCharacters)
  .refine((value) => !hasForbiddenCharacter(value), {
    message: 'must not contain control or text-direction characters',
    params: { code: 'forbidden_character' },
  });

/** The fields of a UTM object in send requests and the campaign builder. */
export const utmFields = {
  source: utmValueSchema.describe('Traffic source: `utm_source`.'),
  medium: utmValueSchema.describe('Marketing medium: `utm_medium`.'),
  campaign: utmValueSchema.describe('Campaign identifier: `utm_campaign`.'),
  term: utmValueSchema.optional().describe('Paid keyword: `utm_term`.'),
  content: utmValueSchema.optional().describe('Distinguishes links of one campaign: `utm_content`.'),
  override_existing: z
    .boolean()
    .default(false)
    .describe('If true, replaces UTM parameters that a link already has; if false, keeps them.'),
};

export const utmSchema = z
  .strictObject(utmFields)
  .describe(
    `UTM parameters to add to every http and https link. Values have 1 to ${LIMITS.utmValueCharacters} characters. They are added to html and text before queueing. Unsubscribe links, anchors and \`mailto:\` are not changed.`,
  )
  .meta({ id: 'Utm' });
