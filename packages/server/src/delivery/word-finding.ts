import type { Classification } from '@postrider/core';

/**
 * What the words of a refusal say. Three of the findings are stronger than their classification alone, because they outweigh a code that
 * speaks of policy: `absent` (hard) says outright that there is no such recipient, `oversize` (unknown) that the message is too big, and
 * `patience` (soft) asks to be tried again, or says that the mailbox is full.
 */
export type WordFinding = Classification | 'absent' | 'oversize' | 'patience';
