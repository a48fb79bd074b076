import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { TOOL_LIMITS } from '../../schemas/tool-check.ts';
import { utmFields } from '../../schemas/utm.ts';

const webUrlSchema = z
  .string()
  .min(1)
  .max(LIMITS.linkCharacters)
  .refine((url) => /^https?:\/\/[^\s\p{Cc}]+$/iu.test(url) && URL.parse(url) !== null, {
    message: 'must be an http or https URL',
    params: { code: 'invalid_url' },
  })
  .describe(`The link to tag, an http or https URL of at most ${LIMITS.linkCharacters} characters.`);

const taggedUrlSchema = z
  .object({
    ok: z.literal(true),
    original: z.string().describe('The URL you passed.'),
    tagged: z
      .string()
      .describe('The URL with its `utm_*` query parameters; existing query parameters and the anchor are preserved.'),
    params: z
      .object({
        utm_source: z.string(),
        utm_medium: z.string(),
        utm_campaign: z.string(),
        utm_term: z.string().optional(),
        utm_content: z.string().optional(),
      })
      .describe('The UTM parameters of `tagged`: yours, and those that the link keeps.'),
  })
  .meta({ id: 'TaggedUrl' });

export const tagLink = defineOperation({
  id: 'tools.utm',
  method: 'POST',
  path: '/tools/utm',
  access: { kind: 'public' },
  reach: 'none',
  summary: 'Tag a link with UTM parameters',
  description: `The campaign builder: returns the URL with \`utm_*\` query parameters added, the way a send with \`utm\` tags its links. Parameters the URL already has are kept unless \`override_existing\` is true. Needs no key; nothing is stored. At most ${LIMITS.toolRequestsPerMinute} requests a minute from one address, bodies of at most ${LIMITS.toolBodyBytes / 1024} KB.`,
  effect: 'create',
  body: z.strictObject({ url: webUrlSchema, ...utmFields }),
  bodyBytes: LIMITS.toolBodyBytes,
  anonymousLimits: TOOL_LIMITS,
  status: 200,
  response: 'json',
  output: taggedUrlSchema,
  errors: ['rate_limited'],
  mcp: {
    tool: 'tag_link',
    toolset: 'diagnostics',
    title: 'Tag a link',
    description:
      'Adds utm parameters to one link, for use elsewhere. Not for links in an email: send_email with `utm` tags them all. Parameters that the link already has are kept unless `override_existing` is true. Sends and stores nothing. Returns the link and its parameters.',
    // The builder returns a link and stores nothing.
    effect: 'read',
  },
  cli: {
    command: 'tools utm',
    description:
      'Adds utm parameters to a URL, the way a send with --utm tags its links. Parameters that the URL already has are kept unless you pass --override-existing. Needs no key; nothing is stored. At most 20 calls a minute from one address.',
    positional: ['url'],
    examples: ['postrider tools utm https://example.com/offer --source newsletter --medium email --campaign spring'],
  },
});
