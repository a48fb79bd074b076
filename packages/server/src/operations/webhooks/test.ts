import { announce } from '../../events/announce.ts';
import { toWebhook } from '../../webhooks/endpoint-record.ts';
import type { Handler } from '../context.ts';
import { enabledEndpoint } from './known-endpoint.ts';

export const testWebhook: Handler<'webhooks.test'> = async (
  { params },
  { services: { database, webhooks }, caller },
) => {
  const { accountId } = caller;
  const { sql, clock, ids } = database;
  const row = await enabledEndpoint(sql, accountId, params.id);
  const event = { accountId, type: 'webhook.test', data: toWebhook(row), endpointId: row.id } as const;
  const [eventId] = await sql.begin((transaction) => announce(transaction, ids, [event], clock.now()));
  if (eventId === undefined) throw new Error('an event was stored without an id');
  webhooks.wake();
  return { body: { eventId } };
};
