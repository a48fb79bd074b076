import { z } from 'zod';
import { defineOperation } from '../../operation.ts';
import { suppressionSchema } from '../../schemas/suppression.ts';

export const getSuppression = defineOperation({
  id: 'suppressions.get',
  method: 'GET',
  path: '/suppressions/:id',
  access: { kind: 'key', scope: 'suppressions:read' },
  reach: 'none',
  summary: 'Read one suppression',
  description:
    'One entry of the suppression list by its id, or by its address (URL-encoded): whether, and why, an address is suppressed.',
  effect: 'read',
  params: z.object({ id: z.string().describe('The id of the entry, or its address.') }),
  query: z.strictObject({}),
  status: 200,
  response: 'json',
  output: suppressionSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_suppression',
    toolset: 'suppressions',
    title: 'Get a suppression',
    description:
      'Returns whether and why one address is suppressed. Not for several addresses of a send: use check_recipients; not for browsing: use list_suppressions. Returns the entry; `not_found` means that the address is not suppressed.',
  },
  cli: {
    command: 'suppressions get',
    description:
      'Shows one entry of the suppression list, by its id or its address: whether, and why, an address is suppressed.',
    positional: ['id'],
    examples: ['postrider suppressions get ada@example.org'],
  },
});
