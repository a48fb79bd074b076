import { findOperation } from '@postrider/core';
import { oneWebhookTool } from './webhook-text.ts';

export const getWebhookTool = oneWebhookTool(findOperation('webhooks.get'));
