import { readDeliveryEvent } from '../../db/queries/webhook-attempts.ts';
import { requeueEvents } from '../../db/queries/webhook-replays.ts';
import { isUuid } from '../../uuid-v7.ts';
import type { Handler } from '../context.ts';
import { unknownDelivery } from './endpoint-problems.ts';
import { enabledEndpoint } from './known-endpoint.ts';

/** Delivers the event of one attempt again. */
export const retryWebhookDelivery: Handler<'webhooks.retry'> = async (
  { params },
  { services: { database, webhooks }, caller },
) => {
  const { accountId } = caller;
  const { sql, clock } = database;
  const { id: endpointId } = await enabledEndpoint(sql, accountId, params.id);
  const { deliveryId: id } = params;
  const eventId = isUuid(id) ? await readDeliveryEvent(sql, { accountId, endpointId, id }) : null;
  const queued =
    eventId === null ? 0 : await requeueEvents(sql, { accountId, endpointId, eventIds: [eventId] }, clock.now());
  if (queued === 0) throw unknownDelivery(id);
  webhooks.wake();
  return { body: { queued } };
};
