import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { approvalCheckSchema } from '../../schemas/approval-check.ts';
import { approvalParams } from './get.ts';

/** Enough for the addresses of a message with the most recipients. */
const RECIPIENTS_CHARACTERS = 14_000;

export const checkApproval = defineOperation({
  id: 'approvals.check',
  method: 'GET',
  path: '/keys/approvals/:id/check',
  access: { kind: 'key', scope: null },
  reach: 'none',
  summary: 'Check whether a held send can be approved',
  description:
    'What approving a hold would return now, without deciding it and without any charge: the acceptance check with the present rules, and whether this caller may approve it. A key can check the holds of its own sends; with the scope `approvals:read`, those of the whole account. The result can change before the decision, which checks again.',
  effect: 'read',
  params: approvalParams,
  query: z.strictObject({
    recipients: z
      .string()
      .min(1)
      .max(RECIPIENTS_CHARACTERS)
      .optional()
      .describe(
        'Addresses separated by commas: the recipients after your edits, instead of those of the message. Needs `approvals:decide`.',
      ),
  }),
  status: 200,
  response: 'json',
  output: approvalCheckSchema,
  errors: ['not_found'],
  mcp: null,
  cli: {
    command: 'approvals check',
    description:
      'Shows what approving a hold would do now, without deciding it: whether the message would be sent, and whether you may approve it. A key can check the holds of its own sends; with the scope approvals:read, those of the whole account.',
    positional: ['id'],
    examples: ['postrider approvals check <id>', 'postrider approvals check <id> --recipients ada@example.com --json'],
  },
});
