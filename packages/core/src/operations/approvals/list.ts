import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { approvalSchema } from '../../schemas/approval.ts';
import { APPROVAL_STATUSES } from '../../schemas/hold.ts';
import { cursorSchema, limitSchema, pageFields } from '../../schemas/page.ts';
import { queryFlag } from '../../schemas/query-flag.ts';

export const listApprovals = defineOperation({
  id: 'approvals.list',
  method: 'GET',
  path: '/keys/approvals',
  access: { kind: 'key', scope: null },
  reach: 'none',
  summary: 'List held sends',
  description:
    'Sends that are or were held for a decision, newest first, in keyset pages. A key sees the holds of its own sends; with the scope `approvals:read`, those of the whole account. A page with very large bodies ends early: follow `nextCursor`.',
  effect: 'read',
  query: z.strictObject({
    status: z.enum(APPROVAL_STATUSES).optional().describe('Only holds with this status. Default: all.'),
    content: queryFlag(true).describe(
      'Whether to return `text` and `html`. Without them they are null, and a page has as many holds as `limit`.',
    ),
    limit: limitSchema,
    cursor: cursorSchema,
  }),
  status: 200,
  response: 'json',
  output: z.object({ approvals: z.array(approvalSchema), ...pageFields }).meta({ id: 'ApprovalPage' }),
  errors: ['invalid_cursor'],
  mcp: {
    tool: 'list_approvals',
    toolset: 'approvals',
    title: 'List held sends',
    hides: ['content'],
    description:
      'Lists sends that are held until an approver decides, newest first, 20 at a time; filter by status. Not for deciding: only approvers do that. To withdraw a held send, use cancel_email. Returns rows without bodies, and a cursor; read one with get_approval.',
  },
  cli: {
    command: 'approvals list',
    description:
      'Lists sends that are or were held for a decision, newest first. A key sees the holds of its own sends; with the scope approvals:read, those of the whole account. For the next page, repeat the command with --cursor; a page of very large messages ends early.',
    examples: ['postrider approvals list --status pending', 'postrider approvals list --limit 20 --json'],
  },
});
