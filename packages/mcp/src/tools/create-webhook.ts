import { findOperation } from '@postrider/core';
import { secretWebhookTool } from './webhook-text.ts';

export const createWebhookTool = secretWebhookTool(findOperation('webhooks.create'));
