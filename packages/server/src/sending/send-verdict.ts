import type { HoldReason } from '@postrider/core';
import type { Refusal } from './acceptance.ts';
import type { StoredHold } from './idempotency.ts';

export interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
}

/** What the caller receives for a send that waits for approval. */
export interface HeldSend {
  readonly approvalId: string;
  readonly reasons: readonly HoldReason[];
  readonly expiresAt: Date;
}

export type SendVerdict =
  | {
      readonly kind: 'accepted';
      readonly id: string;
      readonly status: 'queued' | 'pending_approval';
      /** Of a held send, even if it was decided since: a repeated request gets the same result as the first. */
      readonly hold: HeldSend | null;
      /** True if an earlier request with the same idempotency key got this result. */
      readonly replayed: boolean;
      readonly quota: QuotaState;
    }
  | (Refusal & { readonly kind: 'refused' });

/** How a send was held, from the stored data of its first request. */
export function toHeldSend(hold: StoredHold | null): HeldSend | null {
  return hold === null ? null : { ...hold, expiresAt: new Date(hold.expiresAt) };
}

/** The status of an accepted send, which a repeated request returns again. */
export function acceptedStatus(hold: HeldSend | null): Extract<SendVerdict, { kind: 'accepted' }>['status'] {
  return hold === null ? 'queued' : 'pending_approval';
}
