import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, toTotal } from '../total.ts';
import { findMessages } from './find-messages.ts';
import { toMessageFilters } from './message-filters.ts';
import { toMessageRecord } from './message-record.ts';

/** One page of the message log. */
export const listEmails: Handler<'emails.list'> = async ({ query }, { services, caller }) => {
  const filters = toMessageFilters(query, caller);
  const scope = { list: 'emails', accountId: caller.accountId, filters: { ...filters } };
  const before = decodeCursor(query.cursor, scope);
  const { rows, count } = await findMessages(services, filters, { before, limit: query.limit + 1 });
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      messages: page.map(toMessageRecord),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};
