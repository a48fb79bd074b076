import type { Viewer, Webhook } from '@postrider/core';
import type { EndpointRow } from '../db/queries/webhook-endpoints.ts';
import { visibleUrl } from '../visibility/mask-url.ts';

/** An endpoint as shown in events, and to callers who chose its URL. */
export function toWebhook(row: EndpointRow): Webhook {
  const { id, url, description, events, status, disabledReason, failingSince, createdAt } = row;
  return {
    ...{ id, url, description, events: [...events], status, disabledReason },
    failingSince: failingSince?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
  };
}

/** The same, limited to what a caller may see. */
export function toVisibleWebhook(row: EndpointRow, viewer: Viewer): Webhook {
  return { ...toWebhook(row), url: visibleUrl(row.url, viewer) };
}
