import { z } from 'zod';
import { type MessageStatus, PROBLEM_STATUSES } from '../events.ts';
import { LIMITS } from '../limits.ts';
import { hasForbiddenCharacter, toAsciiDomain } from './email-address.ts';
import { idSchema } from './identifiers.ts';
import { messageStatusSchema } from './message.ts';
import { agentNameSchema, channelSchema, sourceSchema } from './provenance.ts';
import { addressFilterSchema } from './recipients.ts';
import { tagSchema } from './tags.ts';
import { timeBoundSchema } from './time-bound.ts';

/** Subjects and addresses contain no control characters, so a search text with one is a mistake. */
const searchSchema = z
  .string()
  .min(LIMITS.searchCharactersMin)
  .max(LIMITS.searchCharactersMax)
  .refine((text) => !hasForbiddenCharacter(text), {
    message: 'must not contain line breaks, control or text-direction characters',
    params: { code: 'forbidden_character' },
  });

/** One value, or several if the parameter is repeated. Parses to a list in lower case, as message tags are stored. */
const tagFilterSchema = z
  .union([tagSchema.transform((tag) => [tag]), z.array(tagSchema).min(1)])
  .transform((tags) => [...new Set(tags.map((tag) => tag.toLowerCase()))].sort())
  .refine((tags) => tags.length <= LIMITS.tagsPerMessage, {
    message: `must be at most ${LIMITS.tagsPerMessage} different tags`,
    params: { code: 'too_many' },
  })
  .meta({
    publishedAs: { type: 'array', items: { type: 'string', minLength: 1, maxLength: LIMITS.tagCharacters } },
  });

/** A group of statuses as one value of the filter. */
const PROBLEM = 'problem';

/** Parses to the statuses of which any may match. */
const statusFilterSchema = z
  .enum([...messageStatusSchema.options, PROBLEM])
  .transform((name): readonly MessageStatus[] => (name === PROBLEM ? PROBLEM_STATUSES : [name]))
  .meta({ publishedAs: { type: 'string', enum: [...messageStatusSchema.options, PROBLEM] } });

const domainSchema = z.string().transform((given, context): string => {
  const domain = toAsciiDomain(given);
  if (domain !== null) return domain;
  context.addIssue({ code: 'custom', message: 'must be a domain name', params: { code: 'invalid_domain' } });
  return z.NEVER;
});

/** The filters of the message log, in lists and exports alike. All filters that are passed must match. */
export const messageFilterFields = {
  status: statusFilterSchema
    .optional()
    .describe(`Only messages with this status. \`${PROBLEM}\` means any of ${PROBLEM_STATUSES.join(', ')}.`),
  q: searchSchema
    .optional()
    .describe(
      `Text in the subject or in a recipient’s address or name; case-insensitive. ${LIMITS.searchCharactersMin} to ${LIMITS.searchCharactersMax} characters, no wildcards; cc and bcc are searched too, and whole labels of internationalized domains in either form. Bcc recipients of other keys’ messages match only for keys with \`emails:content-all\`.`,
    ),
  tag: tagFilterSchema
    .optional()
    .describe(
      `Only messages with this tag; if repeated, with all of them. At most ${LIMITS.tagsPerMessage} different tags.`,
    ),
  channel: channelSchema.optional().describe('Only messages sent over this protocol.'),
  source: sourceSchema.optional().describe('Only messages of this source.'),
  agent_name: agentNameSchema.optional().describe('Only messages with exactly this agent name.'),
  key_id: idSchema
    .toLowerCase()
    .optional()
    .describe('Only messages sent under this key. Other keys’ ids match only for callers with `keys:read`.'),
  recipient: addressFilterSchema
    .optional()
    .describe(
      'Full address of a recipient (to, cc or bcc); case-insensitive. For bcc recipients the rule of `q` applies.',
    ),
  domain: domainSchema.optional().describe('Only messages sent from this domain.'),
  sender: addressFilterSchema.optional().describe('Full address of the sender; case-insensitive.'),
  from: timeBoundSchema
    .optional()
    .describe('Created at or after this RFC 3339 time with an offset, or date (its start in UTC).'),
  to: timeBoundSchema.optional().describe('Created before this time or date.'),
};

/** A range that ends before it begins is a mistake; an empty one is allowed, because programs that page by time may request it. */
export function isSpanInOrder({ from, to }: { readonly from?: Date | undefined; readonly to?: Date | undefined }) {
  return from === undefined || to === undefined || from <= to;
}

/** The problem of a range that ends before it begins. */
export const SPAN_IN_DISORDER = {
  path: ['to'],
  message: 'must not be before `from`',
  params: { code: 'out_of_range' },
};
