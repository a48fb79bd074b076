import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { deliveryRow } from './webhook-text.ts';

export const getWebhookDeliveryTool = callingTool(findOperation('webhooks.delivery'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: ({ request, responseBody, ...row }, untrusted) => {
    const headers = Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`);
    const body = request.body ?? '(The event is no longer stored, or this key may not read what it is about.)';
    const response = responseBody === null ? [] : ['', 'Response body:', responseBody];
    return untrusted([deliveryRow(row), `POST ${request.url}`, ...headers, '', body, ...response].join('\n'));
  },
});
