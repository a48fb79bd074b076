import { toWebhook } from '../../webhooks/endpoint-record.ts';
import { removeEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { Handler } from '../context.ts';
import { toEndpointProblem } from './endpoint-problems.ts';

/** Removes an endpoint with its pending deliveries. */
export const deleteWebhook: Handler<'webhooks.delete'> = async (
  { params },
  { services: { database, webhooks }, caller },
) => {
  const removed = await removeEndpoint({ ...database, webhooks }, caller, params.id);
  if (removed.kind !== 'done') throw toEndpointProblem(removed, params.id);
  return { body: toWebhook(removed.row) };
};
