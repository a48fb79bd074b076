import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { idSchema, timestampSchema } from '../../schemas/identifiers.ts';
import { keyFields } from '../../schemas/key.ts';

export const getOwnKey = defineOperation({
  id: 'keys.self',
  method: 'GET',
  path: '/keys/self',
  access: { kind: 'key', scope: null, users: 'none' },
  reach: 'none',
  summary: 'Read the calling key',
  description: 'The calling key, what it may do, and what is left of its account’s monthly quota.',
  effect: 'read',
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: z
    .object({
      ...keyFields,
      sendingDomains: z
        .array(z.string())
        .describe('Domains this key can send from: the verified ones of the account, and the sandbox domain.'),
      sendsLeft: z
        .object({ hour: z.number().int().nullable(), day: z.number().int().nullable() })
        .nullable()
        .describe('Messages left of `sendLimit` in this hour and on this day; null without a limit.'),
      sendingPaused: z
        .enum(['key', 'account'])
        .nullable()
        .describe('What is paused, so that nothing can be sent; null if nothing is.'),
      account: z.object({ id: idSchema, name: z.string() }),
      quota: z.object({
        limit: z.number().int().describe('Recipients per month.'),
        used: z.number().int(),
        remaining: z.number().int(),
        resetsAt: timestampSchema,
      }),
    })
    .meta({ id: 'OwnKey' }),
  errors: [],
  mcp: {
    tool: 'get_sending_context',
    toolset: null,
    title: 'What this key may send',
    description:
      'Returns what you may do here before you send: the scopes and recipient allowlist of the calling key, the domains you may send from, and what is left of the monthly quota. Not for the status of messages: use list_emails. Returns one record.',
  },
  cli: { command: 'keys self', examples: ['postrider keys self', 'postrider keys self --json'] },
});
