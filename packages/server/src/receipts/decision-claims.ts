import type { EditableField, HoldReason, RejectCode } from '@postrider/core';
import type { ReceiptClaims, ReceiptDecider } from './receipt-claims.ts';

/** A decision about a hold, as the transaction that makes it knows it. */
export interface DecisionFacts extends Pick<ReceiptClaims, 'decision' | 'outcome' | 'contentHash' | 'files'> {
  readonly baseUrl: string;
  readonly hold: {
    readonly accountId: string;
    readonly id: string;
    readonly messageId: string;
    readonly keyId: string;
    readonly revision: number;
    readonly contentHash: string;
    readonly reasons: readonly HoldReason[];
    readonly createdAt: Date;
  };
  readonly edited: readonly EditableField[];
  readonly scheduledAt: Date | null;
  readonly rejectCode: RejectCode | null;
  readonly decider: ReceiptDecider;
  readonly now: Date;
}

/** What the receipt of a decision states. */
export function claimsOf({
  hold,
  baseUrl,
  decider,
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
    revision: edited.length > 0 ? hold.revision + 1 : hold.revision,
    ...{ contentHash: decided.contentHash, heldContentHash: hold.contentHash, edited: [...edited] },
    scheduledAt: scheduledAt?.toISOString() ?? null,
    ...{ files: decided.files, rejectCode: decided.rejectCode },
    hold: { keyId, reasons: [...reasons], since: hold.createdAt.toISOString() },
    deciders: [decider],
    decidedAt: now.toISOString(),
  };
}
