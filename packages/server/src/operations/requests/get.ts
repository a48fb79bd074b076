import { LIMITS } from '@postrider/core';
import { findRequest } from '../../db/queries/request-log.ts';
import { ProblemError } from '../../problem.ts';
import { isUuid } from '../../uuid-v7.ts';
import type { Handler } from '../context.ts';
import { toRequestRecord } from './request-record.ts';

/** Reads one logged request by its `x-request-id`. */
export const getRequest: Handler<'requests.get'> = async ({ params }, { services: { database, requests }, caller }) => {
  const since = new Date(database.clock.now().getTime() - LIMITS.requestLogDays * 86_400_000);
  await requests.settle();
  const [row] = await findRequest(database.sql, {
    accountId: caller.accountId,
    requestId: params.id,
    id: isUuid(params.id) ? params.id : null,
    since,
  });
  if (row === undefined) {
    throw new ProblemError('not_found', { detail: `No request ${params.id} of this account is logged.` });
  }
  return { body: toRequestRecord(row) };
};
