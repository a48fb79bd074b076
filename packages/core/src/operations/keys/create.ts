import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { ESCALATION_RULE, keyWithSecretSchema } from '../../schemas/key.ts';
import { newKeySchema } from '../../schemas/new-key.ts';

export const createKey = defineOperation({
  id: 'keys.create',
  method: 'POST',
  path: '/keys',
  access: { kind: 'key', scope: 'keys:write' },
  reach: 'controls',
  comparesCaller: true,
  summary: 'Create a key',
  description: `Creates an API key and returns it with its secret in \`key\`, which is shown only once. ${ESCALATION_RULE}`,
  effect: 'create',
  body: newKeySchema,
  bodyBytes: LIMITS.keyBodyBytes,
  status: 201,
  response: 'json',
  output: keyWithSecretSchema,
  errors: ['permission_escalation'],
  mcp: {
    tool: 'create_key',
    toolset: 'keys',
    title: 'Create a key',
    hides: ['approvers'],
    description:
      'Creates an API key at least as restricted as the calling one, and returns its secret, which is shown only once. Grant only the scopes it needs. Ask the user first. Not for a new secret of an existing key: use rotate_key.',
  },
  cli: {
    command: 'keys create',
    description:
      'Creates an API key and shows its secret, once. A key cannot create a less restricted key than itself: the command fails with permission_escalation and names what exceeds the calling key. Only a caller with the scope approvals:decide can set a looser approval mode than its own.',
    examples: [
      'postrider keys create --name "Billing" --scope sending',
      'postrider keys create --name "Agent" --scope emails:send --recipient-allowlist @example.com --rate-limit 60',
    ],
  },
});
