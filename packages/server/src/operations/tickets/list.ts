import { countTickets, listTickets as listRows } from '../../db/queries/support-tickets.ts';
import { toTicket } from '../../support/ticket-record.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

export const listTickets: Handler<'tickets.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const viewer = viewerOf(caller);
  const filters = { status: query.status ?? null };
  const scope = { list: 'tickets', accountId, filters };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([
        listRows(database.sql, { accountId, ...filters, ...asked }),
        countTickets(database.sql, { accountId, ...filters, cap: EXACT_COUNT_CAP }),
      ]),
    (row) => row.id,
  );
  return { body: { tickets: rows.map((row) => toTicket(row, viewer)), ...page } };
};
