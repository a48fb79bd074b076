import { toVisibleApproval } from '../../approvals/holds/approval-record.ts';
import { countApprovals, listApprovals as listRows } from '../../db/queries/approvals.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';
import { visibleKeyOf } from './visible-approvals.ts';

/** One page of the holds that the caller may see. */
export const listApprovals: Handler<'approvals.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const filters = { accountId, keyId: visibleKeyOf(caller), status: query.status ?? null };
  const scope = { list: 'approvals', accountId, filters: { status: filters.status, keyId: filters.keyId } };
  const before = decodeCursor(query.cursor, scope);
  const [{ rows, hasMore }, count] = await Promise.all([
    listRows(services.sql, filters, { before, limit: query.limit }),
    countApprovals(services.sql, filters, EXACT_COUNT_CAP),
  ]);
  const last = hasMore ? rows.at(-1) : undefined;
  return {
    body: {
      approvals: rows.map((row) => toVisibleApproval(row, viewerOf(caller))),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};
