import { maySee, type Viewer, type WebhookDelivery } from '@postrider/core';
import type { DeliveryRow } from '../../db/queries/webhook-attempts.ts';

/** An attempt, limited to what a caller may see. */
export function toDelivery(
  { createdAt, nextAttemptAt, eventType, responseBody, ...row }: DeliveryRow,
  viewer: Viewer,
): WebhookDelivery {
  return {
    ...row,
    // A receiver may echo what it was sent.
    responseBody: maySee(viewer, 'webhook.address', null) ? responseBody : null,
    eventType,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  };
}
