import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { accountApproversSchema } from './approvers.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

export const REPUTATION_LEVELS = ['good', 'watch', 'at_risk', 'suspended'] as const;

export const accountNameSchema = headerText(1, LIMITS.accountNameCharacters)
  .refine((name) => name.trim() === name, {
    message: 'must not begin or end with white space',
    params: { code: 'invalid_format' },
  })
  .describe(`The organization’s name, 1 to ${LIMITS.accountNameCharacters} characters.`);

/** A limit and the current usage. */
const utilizationSchema = z.object({ used: z.number().int(), limit: z.number().int() });

/** The account of the calling key. */
export const accountSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    plan: z.string().describe('`self_hosted` unless set otherwise.'),
    monthlyQuota: z.number().int().describe('Recipients per calendar month (UTC).'),
    monthlyUsed: z.number().int().describe('Recipients so far this month.'),
    quotaResetsAt: timestampSchema.describe('When the next month begins.'),
    domains: utilizationSchema.describe('Sending domains, without deleted ones.'),
    seats: utilizationSchema.describe('Members of the team, including those who are invited and have not joined yet.'),
    reputationLevel: z
      .enum(REPUTATION_LEVELS)
      .describe(
        `Calculated every hour from the bounces and complaints of the last ${LIMITS.reputationWindowDays} UTC days. With fewer than ${LIMITS.reputationSendsMin} messages (not counting those to test addresses) it is \`good\`. It is \`watch\` from 3 % bounces or 0.05 % complaints, \`at_risk\` from 5 % or 0.1 %, \`suspended\` from 10 % or 0.5 %. While it is \`suspended\`, sends are refused with \`account_suspended\`, until those days have passed or the operator resumes the account.`,
      ),
    retentionDays: z
      .number()
      .int()
      .describe('Days for which bodies and attachments of messages are stored. The log is stored longer.'),
    trackOpens: z.boolean().describe('Whether HTML mail contains an image that reports when it is opened.'),
    trackClicks: z.boolean().describe('Whether the links of HTML mail are rewritten to report when they are followed.'),
    approvers: accountApproversSchema.describe('What every approval of a held send needs, whatever its key says.'),
    pausedAt: timestampSchema.nullable().describe('When sending was paused; null if it is not paused.'),
    deletionScheduledAt: timestampSchema
      .nullable()
      .describe('When the account is deleted; null if no deletion is scheduled.'),
    sandboxDomain: z
      .string()
      .describe(
        'The domain of the test addresses. Every account can send from it, and no mail to it leaves the server.',
      ),
  })
  .meta({ id: 'Account' });

export type ReputationLevel = (typeof REPUTATION_LEVELS)[number];

export const accountDeletionSchema = z
  .object({
    deletionScheduledAt: timestampSchema.describe(
      'When the account is erased, unless the deletion is canceled before then.',
    ),
  })
  .meta({ id: 'AccountDeletion' });

export const checklistSchema = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string().describe('Stable name of the step.'),
          label: z.string(),
          done: z.boolean(),
          fix: z.string().describe('How to do it.'),
        })
        .meta({ id: 'ChecklistItem' }),
    ),
    completed: z.number().int().describe('Number of steps that are done.'),
    total: z.number().int(),
  })
  .meta({ id: 'Checklist' });
