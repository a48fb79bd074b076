import type { EditableField, HoldReason, RejectCode } from '@postrider/core';
import type { ReceiptClaims } from './receipt-claims.ts';

/** A decision about a hold, as the transaction that makes it knows it. */
export interface DecisionFacts
  extends Pick<
    ReceiptClaims,
    'decision' | 'outcome' | 'revision' | 'contentHash' | 'files' | 'deciders' | 'approvers'
  > {
  readonly baseUrl: string;
  readonly hold: {
    readonly accountId: string;
    readonly id: string;
    readonly messageId: string;
    readonly keyId: string;
    readonly contentHash: string;
    /** The content as it was held, if it was edited before this decision. */
    readonly heldContentHash: string | null;
    readonly reasons: readonly HoldReason[];
    readonly createdAt: Date;
  };
  readonly edited: readonly EditableField[];
  readonly scheduledAt: Date | null;
  readonly rejectCode: RejectCode | null;
  readonly now: Date;
}

/** What the receipt of a decision states. */
export function claimsOf({
  hold,
  baseUrl,
  deciders,
  approvers,
  edited,
  scheduledAt,
  now,
  ...decided
}: DecisionFacts): ReceiptClaims {
  const { accountId, id: approvalId, messageId: emailId, keyId, reasons } = hold;
  return {
    iss: baseUrl,
    iat: Math.floor(now.getTime() / 1_000),
    ...{ decision: decided.decision, outcome: decided.outcome, accountId, approvalId, emailId },
    revision: decided.revision,
    ...{
      contentHash: decided.contentHash,
      heldContentHash: hold.heldContentHash ?? hold.contentHash,
      edited: [...edited],
    },
    scheduledAt: scheduledAt?.toISOString() ?? null,
    ...{ files: decided.files, rejectCode: decided.rejectCode },
    hold: { keyId, reasons: [...reasons], since: hold.createdAt.toISOString() },
    approvers,
    deciders,
    decidedAt: now.toISOString(),
  };
}
