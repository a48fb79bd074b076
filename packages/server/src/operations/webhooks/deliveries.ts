import { countDeliveries, listDeliveries } from '../../db/queries/webhook-attempts.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { toDelivery } from './delivery-record.ts';
import { knownEndpoint } from './known-endpoint.ts';

/** One page of the attempts at an endpoint. */
export const listWebhookDeliveries: Handler<'webhooks.deliveries'> = async (
  { params, query },
  { services: { database }, caller },
) => {
  const { accountId } = caller;
  const viewer = viewerOf(caller);
  const { id: endpointId } = await knownEndpoint(database.sql, accountId, params.id);
  const { event_type: eventType = null, status = null, event_id: eventId = null, since = null, until = null } = query;
  const filters = { endpointId, eventType, status, eventId, since, until };
  const scope = { list: 'deliveries', accountId, filters };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([
        listDeliveries(database.readsSql, { accountId, ...filters, ...asked }),
        countDeliveries(database.readsSql, { accountId, ...filters, cap: EXACT_COUNT_CAP }),
      ]),
    (row) => row.id,
  );
  return { body: { deliveries: rows.map((row) => toDelivery(row, viewer)), ...page } };
};
