import { countEndpoints, listEndpoints } from '../../db/queries/webhook-endpoints.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import { toVisibleWebhook } from '../../webhooks/endpoint-record.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, toTotal } from '../total.ts';

/** One page of the account's endpoints. */
export const listWebhooks: Handler<'webhooks.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const scope = { list: 'webhooks', accountId, filters: {} };
  const before = decodeCursor(query.cursor, scope);
  const [rows, count] = await Promise.all([
    listEndpoints(services.sql, { accountId, before, limit: query.limit + 1 }),
    countEndpoints(services.sql, accountId),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      webhooks: page.map((row) => toVisibleWebhook(row, viewerOf(caller))),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};
