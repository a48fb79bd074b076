import { createHash } from 'node:crypto';
import type { HoldReason } from '@postrider/core';

/** What requests under the same idempotency key are compared by: the caller's own input before defaults, with object keys in one order. */
export function fingerprintOf(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(canonicalInput(input)))
    .digest('base64url');
}

export type IdempotencyVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly messageId: string; readonly hold: StoredHold | null }
  | { readonly kind: 'reused' };

/** What a stored key says about a request that repeats it. */
export function checkIdempotency(stored: StoredKey | undefined, fingerprint: string): IdempotencyVerdict {
  if (stored === undefined) return { kind: 'new' };
  if (stored.fingerprint !== fingerprint) return { kind: 'reused' };
  return { kind: 'replay', messageId: stored.messageId, hold: stored.hold ?? null };
}

/** A stored key, with the hold of its message if the message was held. */
interface StoredKey {
  readonly fingerprint: string;
  readonly messageId: string;
  readonly hold?: StoredHold | null;
}

export interface StoredHold {
  readonly approvalId: string;
  readonly reasons: readonly HoldReason[];
  readonly expiresAt: string;
}

/** The refusal of a key that was used before with a different body. */
export const IDEMPOTENCY_KEY_REUSED = {
  code: 'idempotency_key_reused',
  detail: 'This idempotency key was used before with a different body.',
} as const;

/** The refusal of a key whose first request is still in progress. */
export const IDEMPOTENCY_IN_PROGRESS = {
  code: 'idempotency_in_progress',
  detail: 'A request with this idempotency key is in progress.',
} as const;

/** The input in its canonical form for hashing. */
export function canonicalInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalInput);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { object: entries.map(([key, inner]) => [key, canonicalInput(inner)]) };
}
