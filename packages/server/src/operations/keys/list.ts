import { countKeys, listKeys as listRows } from '../../db/queries/api-keys.ts';
import { toKey } from '../../keys/key-record.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';

/** One page of the account's keys. */
export const listKeys: Handler<'keys.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const scope = { list: 'keys', accountId, filters: {} };
  const before = decodeCursor(query.cursor, scope);
  await services.settleKeyUse();
  const [rows, count] = await Promise.all([
    listRows(services.sql, { accountId, before, limit: query.limit + 1 }),
    countKeys(services.sql, accountId, EXACT_COUNT_CAP),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      keys: page.map(toKey),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.keyId, scope),
    },
  };
};
