import type { Channel, HoldReason, KeyMode, SendLimit, SendRequest, Source } from '@postrider/core';
import type { HoldRule } from '../approvals/holds/hold-rules.ts';
import type { ShownCredential } from '../db/queries/shown-credentials.ts';
import type { Refusal } from './acceptance.ts';
import type { SendContent } from './content/send-content.ts';

/** The send limit of a key that made another one, directly or by a key in between. */
export interface MakerSendLimit {
  readonly keyId: string;
  readonly sendLimit: SendLimit;
}

/** What a key says of everything it sends. */
export interface KeyRules {
  /** What a test key sends never leaves the installation. */
  readonly mode: KeyMode;
  readonly recipientAllowlist: readonly string[] | null;
  /** Hosts that its attachments may be fetched from; null leaves it to the kind of key. */
  readonly attachmentHosts: readonly string[] | null;
  readonly persona: { readonly source: Source | null; readonly agentName: string | null };
  /** Whether sends may claim nothing else than the persona. */
  readonly lockPersona: boolean;
  readonly sendLimit: SendLimit | null;
  /** Send limits of the keys that it was made by: what it sends counts as theirs. */
  readonly makerLimits: readonly MakerSendLimit[];
  /** What is paused, so that nothing can be sent. */
  readonly pausedBy: 'key' | 'account' | null;
  /** Which of its sends wait for a person; none where it has no such rule, as mail of the installation itself. */
  readonly approval?: HoldRule | null | undefined;
  /** Of the key these rules were read from; none for mail of the installation itself, which no key sends. */
  readonly version?: number | null | undefined;
  readonly ipAllowlist?: readonly string[] | null | undefined;
}

/** A key that judges a send, with its rules. */
export interface JudgingKey extends KeyRules {
  readonly accountId: string;
  readonly keyId: string;
  /** By what the caller was let in; none for the key that a resend goes out under, and for mail of the installation itself. */
  readonly shown?: ShownCredential | null | undefined;
}

/** One send in the accept queue, with the rules of the key it goes out under. */
export interface SendCommand extends JudgingKey {
  /** The caller, where another key than the one it goes out under asks for it: as of a resend. Both judge it, and a hold is the caller's. */
  readonly askedBy?: JudgingKey | null | undefined;
  /** Set by entries that know their own channel. */
  readonly fixedChannel: Channel | null;
  readonly headerClaims: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  readonly request: SendRequest;
  /** What `prepareContent` made of the request. */
  readonly content: SendContent;
  /** True where the caller has checked that mail may be sent from the domain, though another account has verified it. */
  readonly domainChecked?: boolean | undefined;
  /** The message this one repeats; null for a send of its own. */
  readonly resendOf: string | null;
  /** The idempotency key with the fingerprint of the caller's own input. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  /**
   * Asked right before the commit, by entries that cannot tell a late acceptance any more: false where nobody waits for the answer now, and
   * then the send is not accepted. After true it may be, whatever happens.
   */
  readonly claim?: (() => boolean) | undefined;
}

export interface QuotaState {
  readonly limit: number;
  readonly remaining: number;
}

/** What is told of a send that waits for a person. */
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
      /** Of a held send, also where it has been decided since: a repeated request is answered as the first. */
      readonly hold: HeldSend | null;
      /** True where an earlier request with the same idempotency key was answered so. */
      readonly replayed: boolean;
      readonly quota: QuotaState;
    }
  | (Refusal & { readonly kind: 'refused' });
