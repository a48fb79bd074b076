import { findOperation } from '@postrider/core';
import { oneWebhookTool } from './webhook-text.ts';

export const updateWebhookTool = oneWebhookTool(findOperation('webhooks.update'));
