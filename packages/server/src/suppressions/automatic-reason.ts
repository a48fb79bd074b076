import type { Classification, MessageEventType, SuppressionReason } from '@postrider/core';

/**
 * Returns the reason for which the result of a delivery attempt suppresses its recipient, or null if it does not. Only proof that the
 * address does not exist, or that its owner does not want the mail, counts: a full mailbox can be emptied, and a block is about the sender.
 */
export function automaticReasonOf(
  type: MessageEventType,
  classification: Classification | null,
): SuppressionReason | null {
  if (type === 'bounced' && classification === 'hard') return 'hard_bounce';
  return type === 'complained' && classification === 'spam' ? 'complaint' : null;
}
