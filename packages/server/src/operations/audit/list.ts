import type { AuditEntry, Viewer } from '@postrider/core';
import { type AuditEntryRow, countAuditEntries, listAuditEntries as listRows } from '../../db/queries/audit-entries.ts';
import { visibleUrl } from '../../visibility/mask-url.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';

/** One page of the account's audit log. */
export const listAuditEntries: Handler<'audit.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const named = { action: query.action ?? null, actor: query.actor ?? null, targetId: query.target_id ?? null };
  const [from, to] = [query.from ?? null, query.to ?? null];
  const scope = {
    ...{ list: 'audit', accountId },
    filters: { ...named, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
  };
  const beforeId = decodeCursor(query.cursor, scope);
  const filter = { accountId, ...named, from, to };
  const [rows, count] = await Promise.all([
    listRows(services.sql, { ...filter, beforeId, limit: query.limit + 1 }),
    countAuditEntries(services.sql, { ...filter, cap: EXACT_COUNT_CAP }),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      entries: page.map((row) => toEntry(row, viewerOf(caller))),
      ...toTotal(count, countSeen(rows, beforeId)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};

/** The URL of a webhook endpoint is masked as in the endpoint's own record; such an entry no longer gives its hash. */
function toEntry(row: AuditEntryRow, viewer: Viewer): AuditEntry {
  const { url } = row.details;
  const isEndpoint = row.action.startsWith('webhook.') && typeof url === 'string';
  const details = isEndpoint ? { ...row.details, url: visibleUrl(url, viewer) } : row.details;
  return { ...row, details, createdAt: row.createdAt.toISOString() };
}
