import { findOperation } from '@postrider/core';
import { oneWebhookTool } from './webhook-text.ts';

export const deleteWebhookTool = oneWebhookTool(findOperation('webhooks.delete'), 'Deleted. It was:');
