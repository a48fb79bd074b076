import { toWebhook } from '../../webhooks/endpoint-record.ts';
import { updateEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { Handler } from '../context.ts';
import { toEndpointProblem } from './endpoint-problems.ts';

/** Changes the given fields of an endpoint. */
export const updateWebhook: Handler<'webhooks.update'> = async (
  { params, body },
  { services: { database, webhooks }, caller },
) => {
  const changed = await updateEndpoint({ ...database, webhooks }, caller, params.id, body);
  if (changed.kind !== 'done') throw toEndpointProblem(changed, params.id);
  return { body: toWebhook(changed.row) };
};
