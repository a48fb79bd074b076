import { type Components, type JsonSchema, toComponentSchema } from './json-schema.ts';
import { WEBHOOK_EVENT_SCHEMAS } from './schemas/webhook-event.ts';
import { describeEventType } from './webhook-events.ts';

const SIGNATURE_HEADERS = {
  'webhook-id': 'The `id` of the event, the same at every attempt and replay.',
  'webhook-timestamp': 'When this attempt was made: seconds since 1970.',
  'webhook-signature':
    'Standard Webhooks signature: `v1,` and the base64 of HMAC-SHA256 over `id.timestamp.body`. After a rotation there are several, separated by spaces.',
};

/** The document's `webhooks`: the payloads posted to endpoints, by event type. */
export function describeWebhooks(components: Components): JsonSchema {
  const parameters = Object.entries(SIGNATURE_HEADERS).map(([name, description]) => ({
    ...{ name, in: 'header', required: true, description, schema: { type: 'string' } },
  }));
  return Object.fromEntries(
    [...WEBHOOK_EVENT_SCHEMAS].map(([type, schema]) => [
      type,
      {
        post: {
          operationId: `receive.${type}`,
          summary: describeEventType(type),
          tags: ['webhooks'],
          security: [],
          parameters,
          requestBody: {
            required: true,
            content: { 'application/json': { schema: toComponentSchema(schema, 'output', components) } },
          },
          responses: {
            '2XX': {
              description:
                'Received. The event is retried after any other response, or if there is none within 15 seconds.',
            },
          },
        },
      },
    ]),
  );
}
