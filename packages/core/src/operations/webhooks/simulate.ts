import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { webhookEventTypeSchema } from '../../schemas/webhook.ts';

/** `http://localhost:<port>…`: a program on the developer’s own machine. */
const LOOPBACK_URL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#]\S*)?$/i;

export const simulateWebhook = defineOperation({
  id: 'webhooks.simulate',
  method: 'POST',
  path: '/webhooks/simulate',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Simulate a delivery to this machine',
  description:
    'Makes an event with sample data and signs it with the secret that the calling key’s stream of events has (`GET /webhooks/stream`). A server in development mode posts it to the URL itself; any other answers the signed request, for the CLI or the SDK to post. The URL has to lead to the machine itself: `http://localhost:<port>`, with a path if need be. Nothing is stored.',
  effect: 'create',
  body: z.strictObject({
    url: z
      .string()
      .min(1)
      .max(LIMITS.urlCharacters)
      .refine((given) => LOOPBACK_URL.test(given) && URL.parse(given) !== null, {
        message: 'must be of the form `http://localhost:<port>`',
        params: { code: 'not_loopback' },
      })
      .describe('`http://localhost:<port>` with any path; 127.0.0.1 and [::1] are the same.'),
    event: webhookEventTypeSchema.optional().describe('The type of the event; `email.delivered` unless given.'),
  }),
  status: 200,
  response: 'json',
  output: z
    .object({
      ok: z.boolean().describe('Whether the receiver took it with a 2xx; true too where it is for the caller to post.'),
      delivered: z.boolean().describe('Whether the server has posted it itself and was answered.'),
      statusCode: z.number().int().nullable(),
      durationMs: z.number().int().nullable(),
      headers: z.record(z.string(), z.string()).describe('The headers of the request, signature included.'),
      payload: z.string().describe('The body of the request, octet by octet as it was signed: JSON.'),
      secret: z.string().describe('What it was signed with.'),
    })
    .meta({ id: 'WebhookSimulation' }),
  errors: [],
  mcp: {
    tool: 'simulate_webhook',
    toolset: 'webhooks',
    title: 'Simulate a webhook delivery',
    description:
      'Makes a signed sample event for a receiver on the developer’s machine (`http://localhost:<port>`); a server in development mode posts it itself. Not for endpoints: use test_webhook. Answers the request with its secret, and what was answered.',
  },
  cli: {
    command: 'webhooks simulate',
    positional: ['url'],
    examples: ['postrider webhooks simulate http://localhost:3000/hooks --event email.bounced'],
  },
});
