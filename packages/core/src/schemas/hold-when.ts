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

/** Which sends of a key in the mode `policy` are held; one matching rule is enough. */
export const newHoldWhenSchema = z.strictObject({
  firstContact: z
    .boolean()
    .optional()
    .describe(
      'Sends to an address the account has never sent to. Mail that was held and not approved does not count, nor does mail of test keys. For a key without `emails:content-all`, bcc recipients of other keys’ messages do not count either.',
    ),
  recipientDomainNotIn: domainsSchema.nullable().optional().describe('Sends to a domain that is not in this list.'),
  recipientsOver: z
    .number()
    .int()
    .min(0)
    .max(LIMITS.recipientsPerMessage)
    .nullable()
    .optional()
    .describe('Sends to more recipients than this.'),
  hasBcc: z.boolean().optional().describe('Sends with bcc recipients.'),
  hasAttachments: z
    .boolean()
    .optional()
    .describe(
      'Sends with attachments, or with files within a body: `data:` URLs in the HTML, including images, and text that contains uuencode, yEnc or BinHex.',
    ),
  freeformBody: z
    .boolean()
    .optional()
    .describe(
      'Sends that contain more than a stored template that an unrestricted author wrote or an approver published: another body, a subject, a sender name other than the account’s or the key’s agent, a `reply_to` outside the account’s verified domains, headers that mail programs display, attachments, and variables that print a link, a telephone number, markup, a line break, a whole list or more than 100 characters in one place, or have more than 1,000 characters in total.',
    ),
  linkDomainNotIn: domainsSchema
    .nullable()
    .optional()
    .describe(
      'Sends with a link to a domain that is not in this list, in the HTML, the text, the subject, a header or a display name; a subdomain is a separate domain. Content that the message loads counts too, such as images and style sheets, and so do mail addresses outside the recipients’ and the sender’s domains. If a link cannot be judged, the send is held: unknown schemes, relative links, IP addresses.',
    ),
});

/** The stored and returned form: every rule, false or null if it is off. */
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
