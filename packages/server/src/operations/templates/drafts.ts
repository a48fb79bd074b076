import { countDrafts, listDrafts } from '../../db/queries/template-drafts.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';
import { toDraftRecord } from './draft-record.ts';
import { visibleDraftsOf } from './template-record.ts';

/** Each draft is shown beside what it replaces, so that one alone can be of 8 MB. */
const PAGE_BODY_BYTES = 8_000_000;

/** One page of the drafts that the caller may see: its own; those of the account where it reads or decides approvals. */
export const listTemplateDrafts: Handler<'templates.drafts'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const filters = { accountId, keyId: visibleDraftsOf(caller) };
  const scope = { list: 'drafts', accountId, filters: { keyId: filters.keyId } };
  const before = decodeCursor(query.cursor, scope);
  const [rows, count] = await Promise.all([
    listDrafts(services.sql, filters, { before, limit: query.limit, bodyBytes: PAGE_BODY_BYTES }),
    countDrafts(services.sql, filters, EXACT_COUNT_CAP),
  ]);
  const last = rows.at(-1);
  return {
    body: {
      drafts: rows.map(toDraftRecord),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined || last.more <= 1 ? null : encodeCursor(last.id, scope),
    },
  };
};
