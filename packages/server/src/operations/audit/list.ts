import type { AuditEntry, Viewer } from '@postrider/core';
import { type AuditEntryRow, countAuditEntries, listAuditEntries as listRows } from '../../db/queries/audit-entries.ts';
import { visibleUrl } from '../../visibility/mask-url.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

export const listAuditEntries: Handler<'audit.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const named = { action: query.action ?? null, actor: query.actor ?? null, targetId: query.target_id ?? null };
  const [from, to] = [query.from ?? null, query.to ?? null];
  const scope = {
    ...{ list: 'audit', accountId },
    filters: { ...named, from: from?.toISOString() ?? null, to: to?.toISOString() ?? null },
  };
  const filter = { accountId, ...named, from, to };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([
        listRows(database.sql, { ...filter, beforeId: asked.before, limit: asked.limit }),
        countAuditEntries(database.sql, { ...filter, cap: EXACT_COUNT_CAP }),
      ]),
    (row) => row.id,
  );
  return { body: { entries: rows.map((row) => toEntry(row, viewerOf(caller))), ...page } };
};

/** Masks the URL of a webhook endpoint as in the endpoint's own record. The hash of the entry cannot be recomputed from the masked form. */
function toEntry(row: AuditEntryRow, viewer: Viewer): AuditEntry {
  const { url } = row.details;
  const isEndpoint = row.action.startsWith('webhook.') && typeof url === 'string';
  const details = isEndpoint ? { ...row.details, url: visibleUrl(url, viewer) } : row.details;
  return { ...row, details, createdAt: row.createdAt.toISOString() };
}
