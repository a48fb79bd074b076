import { findOperation } from '@postrider/core';
import { UNTRUSTED_NOTE } from '../results.ts';
import { callingTool } from '../tool.ts';
import { describePage } from './page-text.ts';
import { describeWebhook } from './webhook-text.ts';

export const listWebhooksTool = callingTool(findOperation('webhooks.list'), {
  structuredNotes: [UNTRUSTED_NOTE],
  toText: (page, untrusted) =>
    describePage(page, { rows: page.webhooks, noun: 'endpoints', describeRow: describeWebhook }, untrusted),
});
