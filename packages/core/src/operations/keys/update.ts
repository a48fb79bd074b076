import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { ESCALATION_RULE, keyParams, keySchema } from '../../schemas/key.ts';
import { keyChangesSchema } from '../../schemas/new-key.ts';

export const updateKey = defineOperation({
  id: 'keys.update',
  method: 'PATCH',
  path: '/keys/:id',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  comparesCaller: true,
  summary: 'Change a key',
  description: `Changes the fields you pass and keeps the others; null removes a restriction. It takes effect within a second on every server process, including on open connections. The mode of a key never changes. A revoked key cannot be changed (422 with \`revoked\` at \`id\`). Tightening is always allowed. ${ESCALATION_RULE}`,
  effect: 'update',
  params: keyParams,
  body: keyChangesSchema,
  bodyBytes: LIMITS.keyBodyBytes,
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found', 'permission_escalation'],
  mcp: {
    tool: 'update_key',
    toolset: 'keys',
    title: 'Change a key',
    hides: ['approvers'],
    description:
      'Changes the fields you pass of an API key, within a second; null removes a restriction, and omitted fields stay unchanged. No key can be made less restricted than the calling one. Ask the user first. Not for stopping its sends: use pause_key. Returns the key.',
  },
  cli: {
    command: 'keys update',
    description:
      'Changes what you pass and keeps the rest. The change takes effect within a second, even on open connections. A key can always be restricted further. No key can be loosened beyond the calling key: the command then fails with permission_escalation and names what exceeds it. Loosening the approval mode needs the scope approvals:decide. The mode of a key never changes, and a revoked key cannot be changed.',
    positional: ['id'],
    examples: ['postrider keys update 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a --rate-limit 60'],
  },
});
