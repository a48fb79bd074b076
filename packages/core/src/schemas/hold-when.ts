import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { toAsciiDomain } from './email-address.ts';

export const APPROVAL_MODES = ['off', 'always', 'policy'] as const;
export type ApprovalMode = (typeof APPROVAL_MODES)[number];

const domainSchema = z.string().transform((given, context): string => {
  const domain = toAsciiDomain(given);
  if (domain !== null) return domain;
  context.addIssue({
    code: 'custom',
    message: 'must be a domain name such as `example.com`',
    params: { code: 'invalid_format' },
  });
  return z.NEVER;
});

const domainsSchema = z.array(domainSchema).max(LIMITS.keyDomainEntries);

/** Which sends of a key in the mode `policy` are held; any match holds. */
export const newHoldWhenSchema = z.strictObject({
  firstContact: z
    .boolean()
    .optional()
    .describe(
      'Sends to somebody the account never wrote to; mail that was held and not approved, and that of test keys, does not count. Nor do blind copies of other senders for a key without `emails:content-all`.',
    ),
  recipientDomainNotIn: domainsSchema.nullable().optional().describe('Sends to a domain that is not listed.'),
  recipientsOver: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.recipientsPerMessage)
    .nullable()
    .optional()
    .describe('Sends to more recipients than this.'),
  hasBcc: z.boolean().optional().describe('Sends with blind copies.'),
  hasAttachments: z
    .boolean()
    .optional()
    .describe(
      'Sends with attachments, or with files within a body: `data:` URLs in the HTML, images among them, and texts that contain uuencode, yEnc or BinHex.',
    ),
  freeformBody: z
    .boolean()
    .optional()
    .describe(
      'Sends that say more than a stored template that an unrestricted author wrote or an approver published: another body, a subject, a sender name other than the account’s or the key’s agent, a `reply_to` outside the account’s verified domains, headers that people read, attachments, and variables that print a link, a telephone number, markup, a line break, a whole list or more than 100 characters at one place, or have more than 1,000 characters together.',
    ),
  linkDomainNotIn: domainsSchema
    .nullable()
    .optional()
    .describe(
      'Sends with a link to a domain that is not listed, in the HTML, the text, the subject or a header, or in a display name; a subdomain is a separate domain. What the message loads counts too, such as images and style sheets, and so do mail addresses other than the recipients’ and the sender’s domain. If a link is not certain, the send is held: unknown schemes, relative links, IP addresses.',
    ),
});

/** The same as it is stored and shown: every rule, false or null where it holds nothing. */
export const holdWhenSchema = z.object({
  firstContact: z.boolean(),
  recipientDomainNotIn: z.array(z.string()).nullable(),
  recipientsOver: z.number().int().nullable(),
  hasBcc: z.boolean(),
  hasAttachments: z.boolean(),
  freeformBody: z.boolean(),
  linkDomainNotIn: z.array(z.string()).nullable(),
});

export type HoldWhen = z.output<typeof holdWhenSchema>;
