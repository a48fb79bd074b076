import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { messageSchema } from '../../schemas/message.ts';
import { integerInQuery } from '../../schemas/page.ts';

export const getEmail = defineOperation({
  id: 'emails.get',
  method: 'GET',
  path: '/emails/:id',
  access: { kind: 'key', scope: 'emails:read' },
  reach: 'none',
  summary: 'Read one email',
  description:
    'Returns status, recipients, rendered body, provenance and all events. With `wait` it responds as soon as the message is final or `sent`, or with the current state when the wait ends. The scope `emails:content` shows the content of messages that the key itself sent, and `emails:content-all` that of every message. Otherwise the content fields are null and `contentRedacted` is true. Of another key’s message, blind recipients and `metadata` need `emails:content-all` too; `redacted` lists what is left out.',
  effect: 'read',
  params: z.object({ id: z.string().describe('Message id.') }),
  query: z.strictObject({
    wait: integerInQuery(1, LIMITS.waitSecondsMax)
      .optional()
      .describe(`Seconds to wait for an outcome, 1 to ${LIMITS.waitSecondsMax}.`),
  }),
  status: 200,
  response: 'json',
  output: messageSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_email',
    toolset: null,
    title: 'Read an email',
    description:
      'Reads one message by id. Returns status, recipients, body, provenance and all events; long bodies are cut. Not for waiting for an outcome: use wait_for_email.',
    hides: ['wait'],
    also: [
      {
        tool: 'wait_for_email',
        toolset: null,
        title: 'Wait for an email’s outcome',
        description:
          'Waits up to 50 seconds until a message has an outcome (sent, delivered, bounced, failed, …) or a held message is decided. Returns status, recipients and events. If the time runs out, `settled` is false: call it again, and do not send again. Not for content: use get_email.',
        // 50 seconds, because common clients time out after 60.
        ceilings: {
          wait: { max: 50, apiMax: LIMITS.waitSecondsMax, description: 'Maximum seconds to wait, 1 to 50.' },
        },
      },
    ],
  },
  cli: {
    command: 'emails get',
    description:
      'Shows the status, the recipients, the rendered content, the provenance and all events of one email. With --wait, the command prints the email as soon as it is final or sent, or its current state when the wait ends. The scope emails:content shows the content of messages that the key itself sent, emails:content-all that of every message. Otherwise the content is redacted. The blind recipients and the metadata of another key’s message need emails:content-all too.',
    positional: ['id'],
    examples: ['postrider emails get <id> --wait 30'],
  },
});
