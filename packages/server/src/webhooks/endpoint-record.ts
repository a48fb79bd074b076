import type { Webhook } from '@postrider/core';
import type { EndpointRow } from '../db/queries/webhook-endpoints.ts';

/** An endpoint as the API and events show it. */
export function toWebhook(row: EndpointRow): Webhook {
  const { id, url, description, events, status, disabledReason, failingSince, createdAt } = row;
  return {
    ...{ id, url, description, events: [...events], status, disabledReason },
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}
