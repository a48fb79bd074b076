import { foldAddress } from '@postrider/core';
import { countSuppressions, listSuppressions as listRows } from '../../db/queries/suppressions.ts';
import { toSuppression } from '../../suppressions/suppression-record.ts';
import { redactSuppressions } from '../../visibility/redact-suppressions.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';

/** One page of the suppression list. */
export const listSuppressions: Handler<'suppressions.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const email = query.email === undefined ? null : foldAddress(query.email.address);
  const filters = { email, part: query.q?.toLowerCase() ?? null, reason: query.reason ?? null };
  const scope = { list: 'suppressions', accountId, filters };
  const before = decodeCursor(query.cursor, scope);
  const filter = { accountId, ...filters, now: services.clock.now() };
  const [rows, count] = await Promise.all([
    listRows(services.sql, { ...filter, before, limit: query.limit + 1 }),
    countSuppressions(services.sql, { ...filter, cap: EXACT_COUNT_CAP }),
  ]);
  const page = await redactSuppressions(services.sql, accountId, rows.slice(0, query.limit), viewerOf(caller));
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      suppressions: page.map(toSuppression),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};
