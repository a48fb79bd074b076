import { toWebhook } from '../../webhooks/endpoint-record.ts';
import { rotateEndpoint } from '../../webhooks/manage-endpoints.ts';
import type { Handler } from '../context.ts';
import { toEndpointProblem } from './endpoint-problems.ts';

/** Gives an endpoint a new secret and returns it, which is shown only once. */
export const rotateWebhook: Handler<'webhooks.rotate'> = async (
  { params },
  { services: { database, webhooks }, caller },
) => {
  const rotated = await rotateEndpoint({ ...database, webhooks }, caller, params.id);
  if (rotated.kind !== 'done') throw toEndpointProblem(rotated, params.id);
  return { body: { ...toWebhook(rotated.row), secret: rotated.secret } };
};
