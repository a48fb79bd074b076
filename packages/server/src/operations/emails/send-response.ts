import type { HoldReason } from '@postrider/core';
import { ProblemError } from '../../problem.ts';
import type { QuotaState, SendVerdict } from '../../sending/send-verdict.ts';

type Accepted = Extract<SendVerdict, { kind: 'accepted' }>;
type Refused = Extract<SendVerdict, { kind: 'refused' }>;

/** The problem body of a refused send. */
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

interface AcceptedBody {
  readonly id: string;
  readonly status: Accepted['status'];
  readonly approvalId?: string;
  readonly reasons?: HoldReason[];
  readonly expiresAt?: string;
}

/** The fields that every accepted send returns; a held send also returns why, and until when. */
export function acceptedBody({ id, status, hold }: Pick<Accepted, 'id' | 'status' | 'hold'>): AcceptedBody {
  if (hold === null) return { id, status };
  const { approvalId, reasons, expiresAt } = hold;
  return { id, status, approvalId, reasons: [...reasons], expiresAt: expiresAt.toISOString() };
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
