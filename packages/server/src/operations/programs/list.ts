import { toKey } from '../../keys/key-record.ts';
import { listOwnPrograms } from '../../keys/own-programs.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';

export const listPrograms: Handler<'programs.list'> = async (_input, { services: { database, callers }, caller }) => {
  await callers.settleKeyUse();
  const { rows, total } = await listOwnPrograms(database, caller);
  const programs = rows.map((row) => ({ ...toKey(row, viewerOf(caller)), connected: row.isConnected }));
  return { body: { programs, total } };
};
