import { z } from 'zod';
import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { webhookEventTypeSchema } from '../../schemas/webhook.ts';

/** `a,b`, each a type of event. */
const typesSchema = z
  .string()
  .min(1)
  .max(4_000)
  .transform((text) => text.split(',').map((type) => type.trim()))
  .pipe(z.array(webhookEventTypeSchema));

export const streamWebhookEvents = defineOperation({
  id: 'webhooks.stream',
  method: 'GET',
  path: '/webhooks/stream',
  access: { kind: 'key', scope: 'webhooks:read' },
  reach: 'none',
  summary: 'Stream events as they happen',
  description: `The account’s events as server-sent events, for programs that cannot receive requests, such as one on a developer’s machine. No endpoint is needed. The first is \`ready\` with \`data: {"secret"}\`, the signing secret, which belongs to the calling key and stays the same. Each event has its id, its type as \`event\` and \`data: {"headers","payload"}\`: the request that an endpoint would get; post \`payload\` unchanged. A comment is sent every 10 seconds while there are no events. \`Last-Event-ID\` continues after an earlier event; events are kept for 10 minutes after the last listener disconnects. The stream has only the events about what the caller may read: \`email.…\` events need \`emails:read\`, \`domain.…\` events \`domains:read\`, \`suppression.…\` events \`suppressions:read\`; \`approval.…\` events about other keys’ sends need \`approvals:read\`, and \`key.…\` events about other keys \`keys:read\`. The stream ends when its key is no longer valid or loses a scope. An account can have at most ${LIMITS.webhookStreamsPerAccount} streams at once on a server process.`,
  effect: 'read',
  query: z.strictObject({
    events: typesSchema.optional().describe('Only these types, separated by commas. Default: all.'),
  }),
  headers: z.object({
    'last-event-id': z.string().max(200).optional().describe('The id of the last event you received.'),
  }),
  status: 200,
  response: 'stream',
  output: z.string(),
  streams: { 'text/event-stream': z.string().describe('Server-sent events; `data` of each is a JSON object.') },
  responseHeaders: { 'x-accel-buffering': '`no`: a proxy must pass each event on at once.' },
  errors: ['rate_limited'],
  mcp: null,
  cli: null,
});
