import { countMessages, listMessages } from '../../db/queries/read-messages.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';
import { toMessageRecord } from './message-record.ts';

/** One page of the message log. */
export const listEmails: Handler<'emails.list'> = async ({ query }, { services, caller }) => {
  const status = query.status ?? null;
  const scope = { list: 'emails', accountId: caller.accountId, filters: { status } };
  const before = decodeCursor(query.cursor, scope);
  const filter = { accountId: caller.accountId, status };
  const [rows, count] = await Promise.all([
    listMessages(services.sql, { ...filter, before, limit: query.limit + 1 }),
    countMessages(services.sql, { ...filter, cap: EXACT_COUNT_CAP }),
  ]);
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
