import { ProblemError } from '../../problem.ts';
import type { SendVerdict } from '../../sending/send-command.ts';

type Accepted = Extract<SendVerdict, { kind: 'accepted' }>;
type Refused = Extract<SendVerdict, { kind: 'refused' }>;

/** A refused send as the problem it is answered with. */
export function toSendProblem({ code, detail, fix, recipients, errors }: Refused): ProblemError {
  return new ProblemError(code, {
    detail,
    ...(fix ? { fix } : {}),
    ...(recipients ? { recipients } : {}),
    ...(errors ? { errors } : {}),
  });
}

/** The headers of an accepted send. */
export function sendHeaders({
  quota,
  replayed,
}: Pick<Accepted, 'quota' | 'replayed'>): Readonly<Record<string, string>> {
  return {
    'x-quota-limit': String(quota.limit),
    'x-quota-remaining': String(quota.remaining),
    ...(replayed ? { 'idempotency-replayed': 'true' } : {}),
  };
}
