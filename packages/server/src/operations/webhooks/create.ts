import { toWebhook } from '../../webhooks/endpoint-record.ts';
import { makeEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { Handler } from '../context.ts';
import { toEndpointProblem } from './endpoint-problems.ts';

/** Adds an endpoint and returns its secret, which is shown only once. */
export const createWebhook: Handler<'webhooks.create'> = async (
  { body },
  { services: { database, webhooks }, caller },
) => {
  const made = await makeEndpoint({ ...database, webhooks }, caller, body);
  if (made.kind !== 'done') throw toEndpointProblem(made);
  return { body: { ...toWebhook(made.row), secret: made.secret } };
};
