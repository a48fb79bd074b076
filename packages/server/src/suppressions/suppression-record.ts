import type { Suppression } from '@postrider/core';
import type { SuppressionRow } from '../db/queries/suppressions.ts';

/** Converts an entry of the suppression list to the API's format. */
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
