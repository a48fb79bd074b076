import { toStoredAddressPart } from '@postrider/core';
import { countSuppressions, listSuppressions as listRows } from '../../db/queries/suppressions.ts';
import { toSuppression } from '../../suppressions/suppression-record.ts';
import { redactSuppressions } from '../../visibility/redact-suppressions.ts';
import { viewerOf } from '../../visibility/viewer.ts';
import type { Handler } from '../context.ts';
import { keysetPage } from '../keyset-page.ts';
import { EXACT_COUNT_CAP } from '../total.ts';

export const listSuppressions: Handler<'suppressions.list'> = async ({ query }, { services: { database }, caller }) => {
  const { accountId } = caller;
  const filters = {
    email: query.email ?? null,
    part: query.q === undefined ? null : (toStoredAddressPart(query.q) ?? query.q.toLowerCase()),
    reason: query.reason ?? null,
  };
  const scope = { list: 'suppressions', accountId, filters };
  const filter = { accountId, ...filters, now: database.clock.now() };
  const { rows, ...page } = await keysetPage(
    query,
    scope,
    (asked) =>
      Promise.all([
        listRows(database.sql, { ...filter, ...asked }),
        countSuppressions(database.sql, { ...filter, cap: EXACT_COUNT_CAP }),
      ]),
    (row) => row.id,
  );
  const shown = await redactSuppressions(database.sql, accountId, rows, viewerOf(caller));
  return { body: { suppressions: shown.map(toSuppression), ...page } };
};
