import { LIMITS, type OperationById, type OperationInput } from '@postrider/core';
import type { Query } from '../../db/client.ts';
import { countRequests, readRequests } from '../../db/queries/request-log.ts';
import { countFoundRequests, searchRequests } from '../../db/queries/request-search.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { toRequestRecord } from './request-record.ts';

export const listRequests: Handler<'requests.list'> = async (
  { query },
  { services: { database, requests }, caller },
) => {
  const { accountId } = caller;
  const oldest = new Date(database.clock.now().getTime() - LIMITS.requestLogDays * 86_400_000);
  const { limit: _limit, cursor: _cursor, ...filters } = query;
  const { rows, ...page } = await keysetPage(
    query,
    { list: 'requests', accountId, filters },
    async (asked) => {
      await requests.settle();
      return await read(database.sql, accountId, filters, oldest, asked);
    },
    (row) => row.rowId,
  );
  return { body: { requests: rows.map(toRequestRecord), ...page } };
};

type Filters = Omit<OperationInput<OperationById<'requests.list'>>['query'], 'limit' | 'cursor'>;

/** Without filters, the primary key has the page. */
function read(
  sql: Query,
  accountId: string,
  filters: Filters,
  oldest: Date,
  asked: { readonly before: string | null; readonly limit: number },
) {
  const cap = EXACT_COUNT_CAP;
  if (Object.values(filters).every((value) => value === undefined)) {
    const all = { accountId, since: oldest };
    return Promise.all([readRequests(sql, { ...all, ...asked }), countRequests(sql, { ...all, cap })]);
  }
  const { from = oldest, to = null, status, method = null, path = null, code = null } = filters;
  const { key_id: keyId = null, email_id: emailId = null } = filters;
  const since = from > oldest ? from : oldest;
  const wanted = { accountId, since, to, ...statusRange(status), method, path, code, keyId, emailId };
  return Promise.all([searchRequests(sql, { ...wanted, ...asked }), countFoundRequests(sql, { ...wanted, cap })]);
}

/** `4xx` is 400 to 499. */
function statusRange(status: string | undefined) {
  if (status === undefined) return { statusFrom: null, statusTo: null };
  return { statusFrom: Number(status.replace('xx', '00')), statusTo: Number(status.replace('xx', '99')) };
}
