import { z } from 'zod';
import { ERROR_CODES } from '../errors.ts';
import { timestampSchema } from './identifiers.ts';
import { storedAttachmentSchema } from './message.ts';
import { channelSchema, sourceSchema } from './provenance.ts';
import { RECIPIENT_KINDS } from './recipients.ts';

/** The checks of a dry run, in the order of the response; all are always present. */
export const DRY_RUN_CHECKS = {
  account: 'The account and the key may send what you ask for.',
  domain: 'The sender’s domain is verified.',
  allowlist: 'Every recipient is on the key’s recipient allowlist.',
  suppression: 'No recipient is on the suppression list.',
  template: 'The template exists and renders.',
  attachments: 'Every file is allowed and small enough. Files named by URL are not fetched.',
  schedule: 'The scheduled time can be kept.',
  content: 'All other rules for the content.',
  quota: 'The monthly quota and the key’s send limits are sufficient.',
} as const;

export type DryRunCheckName = keyof typeof DRY_RUN_CHECKS;

// Object.keys widens to string; the literal above has exactly these names.
export const DRY_RUN_CHECK_NAMES = Object.keys(DRY_RUN_CHECKS) as readonly DryRunCheckName[];

const checkSchema = z.object({
  name: z
    .enum(DRY_RUN_CHECK_NAMES)
    .describe(DRY_RUN_CHECK_NAMES.map((name) => `\`${name}\`: ${DRY_RUN_CHECKS[name]}`).join(' ')),
  ok: z.boolean(),
  code: z.enum(ERROR_CODES).optional().describe('Only if it failed: the error code a send would get.'),
  message: z.string().optional().describe('Only if it failed: what is wrong.'),
  fix: z.string().optional().describe('Only if it failed: what to do next.'),
});

const checkedRecipientSchema = z.object({
  email: z.string(),
  kind: z.enum(RECIPIENT_KINDS),
  ok: z.boolean(),
  code: z.enum(ERROR_CODES).optional().describe('Only if it failed: why this recipient would be refused.'),
});

const renderedMessageSchema = z.object({
  from: z.string().describe('The sender in the request.'),
  to: z.string().describe('The `to` addresses, joined by a comma and a space.'),
  cc: z.array(z.string()),
  bcc: z.array(z.string()),
  replyTo: z.string().nullable(),
  subject: z.string(),
  html: z.string().nullable().describe('Rendered and tagged, without tracking; unchanged if it could not be rendered.'),
  text: z.string().nullable(),
  headers: z.record(z.string(), z.string()),
  attachments: z.array(
    storedAttachmentSchema.extend({
      size: z
        .number()
        .int()
        .nullable()
        .describe('Bytes; null for a file named by URL, which a dry run does not fetch.'),
    }),
  ),
  channel: channelSchema,
  source: sourceSchema,
  agentName: z.string().nullable(),
  tags: z.array(z.string()),
  metadata: z.record(z.string(), z.string()),
  template: z.string().nullable().describe('The template with the version that was rendered.'),
  scheduledAt: timestampSchema.nullable(),
});

/** The result of a dry run. */
export const dryRunSchema = z
  .object({
    dryRun: z.literal(true),
    ok: z.boolean().describe('Whether a send would be accepted now: true if every check passes.'),
    checks: z.array(checkSchema).describe('Every check, whether it passed or failed, always in this order.'),
    recipients: z.array(checkedRecipientSchema).describe('Each address once, in the order to, cc, bcc.'),
    message: renderedMessageSchema.describe('What would be sent.'),
    quota: z
      .object({
        limit: z.number().int().describe('Recipients per month.'),
        used: z.number().int().describe('Used this month, without this send.'),
        cost: z.number().int().describe('What this send would use.'),
      })
      .describe('The account’s monthly quota; the dry run uses none of it.'),
    approvalRequired: z.boolean().describe('Whether the send would be held until an approver decides.'),
    reasons: z.array(z.string()).describe('Why it would be held.'),
  })
  .meta({ id: 'DryRun' });

export type DryRun = z.input<typeof dryRunSchema>;
