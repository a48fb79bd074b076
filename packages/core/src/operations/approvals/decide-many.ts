import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { approvalResultSchema, newApprovalDecisionsSchema } from '../../schemas/approval.ts';
import { WHO_DECIDES } from './decide.ts';

export const decideApprovals = defineOperation({
  id: 'approvals.decide-many',
  method: 'POST',
  path: '/keys/approvals',
  access: { kind: 'key', scope: 'approvals:decide' },
  reach: 'controls',
  summary: 'Approve or reject several held sends',
  description: `Decides each hold by itself, as \`POST /keys/approvals/:id\` does, and always answers 207 with one result an id, in order. ${WHO_DECIDES}`,
  effect: 'update',
  query: z.strictObject({}),
  body: newApprovalDecisionsSchema,
  bodyBytes: LIMITS.idListBodyBytes,
  status: 207,
  response: 'json',
  output: z
    .object({
      accepted: z.number().int().describe('Holds that were decided.'),
      refused: z.number().int().describe('Those that were not.'),
      total: z.number().int(),
      results: z.array(approvalResultSchema).describe('One entry an id, in order.'),
    })
    .meta({ id: 'ApprovalOutcomes' }),
  errors: ['self_approval_forbidden'],
  mcp: null,
  cli: {
    command: 'approvals decide-many',
    positional: ['ids'],
    examples: ['postrider approvals decide-many <id> <id> --decision approve'],
  },
});
