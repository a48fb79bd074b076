import { toVisibleApproval } from '../../approvals/holds/approval-record.ts';
import { countApprovals, listApprovals as listRows } from '../../db/queries/approvals.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { visibleKeyOf } from './visible-approvals.ts';

export const listApprovals: Handler<'approvals.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const filters = { accountId, keyId: visibleKeyOf(caller), status: query.status ?? null };
  const scope = { list: 'approvals', accountId, filters: { status: filters.status, keyId: filters.keyId } };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    async ({ before }) => {
      const [found, count] = await Promise.all([
        listRows(database.sql, filters, { before, limit: query.limit, hasContent: query.content }),
        countApprovals(database.sql, { ...filters, cap: EXACT_COUNT_CAP }),
      ]);
      return [found.rows, count, found.hasMore];
    },
    (row) => row.id,
  );
  return { body: { approvals: rows.map((row) => toVisibleApproval(row, viewerOf(caller))), ...page } };
};
