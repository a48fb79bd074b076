import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { webhookEventTypeSchema } from '../../schemas/webhook.ts';

/** `http://localhost:<port>…`: a program on the developer’s machine. */
const LOOPBACK_URL = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:[/?#]\S*)?$/i;

export const simulateWebhook = defineOperation({
  id: 'webhooks.simulate',
  method: 'POST',
  path: '/webhooks/simulate',
  access: { kind: 'key', scope: 'webhooks:write' },
  reach: 'notifies',
  summary: 'Simulate a delivery to this machine',
  description:
    'Creates an event with sample data, signed with the secret of the calling key’s event stream (`GET /webhooks/stream`). A server in development mode posts it to the URL; any other server returns the signed request for the CLI or the SDK to post. The URL must be on the local machine: `http://localhost:<port>`, optionally with a path. Nothing is stored.',
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
    event: webhookEventTypeSchema.optional().describe('The type of the event. Default: `email.delivered`.'),
  }),
  status: 200,
  response: 'json',
  output: z
    .object({
      ok: z.boolean().describe('Whether the receiver returned 2xx; also true if the caller has to post it.'),
      delivered: z.boolean().describe('Whether the server posted it and got a response.'),
      statusCode: z.number().int().nullable(),
      durationMs: z.number().int().nullable(),
      error: z
        .string()
        .nullable()
        .describe('Why no response came, such as a refused connection; null if there was one, or nothing was posted.'),
      headers: z.record(z.string(), z.string()).describe('The headers of the request, including the signature.'),
      payload: z.string().describe('The body of the request, byte for byte as it was signed: JSON.'),
      secret: z.string().describe('The signing secret.'),
    })
    .meta({ id: 'WebhookSimulation' }),
  errors: [],
  mcp: {
    tool: 'simulate_webhook',
    toolset: 'webhooks',
    title: 'Simulate a webhook delivery',
    description:
      'Simulates a signed webhook delivery to a receiver on the developer’s machine (`http://localhost:<port>`); a server in development mode posts it. Returns the request, its secret and the response. Not for a registered endpoint: use test_webhook.',
  },
  cli: {
    command: 'webhooks simulate',
    description:
      'Makes an event with sample data, signed with the secret of webhooks listen. A server in development mode posts it to the URL; any other server returns the signed request. The URL must be on the local machine. Nothing is stored.',
    positional: ['url'],
    examples: ['postrider webhooks simulate http://localhost:3000/hooks --event email.bounced'],
  },
});
