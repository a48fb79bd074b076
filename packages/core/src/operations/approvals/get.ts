import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { approvalSchema } from '../../schemas/approval.ts';
import { integerInQuery } from '../../schemas/page.ts';
import { queryFlagSchema } from '../../schemas/query-flag.ts';

export const approvalParams = z.object({
  id: z.string().describe('The id of the hold: the `approvalId` of the send.'),
});

export const getApproval = defineOperation({
  id: 'approvals.get',
  method: 'GET',
  path: '/keys/approvals/:id',
  access: { kind: 'key', scope: null },
  reach: 'none',
  summary: 'Read a held send',
  description:
    'One hold with all the content of the message, including bcc recipients. A key sees the holds of its own sends; with the scope `approvals:read`, those of the whole account. With `wait` it returns as soon as the hold is decided, or unchanged after the timeout.',
  effect: 'read',
  params: approvalParams,
  query: z.strictObject({
    wait: integerInQuery(1, LIMITS.waitSecondsMax)
      .optional()
      .describe(`Seconds to wait for a decision, 1 to ${LIMITS.waitSecondsMax}.`),
    review: queryFlagSchema.describe('Adds `review`: deceptive links, hidden text, and where each link leads.'),
  }),
  status: 200,
  response: 'json',
  output: approvalSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_approval',
    toolset: 'approvals',
    title: 'Read a held send',
    description:
      'Reads one held send by its approval id: why it is held, its content, and the decision with code, note and edited fields. Not for deciding: only approvers do that. To withdraw it, use cancel_email with its emailId. `wait` returns once it is decided. Long bodies are cut.',
    // The model reads the message itself; the view of a held send has the review.
    hides: ['review'],
    ceilings: {
      wait: {
        max: 50,
        apiMax: LIMITS.waitSecondsMax,
        optional: true,
        description: 'Seconds to wait for a decision, 1 to 50.',
      },
    },
  },
  cli: {
    command: 'approvals get',
    description:
      'Shows one hold with all the content of the message, including blind recipients. A key sees the holds of its own sends; with the scope approvals:read, those of the whole account. With --wait, the command prints the hold as soon as it is decided, or unchanged when the wait ends.',
    positional: ['id'],
    examples: ['postrider approvals get <id> --wait 50'],
  },
});
