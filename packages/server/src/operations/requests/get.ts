import { LIMITS } from '@postrider/core';
import { readRequests } from '../../db/queries/request-log.ts';
import { ProblemError } from '../../problem.ts';
import type { Handler } from '../context.ts';
import { toRequestRecord } from './request-record.ts';

/** Reads one logged request by its `x-request-id`. */
export const getRequest: Handler<'requests.get'> = async ({ params }, { services: { database, requests }, caller }) => {
  const since = new Date(database.clock.now().getTime() - LIMITS.requestLogDays * 86_400_000);
  const selection = { accountId: caller.accountId, requestId: params.id, before: null, since, limit: 1 };
  await requests.settle();
  const [row] = await readRequests(database.sql, selection);
  if (row === undefined) {
    throw new ProblemError('not_found', { detail: `No request ${params.id} of this account is logged.` });
  }
  return { body: toRequestRecord(row) };
};
