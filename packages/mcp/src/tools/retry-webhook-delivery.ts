import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const retryWebhookDeliveryTool = callingTool(findOperation('webhooks.retry'), {
  toText: ({ queued }) => `Queued ${queued}: it is delivered now.`,
});
