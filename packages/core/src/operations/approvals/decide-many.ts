import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { approvalResultSchema, newApprovalDecisionsSchema } from '../../schemas/approval.ts';
import { WHO_DECIDES, WHO_DECIDES_BY_COMMAND } from './decide.ts';

export const decideApprovals = defineOperation({
  id: 'approvals.decide-many',
  method: 'POST',
  path: '/keys/approvals',
  access: { kind: 'key', scope: 'approvals:decide' },
  reach: 'controls',
  summary: 'Approve or reject several held sends',
  description: `Decides each hold separately, by the same rules as \`POST /keys/approvals/:id\`. Always returns 207 with one result per id, in order. ${WHO_DECIDES}`,
  effect: 'update',
  query: z.strictObject({}),
  body: newApprovalDecisionsSchema,
  bodyBytes: LIMITS.idListBodyBytes,
  status: 207,
  response: 'json',
  output: z
    .object({
      accepted: z.number().int().describe('Number of decisions that were recorded.'),
      refused: z.number().int().describe('Number of decisions that were refused.'),
      total: z.number().int(),
      results: z.array(approvalResultSchema).describe('One entry per id, in order.'),
    })
    .meta({ id: 'ApprovalOutcomes' }),
  errors: ['self_approval_forbidden', 'permission_escalation'],
  mcp: null,
  cli: {
    command: 'approvals decide-many',
    description: `Decides each hold separately, by the same rules as approvals decide, and prints one result per id. ${WHO_DECIDES_BY_COMMAND}`,
    positional: ['ids'],
    examples: ['postrider approvals decide-many <id> <id> --decision approve'],
  },
});
