import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { idSchema, timestampSchema } from './identifiers.ts';
import { headerText } from './text.ts';

export const REPUTATION_LEVELS = ['good', 'watch', 'at_risk', 'suspended'] as const;

export const accountNameSchema = headerText(1, LIMITS.accountNameCharacters)
  .refine((name) => name.trim() === name, {
    message: 'must not begin or end with white space',
    params: { code: 'invalid_format' },
  })
  .describe(`The organization’s name, 1 to ${LIMITS.accountNameCharacters} characters.`);

/** How much of something there may be, and how much there is. */
const utilizationSchema = z.object({ used: z.number().int(), limit: z.number().int() });

/** The account behind the calling key. */
export const accountSchema = z
  .object({
    id: idSchema,
    name: z.string(),
    plan: z.string().describe('`self_hosted` unless set otherwise.'),
    monthlyQuota: z.number().int().describe('Recipients per calendar month (UTC).'),
    monthlyUsed: z.number().int().describe('Recipients of this month so far.'),
    quotaResetsAt: timestampSchema.describe('When the next month begins.'),
    domains: utilizationSchema.describe('Sending domains, those not counted that were removed.'),
    seats: utilizationSchema.describe('Members of the team, those included who were invited and have not joined yet.'),
    reputationLevel: z
      .enum(REPUTATION_LEVELS)
      .describe(
        `From the bounces and complaints of the last ${LIMITS.reputationWindowDays} UTC days, every hour, where at least ${LIMITS.reputationSendsMin} messages were sent to others than test addresses; fewer are \`good\`. \`watch\` from 3 % bounces or 0.05 % complaints, \`at_risk\` from 5 % or 0.1 %, \`suspended\` from 10 % or 0.5 %: then sends are refused with \`account_suspended\`, until those days have passed or the operator resumes the account.`,
      ),
    retentionDays: z
      .number()
      .int()
      .describe('Days for which the content of messages is kept: bodies and attachments. The log is kept longer.'),
    trackOpens: z.boolean().describe('Whether HTML mail carries an image that tells when it is opened.'),
    trackClicks: z.boolean().describe('Whether the links of HTML mail are rewritten to tell when they are followed.'),
    pausedAt: timestampSchema
      .nullable()
      .describe('Since when nothing is sent, because somebody paused it; null where sending goes on.'),
    deletionScheduledAt: timestampSchema.nullable().describe('When the account is deleted; null where it stays.'),
    sandboxDomain: z
      .string()
      .describe(
        'The domain of the test addresses. Every account may send from it, and no mail to it leaves the server.',
      ),
  })
  .meta({ id: 'Account' });

export type ReputationLevel = (typeof REPUTATION_LEVELS)[number];

export const accountDeletionSchema = z
  .object({
    deletionScheduledAt: timestampSchema.describe('When the account is erased, unless that is canceled before.'),
  })
  .meta({ id: 'AccountDeletion' });

export const checklistSchema = z
  .object({
    items: z.array(
      z
        .object({
          id: z.string().describe('A name that stays the same.'),
          label: z.string(),
          done: z.boolean(),
          fix: z.string().describe('How to do it.'),
        })
        .meta({ id: 'ChecklistItem' }),
    ),
    completed: z.number().int().describe('How many are done.'),
    total: z.number().int(),
  })
  .meta({ id: 'Checklist' });
