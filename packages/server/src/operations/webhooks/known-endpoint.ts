import type { Query } from '../../db/client.ts';
import { type EndpointRow, readEndpoint } from '../../db/queries/webhook-endpoints.ts';
import { ProblemError } from '../../problem.ts';
import { isUuid } from '../../uuid-v7.ts';
import { unknownEndpoint } from './endpoint-problems.ts';

/** The endpoint that a path names. @throws ProblemError `not_found` if the account has none with that id. */
export async function knownEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow> {
  const row = isUuid(id) ? await readEndpoint(query, accountId, id) : null;
  if (row === null) throw unknownEndpoint(id);
  return row;
}

/** Like `knownEndpoint`. @throws ProblemError `webhook_disabled` too. */
export async function enabledEndpoint(query: Query, accountId: string, id: string): Promise<EndpointRow> {
  const row = await knownEndpoint(query, accountId, id);
  if (row.status === 'disabled') throw new ProblemError('webhook_disabled');
  return row;
}
