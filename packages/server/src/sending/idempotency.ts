import { createHash } from 'node:crypto';
import type { HoldReason } from '@postrider/core';

/** What a request under an idempotency key is compared by: the caller's own input, before defaults, with object keys in one order. */
export function fingerprintOf(input: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(canonicalInput(input)))
    .digest('base64url');
}

export type IdempotencyVerdict =
  | { readonly kind: 'new' }
  | { readonly kind: 'replay'; readonly messageId: string; readonly hold: StoredHold | null }
  | { readonly kind: 'reused' };

/** What a stored key says about a request that brings it again. */
export function checkIdempotency(stored: StoredKey | undefined, fingerprint: string): IdempotencyVerdict {
  if (stored === undefined) return { kind: 'new' };
  if (stored.fingerprint !== fingerprint) return { kind: 'reused' };
  return { kind: 'replay', messageId: stored.messageId, hold: stored.hold ?? null };
}

/** A stored key, with the hold of its message where it was held. */
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

/** The refusal of a key that came before with another body. */
export const IDEMPOTENCY_KEY_REUSED = {
  code: 'idempotency_key_reused',
  detail: 'This idempotency key came before with another body.',
} as const;

/** The refusal of a key whose first request has not been answered yet. */
export const IDEMPOTENCY_IN_PROGRESS = {
  code: 'idempotency_in_progress',
  detail: 'A request with this idempotency key is running.',
} as const;

/** The input in the one form that is hashed. */
export function canonicalInput(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonicalInput);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { object: entries.map(([key, inner]) => [key, canonicalInput(inner)]) };
}
