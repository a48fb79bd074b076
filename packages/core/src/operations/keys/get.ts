import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { keyParams, keySchema } from '../../schemas/key.ts';

export const getKey = defineOperation({
  id: 'keys.get',
  method: 'GET',
  path: '/keys/:id',
  access: { kind: 'key', scope: 'keys:read' },
  reach: 'none',
  summary: 'Read a key',
  description: 'One key of the account, without its secret.',
  effect: 'read',
  params: keyParams,
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: keySchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_key',
    toolset: 'keys',
    title: 'Read a key',
    description:
      'Reads one API key by id: scopes, limits, allowlists, persona, and whether it is paused or revoked. Not for the key you call with: use get_sending_context. Returns one record, never the secret.',
  },
  cli: {
    command: 'keys get',
    positional: ['id'],
    examples: ['postrider keys get 0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a'],
  },
});
