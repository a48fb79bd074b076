import { LIMITS } from '@postrider/core';
import { asCount, countUpTo } from '../capped-count.ts';
import { sql } from '../drizzle.ts';
import { returning } from '../result.ts';
import { requestLog } from '../schema/installation.ts';
import { defineStatement, type GivenOf, optional, value } from '../statement.ts';

/** Null applies no filter; a request must match all the others. */
const FILTER = {
  accountId: requestLog.accountId,
  since: requestLog.createdAt,
  to: optional(requestLog.createdAt),
  statusFrom: optional(requestLog.status),
  statusTo: optional(requestLog.status),
  method: optional(requestLog.method),
  /** A string within the path. */
  path: optional(requestLog.path),
  code: optional(requestLog.code),
  keyId: optional(requestLog.keyId),
  emailId: optional(requestLog.emailId),
};

/**
 * The matches among the newest requests of the time span. No index has these columns, because every request would pay for it, so the number of
 * rows to read is limited instead. An id can be made some time before its request is logged.
 */
function found({
  accountId,
  since,
  to,
  statusFrom,
  statusTo,
  method,
  path,
  code,
  keyId,
  emailId,
}: GivenOf<typeof FILTER>) {
  return sql`(
      SELECT * FROM request_log x WHERE x.account_id = ${accountId} AND x.created_at >= ${since}
        AND x.id >= uuid_v7_lower_bound(${since}::timestamptz - interval '1 hour')
        ${to && sql`AND x.created_at < ${to} AND x.id < uuid_v7_lower_bound(${to}::timestamptz + interval '1 hour')`}
      ORDER BY x.id DESC LIMIT ${LIMITS.requestSearchRows}) AS r
    WHERE true
      ${statusFrom && sql`AND r.status >= ${statusFrom}`} ${statusTo && sql`AND r.status <= ${statusTo}`}
      ${method && sql`AND r.method = ${method}`}
      ${path && sql`AND strpos(r.path, ${path}) > 0`}
      ${code && sql`AND r.code = ${code}`}
      ${keyId && sql`AND r.key_id = ${keyId}`}
      ${emailId && sql`AND r.email_id = ${emailId}`}`;
}

/** One page of the matches, newest first. */
export const searchRequests = defineStatement(
  { ...FILTER, before: optional(requestLog.id), limit: value<number>() },
  ({ before, limit, ...filter }) =>
    returning(
      {
        ...{ rowId: requestLog.id, id: requestLog.requestId, method: requestLog.method, path: requestLog.path },
        ...{ status: requestLog.status, code: requestLog.code, durationMs: requestLog.durationMs },
        ...{ keyId: requestLog.keyId, emailId: requestLog.emailId, createdAt: requestLog.createdAt },
      },
      sql`
        SELECT r.id AS "rowId", r.request_id AS id, r.method, r.path, r.status, r.code, r.duration_ms AS "durationMs",
          r.key_id AS "keyId", r.email_id AS "emailId", r.created_at AS "createdAt"
        FROM ${found(filter)} ${before && sql`AND r.id < ${before}`} ORDER BY r.id DESC LIMIT ${limit}`,
    ),
);

/** Counts the matches, but never past `cap`. */
export const countFoundRequests = asCount(
  defineStatement({ ...FILTER, cap: value<number>() }, ({ cap, ...filter }) =>
    countUpTo(cap, sql`SELECT FROM ${found(filter)}`),
  ),
);
