import { LIMITS } from '../../limits.ts';
import { defineOperation } from '../../operation.ts';
import { webhookDeliveryDetailSchema, webhookDeliveryParams } from '../../schemas/webhook.ts';

export const getWebhookDelivery = defineOperation({
  id: 'webhooks.delivery',
  method: 'GET',
  path: '/webhooks/:id/deliveries/:deliveryId',
  access: { kind: 'key', scope: 'webhooks:read' },
  reach: 'none',
  summary: 'Read a delivery with its request',
  description: `One attempt to deliver an event to the endpoint, with the request that was sent, and the status and the first ${LIMITS.webhookResponseBytes} bytes of the response. The body is the stored payload, as far as the caller may read it. Headers of the response are not stored.`,
  effect: 'read',
  params: webhookDeliveryParams,
  status: 200,
  response: 'json',
  output: webhookDeliveryDetailSchema,
  errors: ['not_found'],
  mcp: {
    tool: 'get_webhook_delivery',
    toolset: 'webhooks',
    title: 'Read a delivery with its request',
    description:
      'Reads one attempt to deliver an event to a webhook endpoint, by the ids of the endpoint and the delivery. Returns the request with its payload, and the response of the receiver. Not for finding one: use list_webhook_deliveries.',
  },
  cli: {
    command: 'webhooks delivery',
    positional: ['id', 'deliveryId'],
    examples: ['postrider webhooks delivery <id> <delivery-id>'],
  },
});
