import { findKeyById } from '../../db/queries/api-keys.ts';
import { toKey } from '../../keys/key-record.ts';
import { isUuid } from '../../uuid-v7.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { unknownKey } from './key-problems.ts';

export const getKey: Handler<'keys.get'> = async ({ params }, { services: { database, callers }, caller }) => {
  await callers.settleKeyUse();
  const row = isUuid(params.id) ? await findKeyById(database.sql, caller.accountId, params.id) : null;
  if (row === null || row.isSeat) throw unknownKey(params.id);
  return { body: toKey(row, viewerOf(caller)) };
};
