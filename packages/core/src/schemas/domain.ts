import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { toAsciiDomain } from './email-address.ts';
import { idSchema, timestampSchema } from './identifiers.ts';

/** The statuses of a sending domain. */
export const DOMAIN_STATUSES = {
  pending: `Not all of its records are found yet. They are looked up after 5 minutes, later every hour, for ${LIMITS.domainPendingHours} h.`,
  verified: 'Mail can be sent from it. Its records are looked up once a day.',
  degraded: `A required record is gone. Mail can still be sent from it for ${LIMITS.domainGraceHours} h, and its records are looked up every hour.`,
  failed:
    'Its required records were not found in time, or another account proved that it owns the name. To start again, verify it.',
  removed: 'It was deleted, and its keys are stored so that it can be restored.',
} as const;

export type DomainStatus = keyof typeof DOMAIN_STATUSES;

const STATUS_NAMES = Object.keys(DOMAIN_STATUSES) as DomainStatus[]; // Object.keys widens to string.

/** The statuses in the domain list: removed domains are in the history. */
export const listedDomainStatusSchema = z.enum(['pending', 'verified', 'failed', 'degraded']);

const domainStatusSchema = z
  .enum(STATUS_NAMES)
  .describe(STATUS_NAMES.map((name) => `\`${name}\`: ${DOMAIN_STATUSES[name]}`).join(' '));

/** One record to publish, with the latest DNS result. */
export const domainRecordSchema = z
  .object({
    purpose: z.enum(['spf', 'dkim', 'dmarc', 'mx']),
    type: z.enum(['TXT', 'MX']),
    name: z
      .string()
      .describe('The part of `host` before the sending domain. In the DNS zone of a parent domain, use `host`.'),
    host: z.string().describe('The full name, without a dot at the end.'),
    value: z.string().describe('What to publish. For a DMARC record: what to publish if there is none yet.'),
    priority: z.number().int().nullable().describe('Only for MX records.'),
    ttl: z.number().int().describe('The time to live to publish it with, in seconds.'),
    required: z.boolean().describe('Whether the domain needs it to be verified. Other records are recommended.'),
    status: z
      .enum(['pass', 'fail', 'pending'])
      .describe('`pending`: not looked up yet, or the DNS did not respond; `reason` says which.'),
    reason: z
      .string()
      .nullable()
      .describe('Why it is not `pass`, or a note if it is. Null if there is nothing to report.'),
    found: z.array(z.string()).describe('What the DNS returns at `host`, as text.'),
    checkedAt: timestampSchema.nullable(),
  })
  .meta({ id: 'DomainRecord' });

/** A sending domain with the records it needs. */
export const domainSchema = z
  .object({
    id: idSchema,
    name: z.string().describe('In lower case, as A-labels.'),
    status: domainStatusSchema,
    statusReason: z
      .string()
      .nullable()
      .describe(
        'Why it is `failed` or `degraded`, as a sentence: what is missing, since when, or that another account owns the name. Null otherwise.',
      ),
    dkimSelector: z.string().describe('The selector of the RSA key that mail is signed with.'),
    records: z.array(domainRecordSchema).describe('The records to publish, with required ones first.'),
    createdAt: timestampSchema,
    verifiedAt: timestampSchema.nullable().describe('When it was last verified; null if it is not verified.'),
    lastCheckedAt: timestampSchema.nullable().describe('When its records were last looked up.'),
  })
  .meta({ id: 'Domain' });

export const domainRecordsSchema = z.object({ records: z.array(domainRecordSchema) }).meta({ id: 'DomainRecords' });

export const domainParams = z.object({ id: z.string().describe('Domain id.') });

const MAX_INPUT_CHARACTERS = 1_000; // bounds the work of parsing; the limit of a name applies to its A-labels

/** A name as typed or copied, without surrounding spaces and the final dot that zone files and DNS consoles add. */
export function withoutRoot(given: string): string {
  return given.trim().replace(/\.$/, '');
}

/** A domain name; parses to A-labels in lower case. */
export const domainNameSchema = z
  .string()
  .max(MAX_INPUT_CHARACTERS)
  .transform((given, context): string => {
    const name = toAsciiDomain(withoutRoot(given));
    if (name !== null) return name;
    const message = faultOfDomain(withoutRoot(given));
    context.addIssue({ code: 'custom', message, params: { code: 'invalid_domain' } });
    return z.NEVER;
  });

/** What is wrong with a name that is no domain: the first character that no name has, or its form. */
function faultOfDomain(name: string): string {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name)) return 'must be a domain name without `https://` and without a path';
  const [character] = /[^\p{L}\p{M}\p{N}.-]/u.exec(name) ?? [];
  if (character === '@') return 'must be a domain name; pass the part of the address after the `@`';
  if (character === '*') return 'must be a domain name without `*`; each subdomain that sends is a domain';
  if (character !== undefined) return `has the character ${nameOfCharacter(character)}, which domain names cannot have`;
  if (!name.includes('.')) return 'must have at least two labels, for example `mail.example.com`';
  if (name.split('.').includes('')) return 'has an empty label: two dots in a row, or one at the beginning';
  if (/(?:^|\.)-|-(?:\.|$)/.test(name)) return 'has a label that begins or ends with a hyphen';
  return 'must be a domain name of at least two labels and at most 253 characters, for example `mail.example.com`';
}

/** Spaces and invisible characters by their number, because a message would not show them. */
function nameOfCharacter(character: string): string {
  if (character === ' ') return '` ` (a space)';
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
  return /[\p{C}\p{Z}]/u.test(character) ? `U+${code}` : `\`${character}\``;
}

const SELECTOR = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

export const dkimSelectorSchema = z
  .string()
  .toLowerCase()
  .min(1)
  .max(LIMITS.dkimSelectorCharacters)
  .regex(SELECTOR, 'must be labels of letters, digits and inner hyphens, joined by dots (RFC 6376)');

export const returnPathSchema = z.string().min(1).max(MAX_INPUT_CHARACTERS);

export type Domain = z.input<typeof domainSchema>;
export type DomainRecord = z.input<typeof domainRecordSchema>;
