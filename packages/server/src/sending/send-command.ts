import type { Channel, SendRequest, Source } from '@postrider/core';
import type { Refusal } from './acceptance.ts';

/** One send on its way through the door, with what is known of the key that brings it. */
export interface SendCommand {
  readonly accountId: string;
  readonly keyId: string;
  readonly recipientAllowlist: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  /** Set by entries that know their own channel. */
  readonly fixedChannel: Channel | null;
  readonly headerClaims: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  readonly request: SendRequest;
  /** The idempotency key with the fingerprint of the caller's own input. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
}

export interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
}

export type SendVerdict =
  | {
      readonly kind: 'accepted';
      readonly id: string;
      readonly status: 'queued';
      /** True where an earlier request with the same idempotency key was answered so. */
      readonly replayed: boolean;
      readonly quota: QuotaState;
    }
  | (Refusal & { readonly kind: 'refused' });
