import type { OperationById, OperationOutput } from '@postrider/core';
import type { PasskeyRow } from '../../db/queries/passkeys.ts';
import { ProblemError } from '../../problem.ts';

type Passkey = OperationOutput<OperationById<'passkeys.update'>>;

export function toPasskey({ id, name, backedUp, createdAt, lastUsedAt }: PasskeyRow): Passkey {
  return { id, name, backedUp, createdAt: createdAt.toISOString(), lastUsedAt: lastUsedAt?.toISOString() ?? null };
}

export function noSuchPasskey(): ProblemError {
  return new ProblemError('not_found', { detail: 'You have no passkey with this id.' });
}
