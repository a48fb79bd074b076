import { readSuppression } from '../../db/queries/suppressions.ts';
import { toSuppression } from '../../suppressions/suppression-record.ts';
import { redactSuppressions } from '../../visibility/redact-suppressions.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { toSuppressionName, unknownSuppression } from './suppression-name.ts';

/** Reads one entry of the suppression list by id or address. */
export const getSuppression: Handler<'suppressions.get'> = async ({ params }, { services: { database }, caller }) => {
  const name = toSuppressionName(params.id);
  const row = await readSuppression(database.sql, caller.accountId, name, database.clock.now());
  if (row === null) throw unknownSuppression(params.id);
  const [shown = row] = await redactSuppressions(database.sql, caller.accountId, [row], viewerOf(caller));
  return { body: toSuppression(shown) };
};
