import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const replayWebhookTool = callingTool(findOperation('webhooks.replay'), {
  toText: (answer) =>
    'wouldQueue' in answer
      ? `It would queue ${answer.wouldQueue} events. Nothing was queued.`
      : `Queued ${answer.queued} events.`,
});
