import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { FINDING_LEVELS } from '../tool-findings/finding.ts';
import { type FindingCode, TOOL_FINDINGS, type ToolCheckName } from '../tool-findings.ts';
import { toAsciiDomain } from './email-address.ts';

/** Access and rate limit of the free tools. */
export const TOOL_LIMITS = {
  count: 'tools',
  requestsPerMinute: LIMITS.toolRequestsPerMinute,
} as const;

/** The end of every check's description. */
export const TOOL_NOTE = `Needs no key; nothing is stored. Responds within ${LIMITS.toolSeconds + 2} seconds, with 200 even if the DNS does not respond: a finding then says what could not be checked. DNS responses are at most ${LIMITS.toolMemorySeconds} seconds old; responses of blocklists are cached as long as they allow. At most ${LIMITS.toolRequestsPerMinute} requests a minute from one address. If the server is already running as many checks as it can, the response is 429 \`rate_limited\` too.`;

/** The same, for the help of the commands. */
export const TOOL_COMMAND_NOTE = `Needs no key; nothing is stored. Prints its result within ${LIMITS.toolSeconds + 2} seconds, even if the DNS does not respond: a finding then says what could not be checked. DNS responses are at most ${LIMITS.toolMemorySeconds} seconds old; responses of blocklists are cached as long as they allow. At most ${LIMITS.toolRequestsPerMinute} checks a minute from one address; beyond that, or if the server is busy, the command fails with rate_limited.`;

const MUST_BE = 'must be a domain name of at least two labels, for example `example.com`';

/**
 * A DNS name to check, as A-labels in lower case, without surrounding spaces and final dot. Unlike a mail domain, it may have labels with
 * underscores, such as `_spf.example.com`.
 */
export const checkedDomainSchema = z
  .string()
  .min(1)
  .max(LIMITS.domainCharacters)
  .transform((given, context): string => {
    const name = toCheckedDomain(given);
    if (name !== null) return name;
    context.addIssue({ code: 'custom', message: MUST_BE, params: { code: 'invalid_domain' } });
    return z.NEVER;
  });

export const selectorSchema = z
  .string()
  .min(1)
  .max(LIMITS.selectorCharacters)
  .regex(/^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/i, {
    message: 'must be a DKIM selector',
  })
  .transform((selector) => selector.toLowerCase());

/**
 * The result of a check: the contract's fields, with the codes of this check.
 * @param id the name of the result's schema, such as `SpfCheck`, from which the name of its finding is derived
 */
export function toolCheckSchema<Check extends ToolCheckName, Record extends z.ZodType>(
  check: Check,
  id: string,
  record: Record,
  records: string,
) {
  // Every check of the catalog has findings.
  const codes = Object.keys(TOOL_FINDINGS[check]) as [FindingCode<Check>, ...FindingCode<Check>[]];
  const finding = z
    .object({
      level: z
        .enum(FINDING_LEVELS)
        .describe('`pass`: correct. `warn`: should be improved, or was not checked. `fail`: broken.'),
      code: z.enum(codes).describe('Stable code of the finding; docs/tools.md explains each.'),
      message: z.string().describe('What was found, in words.'),
      fix: z.string().describe('What to do about it.'),
    })
    .meta({ id: id.replace(/Check$/, 'Finding') });
  return z
    .object({
      ok: z.boolean().describe('False if `status` is `fail`.'),
      check: z.literal(check),
      target: z.string().describe('What was checked.'),
      status: z.enum(FINDING_LEVELS).describe('The worst level of the findings.'),
      records: z.array(record).describe(records),
      findings: z.array(finding).describe('What was found, with the worst first.'),
      checkedAt: z.string().describe('ISO 8601, UTC.'),
    })
    .meta({ id });
}

/** Only the labels after the last one with an underscore have to be a mail domain. */
function toCheckedDomain(given: string): string | null {
  const labels = given.trim().replace(/\.$/, '').split('.');
  const own = labels.findLastIndex((label) => label.includes('_')) + 1;
  const front = labels.slice(0, own).map((label) => label.toLowerCase());
  const domain = toAsciiDomain(labels.slice(own).join('.'));
  if (domain === null || !front.every((label) => /^[a-z0-9_-]{1,63}$/.test(label))) return null;
  const name = [...front, domain].join('.');
  return name.length <= LIMITS.domainCharacters ? name : null;
}
