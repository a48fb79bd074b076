import { ProblemError } from '../../problem.ts';
import type { QuotaState, SendVerdict } from '../../sending/send-command.ts';

type Accepted = Extract<SendVerdict, { kind: 'accepted' }>;
type Refused = Extract<SendVerdict, { kind: 'refused' }>;

/** A refused send as the problem it is answered with. */
export function toSendProblem({
  code,
  detail,
  fix,
  recipients,
  errors,
  quota,
  retryAfterSeconds,
}: Refused): ProblemError {
  return new ProblemError(code, {
    detail,
    ...(fix ? { fix } : {}),
    ...(recipients ? { recipients } : {}),
    ...(errors ? { errors } : {}),
    headers: {
      ...(quota ? quotaHeaders(quota) : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
  });
}

/** The headers of an accepted send. */
export function sendHeaders({
  quota,
  replayed,
}: Pick<Accepted, 'quota' | 'replayed'>): Readonly<Record<string, string>> {
  return { ...quotaHeaders(quota), ...(replayed ? { 'idempotency-replayed': 'true' } : {}) };
}

function quotaHeaders({ limit, remaining }: QuotaState): Readonly<Record<string, string>> {
  return { 'x-quota-limit': String(limit), 'x-quota-remaining': String(remaining) };
}
