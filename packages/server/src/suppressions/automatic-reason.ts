import type { Classification, MessageEventType, SuppressionReason } from '@postrider/core';

/**
 * Why what became of a delivery attempt puts its recipient on the suppression list, or null where it does not: only what proves that the address does
 * not exist, or that its owner does not want the mail. A full mailbox empties, and a block is about the sender.
 */
export function automaticReasonOf(
  type: MessageEventType,
  classification: Classification | null,
): SuppressionReason | null {
  if (type === 'bounced' && classification === 'hard') return 'hard_bounce';
  return type === 'complained' && classification === 'spam' ? 'complaint' : null;
}
