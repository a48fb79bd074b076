import { countKeys, listKeys as listRows } from '../../db/queries/api-keys.ts';
import { toKey } from '../../keys/key-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

export const listKeys: Handler<'keys.list'> = async ({ query }, { services: { database, callers }, caller }) => {
  const { accountId } = caller;
  const scope = { list: 'keys', accountId, filters: {} };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    async (asked) => {
      await callers.settleKeyUse();
      return await Promise.all([
        listRows(database.sql, { accountId, ...asked }),
        countKeys(database.sql, { accountId, cap: EXACT_COUNT_CAP }),
      ]);
    },
    (row) => row.keyId,
  );
  return { body: { keys: rows.map((row) => toKey(row, viewerOf(caller))), ...page } };
};
