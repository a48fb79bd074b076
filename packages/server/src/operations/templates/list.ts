import { LIMITS } from '@postrider/core';
import { countTemplates, listTemplates as readPage } from '../../db/queries/template-records.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';
import { toTemplateRecord, visibleDraftsOf } from './template-record.ts';

/** With bodies of up to 4 MB, a page of a hundred templates would be too large for a response, so it may end early. */
const PAGE_BODY_BYTES = 8_000_000;

export const listTemplates: Handler<'templates.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const draftsOf = visibleDraftsOf(caller);
  const scope = { list: 'templates', accountId, filters: {} };
  const size = { versionsShown: LIMITS.templateVersionsShown, bodyBytes: PAGE_BODY_BYTES };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    async ({ before }) => {
      const [rows, count] = await Promise.all([
        readPage(database.sql, { accountId, draftsOf, before, limit: query.limit, ...size }),
        countTemplates(database.sql, { accountId, draftsOf, cap: EXACT_COUNT_CAP }),
      ]);
      return [rows, count, (rows.at(-1)?.more ?? 0) > 1];
    },
    (row) => row.id,
  );
  return { body: { templates: rows.map(toTemplateRecord), ...page } };
};
