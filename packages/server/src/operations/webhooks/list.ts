import { countEndpoints, listEndpoints } from '../../db/queries/webhook-endpoints.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { toVisibleWebhook } from '../../webhooks/endpoint-record.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';

export const listWebhooks: Handler<'webhooks.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const scope = { list: 'webhooks', accountId, filters: {} };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([listEndpoints(database.sql, { accountId, ...asked }), countEndpoints(database.sql, accountId)]),
    (row) => row.id,
  );
  return { body: { webhooks: rows.map((row) => toVisibleWebhook(row, viewerOf(caller))), ...page } };
};
