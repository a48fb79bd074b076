import { findOperation } from '@postrider/core';
import { callingTool } from '../tool.ts';

export const simulateWebhookTool = callingTool(findOperation('webhooks.simulate'), {
  toText: ({ delivered, statusCode, durationMs, headers, payload, secret }) =>
    [
      delivered
        ? `Delivered: the receiver responded with ${statusCode} in ${durationMs} ms.`
        : `Not delivered${statusCode === null ? '' : `: ${statusCode}`}. This is the request; post it yourself to test the receiver.`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      '',
      payload,
      `Signed with: ${secret}`,
    ].join('\n'),
});
