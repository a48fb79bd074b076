import { maySee, type WebhookDelivery } from '@postrider/core';
import { countDeliveries, type DeliveryRow, listDeliveries } from '../../db/queries/webhook-attempts.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';
import { knownEndpoint } from './known-endpoint.ts';

/** One page of the attempts at an endpoint. */
export const listWebhookDeliveries: Handler<'webhooks.deliveries'> = async (
  { params, query },
  { services, caller },
) => {
  const { accountId } = caller;
  const seesResponses = maySee(viewerOf(caller), 'webhook.address', null);
  const { id: endpointId } = await knownEndpoint(services.sql, accountId, params.id);
  const { event_type: eventType = null, status = null, event_id: eventId = null, since = null, until = null } = query;
  const filters = { endpointId, eventType, status, eventId, since, until };
  const scope = { list: 'deliveries', accountId, filters };
  const before = decodeCursor(query.cursor, scope);
  const [rows, count] = await Promise.all([
    listDeliveries(services.readsSql, { accountId, ...filters, before, limit: query.limit + 1 }),
    countDeliveries(services.readsSql, { accountId, ...filters, cap: EXACT_COUNT_CAP }),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      deliveries: page.map((row) => toDelivery(row, seesResponses)),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};

function toDelivery(
  { createdAt, nextAttemptAt, eventType, responseBody, ...row }: DeliveryRow,
  seesResponses: boolean,
): WebhookDelivery {
  return {
    ...row,
    // A receiver may send back what it was sent.
    responseBody: seesResponses ? responseBody : null,
    eventType,
    createdAt: createdAt.toISOString(),
    nextAttemptAt: nextAttemptAt?.toISOString() ?? null,
  };
}
