import { createHash } from 'node:crypto';

/**
 * What a user confirms with a passkey. The challenge that the authenticator signs is the hash of it, so the signature is worth nothing for
 * anything else. The first item names its kind.
 */
export type Statement = readonly (string | number | boolean | null)[];

/** The challenge of a statement, in base64url. The nonce makes each one unique. */
export function challengeOf(statement: string, nonce: string): string {
  const items: unknown[] = JSON.parse(statement);
  return createHash('sha256')
    .update(JSON.stringify([...items, nonce]))
    .digest('base64url');
}

/** A change other than the approval of a hold. `what` has everything that the change depends on. */
export function changeStatement(
  { baseUrl, accountId }: { readonly baseUrl: string; readonly accountId: string },
  { operation, target, what }: { readonly operation: string; readonly target: string | null; readonly what: unknown },
  memberId: string,
): Statement {
  return ['postrider-change', baseUrl, accountId, operation, target, JSON.stringify(what), memberId];
}

/** The approval of a hold, as receipts define it (docs/receipts.md). */
export function approvalStatement(approval: {
  readonly baseUrl: string;
  readonly accountId: string;
  readonly approvalId: string;
  readonly revision: number;
  readonly contentHash: string;
  /** Whether the recipients are trusted from now on. */
  readonly remember: boolean;
  readonly memberId: string;
}): Statement {
  const { baseUrl, accountId, approvalId, revision, contentHash, remember, memberId } = approval;
  return [
    'postrider-approval',
    ...[baseUrl, accountId, approvalId, revision, contentHash],
    remember ? 'approve-and-remember' : 'approve',
    memberId,
  ];
}

/** A change of the user's own passkeys. */
export function passkeyStatement(baseUrl: string, userId: string, change: 'add' | 'remove', id: string | null) {
  return ['postrider-passkey', baseUrl, userId, change, id] as const;
}
