import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const testWebhookTool = callingTool(findOperation('webhooks.test'), {
  toText: ({ eventId }) =>
    `Queued: event ${eventId}. list_webhook_deliveries with this event_id shows the endpoint’s response.`,
});
