import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { findMessages } from './find-messages.ts';
import { toMessageFilters } from './message-filters.ts';
import { toMessageRecord } from './message-record.ts';

export const listEmails: Handler<'emails.list'> = async ({ query }, { services: { database, largeLogs }, caller }) => {
  const filters = toMessageFilters(query, caller);
  const scope = { list: 'emails', accountId: caller.accountId, filters: { ...filters } };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) => findMessages({ ...database, largeLogs }, filters, asked),
    (row) => row.id,
  );
  return { body: { messages: rows.map(toMessageRecord), ...page } };
};
