import { countDrafts, listDrafts } from '../../db/queries/template-drafts.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { toDraftRecord } from './draft-record.ts';
import { visibleDraftsOf } from './template-record.ts';

/** Each draft is shown with what it replaces, so that a single one can reach 8 MB. */
const PAGE_BODY_BYTES = 8_000_000;

/** One page of the drafts that the caller may see: its own, or those of the account if it may read or decide approvals. */
export const listTemplateDrafts: Handler<'templates.drafts'> = async (
  { query },
  { services: { database }, caller },
) => {
  const { accountId } = caller;
  const filters = { accountId, keyId: visibleDraftsOf(caller) };
  const scope = { list: 'drafts', accountId, filters: { keyId: filters.keyId } };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    async ({ before }) => {
      const [rows, count] = await Promise.all([
        listDrafts(database.sql, filters, { before, limit: query.limit, bodyBytes: PAGE_BODY_BYTES }),
        countDrafts(database.sql, { ...filters, cap: EXACT_COUNT_CAP }),
      ]);
      return [rows, count, (rows.at(-1)?.more ?? 0) > 1];
    },
    (row) => row.id,
  );
  return { body: { drafts: rows.map(toDraftRecord), ...page } };
};
