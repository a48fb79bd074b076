import type { EditableField, HoldReason, RejectCode } from '@postrider/core';
import { z } from 'zod';
import type { PublicJwk } from '../auth/passkeys/public-jwk.ts';

/** The signature of a passkey over an approval, with everything that verifying it needs besides the claims of the receipt. */
export interface ReceiptAssertion {
  /** The id of the passkey, as authenticators have it. */
  readonly credentialId: string;
  readonly publicKey: PublicJwk;
  /** The host name that the passkey is bound to. */
  readonly rpId: string;
  /** Makes the challenge unique. */
  readonly nonce: string;
  /** What was confirmed: the approval, or also that its recipients are trusted from now on. */
  readonly confirmed: 'approve' | 'approve-and-remember';
  readonly authenticatorData: string;
  readonly clientDataJSON: string;
  readonly signature: string;
}

/** Who decided, and how it is known. */
export type ReceiptDecider =
  | {
      readonly kind: 'member';
      /** The seat in the account. */
      readonly id: string;
      /** The address at the time of the decision. */
      readonly email: string | null;
      /** The session of a browser, the session of a device (such as the CLI), or the personal link in a mail. */
      readonly way: 'console' | 'device' | 'mail';
      /** Null for a link in a mail. */
      readonly sessionId: string | null;
      readonly at: string;
      /** Of an approval that was confirmed with a passkey. */
      readonly assertion?: ReceiptAssertion;
    }
  | {
      readonly kind: 'key';
      readonly id: string;
      readonly name: string;
      readonly way: 'api' | 'mcp';
      readonly at: string;
    }
  /** An operator took the decision over from the database: it was made before there were receipts. */
  | { readonly kind: 'recorded'; readonly id: string; readonly way: 'recorded'; readonly at: string };

/** What a receipt states. The names are part of the format (docs/receipts.md), so they never change their meaning. */
export interface ReceiptClaims {
  /** The base URL of the installation. */
  readonly iss: string;
  /** Seconds since 1970. */
  readonly iat: number;
  readonly decision: 'approved' | 'rejected';
  /** Of an approval: `failed` if the acceptance check refused the message at that time. */
  readonly outcome: 'queued' | 'failed' | null;
  readonly accountId: string;
  readonly approvalId: string;
  readonly emailId: string;
  /** The revision that was decided, with the edits of approvers. */
  readonly revision: number;
  /** Of the content that was decided, with the edits of approvers. */
  readonly contentHash: string;
  /** Of the content as it was held. */
  readonly heldContentHash: string;
  /** The fields that approvers changed. */
  readonly edited: readonly EditableField[];
  /** Of an approval: the time of sending that is part of the content; null for at once. */
  readonly scheduledAt: string | null;
  /** Of an approval: the attached files, in order. Their names and types are only in the content hash. */
  readonly files: readonly { readonly sha256: string; readonly contentId: string | null }[];
  readonly rejectCode: RejectCode | null;
  readonly hold: {
    /** The key that asked for the send. */
    readonly keyId: string;
    readonly reasons: readonly HoldReason[];
    readonly since: string;
  };
  /** Of an approval: the rules that it met. Null if they were not recorded. */
  readonly approvers: {
    readonly requirePasskey: boolean;
    /** How many people had to approve. */
    readonly count: number;
    /** The members who could approve; null for every owner, admin and approver. */
    readonly memberIds: readonly string[] | null;
  } | null;
  /** Of an approval: everyone whose approval counted, oldest first. Of a rejection: the one who rejected. */
  readonly deciders: readonly ReceiptDecider[];
  readonly decidedAt: string;
}

/** A member, as stored with an approval before the last one. */
export const memberDeciderSchema = z.strictObject({
  kind: z.literal('member'),
  id: z.string(),
  email: z.string().nullable(),
  way: z.enum(['console', 'device', 'mail']),
  sessionId: z.string().nullable(),
  at: z.string(),
  assertion: z
    .strictObject({
      credentialId: z.string(),
      publicKey: z.custom<PublicJwk>((value) => typeof value === 'object' && value !== null),
      rpId: z.string(),
      nonce: z.string(),
      confirmed: z.enum(['approve', 'approve-and-remember']),
      authenticatorData: z.string(),
      clientDataJSON: z.string(),
      signature: z.string(),
    })
    .exactOptional(),
});

/** What the server itself reads from a receipt that it has verified. Other fields may be added later. */
export const readClaimsSchema = z.object({
  decision: z.enum(['approved', 'rejected']),
  outcome: z.enum(['queued', 'failed']).nullable(),
  accountId: z.string(),
  approvalId: z.string(),
  emailId: z.string(),
  revision: z.number().int(),
  contentHash: z.string(),
  scheduledAt: z.string().nullable(),
});

export type ReadClaims = z.output<typeof readClaimsSchema>;
