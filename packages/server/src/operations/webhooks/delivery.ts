import type { Viewer } from '@postrider/core';
import type { Query } from '../../db/client.ts';
import { readEventsById } from '../../db/queries/event-feeds.ts';
import { type DeliveryRow, readDelivery } from '../../db/queries/webhook-attempts.ts';
import { isUuid } from '../../uuid-v7.ts';
import { visibleUrl } from '../../visibility/mask-url.ts';
import { readableEvents, redactWebhookEvents } from '../../visibility/redact-webhook-event.ts';
import { readViewerOfKey, viewerOf } from '../../visibility/viewer.ts';
import { webhookTimestamp } from '../../webhooks/sign-webhook.ts';
import type { Handler } from '../context.ts';
import { toDelivery } from './delivery-record.ts';
import { unknownDelivery } from './endpoint-problems.ts';
import { knownEndpoint } from './known-endpoint.ts';

/** One attempt with its request, as far as the caller may see it. */
export const getWebhookDelivery: Handler<'webhooks.delivery'> = async (
  { params },
  { services: { database }, caller },
) => {
  const { accountId } = caller;
  const { sql } = database;
  const { id: endpointId, url, chosenBy } = await knownEndpoint(sql, accountId, params.id);
  const { deliveryId: id } = params;
  const row = isUuid(id) ? await readDelivery(sql, { accountId, endpointId, id }) : null;
  if (row === null) throw unknownDelivery(id);
  const viewer = viewerOf(caller);
  // An endpoint gets no more than the key that chose its URL may see.
  const receiver = chosenBy === null ? null : await readViewerOfKey(sql, accountId, chosenBy);
  const body = await readBody(sql, accountId, row.eventId, { receiver, viewer });
  const request = { url: visibleUrl(url, viewer), headers: headersOf(row), body };
  return { body: { ...toDelivery(row, viewer), request } };
};

function headersOf({ eventId, status, createdAt }: DeliveryRow): Record<string, string> {
  const signedFor = status === 'pending' ? {} : { 'webhook-timestamp': webhookTimestamp(createdAt) };
  return { 'content-type': 'application/json', 'webhook-id': eventId, ...signedFor };
}

/**
 * The payload of an event as the receiver got it, without what the caller may not see; null if it is no longer stored, or if the caller may
 * not read what it is about.
 */
async function readBody(
  query: Query,
  accountId: string,
  eventId: string,
  { receiver, viewer }: { readonly receiver: Viewer | null; readonly viewer: Viewer },
): Promise<string | null> {
  const stored = await readEventsById(query, accountId, [eventId]);
  const sent = receiver === null ? stored : await redactWebhookEvents(query, accountId, stored, receiver);
  const [event] = await readableEvents(query, accountId, sent, viewer);
  return event?.body ?? null;
}
