import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const replayWebhookTool = callingTool(findOperation('webhooks.replay'), {
  toText: (response) =>
    'wouldQueue' in response
      ? `It would queue ${response.wouldQueue} events. Nothing was queued.`
      : `Queued ${response.queued} events.`,
});
