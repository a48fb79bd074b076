import { LIMITS } from '@postrider/core';
import { countRequests, readRequests } from '../../db/queries/request-log.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';
import { toRequestRecord } from './request-record.ts';

/** One page of the request log. */
export const listRequests: Handler<'requests.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const scope = { list: 'requests', accountId, filters: {} };
  const before = decodeCursor(query.cursor, scope);
  const since = new Date(services.clock.now().getTime() - LIMITS.requestLogDays * 86_400_000);
  await services.settleRequestLog();
  const [rows, count] = await Promise.all([
    readRequests(services.sql, { accountId, requestId: null, before, since, limit: query.limit + 1 }),
    countRequests(services.sql, { accountId, since, cap: EXACT_COUNT_CAP }),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      requests: page.map(toRequestRecord),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.rowId, scope),
    },
  };
};
