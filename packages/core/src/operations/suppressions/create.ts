import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { newSuppressionSchema, suppressionSchema, suppressionsAddedSchema } from '../../schemas/suppression.ts';

const answerSchema = z.union([suppressionSchema, suppressionsAddedSchema]);

export const createSuppression = defineOperation({
  id: 'suppressions.create',
  method: 'POST',
  path: '/suppressions',
  access: { kind: 'key', scope: 'suppressions:write' },
  reach: 'shapes-outbound',
  summary: 'Add suppressions',
  description: `Puts one address (\`email\`) or up to ${LIMITS.suppressionsPerCall} (\`emails\`) on the suppression list: nothing is sent to them any more, messages that wait for their delivery included. With \`email\` the answer is its record: 201 where it is new, 200 with the unchanged record where it was there. With \`emails\` it is \`{suppressions,added,existing}\`, with a record for each address in the order given, an address named twice once: 201 where at least one is new, else 200. Every addition is in the audit log.`,
  effect: 'create',
  body: newSuppressionSchema,
  bodyBytes: LIMITS.suppressionBodyBytes,
  status: 201,
  response: 'json',
  output: answerSchema,
  alternatives: [{ status: 200, when: null, summary: 'Every address was there already', output: answerSchema }],
  errors: [],
  mcp: {
    tool: 'add_suppression',
    toolset: 'suppressions',
    title: 'Suppress addresses',
    description:
      'Puts one address (`email`) or many (`emails`) on the suppression list, so that nothing is sent to them any more. Not for bounces and complaints, which add themselves. Answers the entry, or the entries and how many are new.',
  },
  cli: {
    command: 'suppressions add',
    positional: ['email'],
    examples: [
      'postrider suppressions add ada@example.org --note "asked by phone"',
      'postrider suppressions add --emails @bounced.txt --reason hard_bounce',
    ],
  },
});
