import { countTickets, listTickets as listRows } from '../../db/queries/support-tickets.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { countSeen, EXACT_COUNT_CAP, toTotal } from '../total.ts';

/** One page of the account's tickets. */
export const listTickets: Handler<'tickets.list'> = async ({ query }, { services, caller }) => {
  const { accountId } = caller;
  const viewer = viewerOf(caller);
  const filters = { status: query.status ?? null };
  const scope = { list: 'tickets', accountId, filters };
  const before = decodeCursor(query.cursor, scope);
  const [rows, count] = await Promise.all([
    listRows(services.sql, { accountId, ...filters, before, limit: query.limit + 1 }),
    countTickets(services.sql, { accountId, ...filters, cap: EXACT_COUNT_CAP }),
  ]);
  const page = rows.slice(0, query.limit);
  const last = rows.length > query.limit ? page.at(-1) : undefined;
  return {
    body: {
      tickets: page.map((row) => toTicket(row, viewer)),
      ...toTotal(count, countSeen(rows, before)),
      nextCursor: last === undefined ? null : encodeCursor(last.id, scope),
    },
  };
};
