import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { newSuppressionSchema, suppressionSchema, suppressionsAddedSchema } from '../../schemas/suppression.ts';

const responseSchema = z.union([suppressionSchema, suppressionsAddedSchema]);

export const createSuppression = defineOperation({
  id: 'suppressions.create',
  method: 'POST',
  path: '/suppressions',
  access: { kind: 'key', scope: 'suppressions:write' },
  reach: 'shapes-outbound',
  summary: 'Add suppressions',
  description: `Adds one address (\`email\`) or up to ${LIMITS.suppressionsPerCall} (\`emails\`) to the suppression list. Nothing more is sent to them, including messages that are waiting for delivery. With \`email\` the response is its record: 201 if it is new, 200 with the unchanged record if it existed. With \`emails\` it is \`{suppressions,added,existing}\`, with one record for each different address, in order: 201 if at least one is new, else 200. Every addition is in the audit log.`,
  effect: 'create',
  body: newSuppressionSchema,
  bodyBytes: LIMITS.suppressionBodyBytes,
  status: 201,
  response: 'json',
  output: responseSchema,
  alternatives: [{ status: 200, when: null, summary: 'Every address was already on the list', output: responseSchema }],
  errors: [],
  mcp: {
    tool: 'add_suppression',
    toolset: 'suppressions',
    title: 'Suppress addresses',
    description:
      'Adds one address (`email`) or many (`emails`) to the suppression list, so that nothing more is sent to them. Not for hard bounces and complaints, which are added automatically (those of test addresses are not: add them here). Returns the entry, or the entries and how many are new.',
  },
  cli: {
    command: 'suppressions add',
    description:
      'Adds one address, or the addresses in --emails, to the suppression list. Nothing more is sent to them, including messages that are waiting for delivery. An address that is already on the list keeps its entry, and the command succeeds. Every addition is in the audit log.',
    positional: ['email'],
    examples: [
      'postrider suppressions add ada@example.org --note "asked by phone"',
      'postrider suppressions add --emails @bounced.txt --reason hard_bounce',
    ],
  },
});
