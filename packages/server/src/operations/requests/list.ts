import { LIMITS } from '@postrider/core';
import { countRequests, readRequests } from '../../db/queries/request-log.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { toRequestRecord } from './request-record.ts';

export const listRequests: Handler<'requests.list'> = async (
  { query },
  { services: { database, requests }, caller },
) => {
  const { accountId } = caller;
  const scope = { list: 'requests', accountId, filters: {} };
  const since = new Date(database.clock.now().getTime() - LIMITS.requestLogDays * 86_400_000);
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    async (asked) => {
      await requests.settle();
      return await Promise.all([
        readRequests(database.sql, { accountId, requestId: null, since, ...asked }),
        countRequests(database.sql, { accountId, since, cap: EXACT_COUNT_CAP }),
      ]);
    },
    (row) => row.rowId,
  );
  return { body: { requests: rows.map(toRequestRecord), ...page } };
};
