import { type AuditEntry, maySee, type Viewer } from '@postrider/core';
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

/**
 * Masks what the caller does not see elsewhere either. Each hash covers all earlier entries and has no key, so a caller could use any of
 * them to check a guess at what is masked.
 */
function toEntry(row: AuditEntryRow, viewer: Viewer): AuditEntry {
  const seesAll = maySee(viewer, 'audit.member', null) && maySee(viewer, 'webhook.address', null);
  const hashes = seesAll ? {} : { hash: null, previousHash: null };
  return { ...row, ...hashes, details: visibleDetails(row, viewer), createdAt: row.createdAt.toISOString() };
}

function visibleDetails({ action, details }: AuditEntryRow, viewer: Viewer): AuditEntry['details'] {
  const { url } = details;
  if (action.startsWith('webhook.') && typeof url === 'string') return { ...details, url: visibleUrl(url, viewer) };
  if (action.startsWith('member.') && !maySee(viewer, 'audit.member', null)) return { ...details, email: null };
  return details;
}
