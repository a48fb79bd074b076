import { findOperation } from '@postrider/core';
import { secretWebhookTool } from './webhook-text.ts';

export const rotateWebhookTool = secretWebhookTool(findOperation('webhooks.rotate'));
