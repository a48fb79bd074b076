import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { decidedApprovalSchema, newApprovalDecisionSchema } from '../../schemas/approval.ts';
import { approvalParams } from './get.ts';

/** Who may decide, for the descriptions of both operations. */
export const WHO_DECIDES =
  'Signed-in users can decide if their role allows it. Keys with `approvals:decide` can, except the key that sent the message and keys that are themselves in approval mode. Others get 403 `self_approval_forbidden`. A key approves only what its own recipient allowlist and send limit allow; otherwise the send stays held. If `approvers.count` of the hold is above 1, keys cannot approve. If `approvers.memberIds` names members, only they can. Others get 403 `permission_escalation`. If `approvers.requirePasskey` is true, only the page of the hold can approve: 403 `permission_escalation` names its address. Rejecting works everywhere.';

/** The same, for the help of the commands. */
export const WHO_DECIDES_BY_COMMAND =
  'Signed-in users can decide if their role allows it. So can keys with approvals:decide, except the key that sent the message and keys in approval mode; others fail with self_approval_forbidden. A key approves only what its own recipient allowlist and send limit allow; otherwise the send stays held. If several people must approve, keys cannot. If the key that sent the message names its approvers, only they can. Others fail with permission_escalation. If an approval needs a passkey, the command fails with permission_escalation and names the page that approves; it can still reject.';

export const decideApproval = defineOperation({
  id: 'approvals.decide',
  method: 'POST',
  path: '/keys/approvals/:id',
  access: { kind: 'key', scope: 'approvals:decide' },
  reach: 'controls',
  summary: 'Approve or reject a held send',
  description: `Decides a hold, once: a second decision is 409 \`approval_already_decided\`. If several people must approve (\`approvers.count\`), each approval before the last one is recorded in \`votes\`, and the hold stays \`pending\`. \`edits\` then change the held message for everyone and clear the earlier approvals. Approving queues the message, at once or for its scheduled time. The acceptance check runs again, including for the edits. If it refuses the message, the response is still 200: \`outcome\` is \`failed\` with the reason in \`problem\`, the message is \`failed\`, and its quota is returned. Rejecting also returns the quota. \`edits\` create a new revision and record the difference; \`to\`, \`cc\` and \`bcc\` need a caller that may read the hold (403 \`missing_scope\`). ${WHO_DECIDES}`,
  effect: 'update',
  params: approvalParams,
  query: z.strictObject({}),
  body: newApprovalDecisionSchema,
  bodyBytes: LIMITS.decisionBodyBytes,
  status: 200,
  response: 'json',
  output: decidedApprovalSchema,
  errors: [
    'not_found',
    'self_approval_forbidden',
    'permission_escalation',
    'approval_already_decided',
    'approval_changed',
    'recipient_not_allowed',
    'send_limit_reached',
    'sending_paused',
  ],
  mcp: null,
  cli: {
    command: 'approvals decide',
    description: `Decides a hold, once: a second decision fails with approval_already_decided. If several people must approve, it stays pending until the last one approves, and an edit clears the earlier approvals. Approving queues the message, at once or for its scheduled time; if the acceptance check now refuses the message, it fails and the hold shows the reason. A rejected or failed message returns its quota. --edits creates a new revision and records the difference. ${WHO_DECIDES_BY_COMMAND}`,
    positional: ['id'],
    examples: [
      'postrider approvals decide <id> --decision approve',
      'postrider approvals decide <id> --decision reject --reject-code wrong_recipient --note "Ask Ada first."',
    ],
  },
});
