import type { Classification } from '@postrider/core';

/**
 * What the text of a rejection means. Three findings are stronger than their classification alone, because they outweigh
 * a policy code: `absent` (hard) clearly says that there is no such recipient, `oversize` (unknown) that the message is
 * too big, and `patience` (soft) asks to retry later, or says that the mailbox is full.
 */
export type WordFinding = Classification | 'absent' | 'oversize' | 'patience';
