import type { Suppression } from '@postrider/core';
import type { SuppressionRow } from '../db/queries/suppressions.ts';

/** An entry of the suppression list as the API shows it. */
export function toSuppression({ id, email, reason, emailId, note, createdAt, expiresAt }: SuppressionRow): Suppression {
  return {
    id,
    email,
    reason,
    emailId,
    note,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt?.toISOString() ?? null,
  };
}
