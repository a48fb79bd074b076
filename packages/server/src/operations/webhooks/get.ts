import { viewerOf } from '../../visibility/viewer.ts';
import { toVisibleWebhook } from '../../webhooks/endpoint-record.ts';
import type { Handler } from '../context.ts';
import { knownEndpoint } from './known-endpoint.ts';

export const getWebhook: Handler<'webhooks.get'> = async ({ params }, { services: { database }, caller }) => ({
  body: toVisibleWebhook(await knownEndpoint(database.sql, caller.accountId, params.id), viewerOf(caller)),
});
