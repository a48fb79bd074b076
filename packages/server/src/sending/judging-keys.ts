import { fetchableHosts } from './attachment-hosts.ts';
import type { Sender } from './judged-sender.ts';
import type { JudgingKey } from './key-rules.ts';

/** The keys whose rules a send must satisfy, all of them: first the caller, then the key that it is issued under if that is another. */
export function judgesOf(sender: Sender): readonly JudgingKey[] {
  const { askedBy } = sender;
  return askedBy ? [askedBy, sender] : [sender];
}

/** The key that requests a send; its holds and idempotency keys belong to this key. */
export function callingKeyOf(sender: Sender): JudgingKey {
  return sender.askedBy ?? sender;
}

/** Whether no mail of a send may leave the installation. */
export function isTestSend(sender: Sender): boolean {
  return sender.mode === 'test' || sender.askedBy?.mode === 'test';
}

/** Which of the keys or their account is paused; null if none is. */
export function pausedOf(sender: Sender): JudgingKey['pausedBy'] {
  return sender.askedBy?.pausedBy ?? sender.pausedBy;
}

/** The hosts that each key that judges a send allows files to be fetched from. A URL must be on every list. */
export function hostListsOf(sender: Sender): readonly (readonly string[] | null)[] {
  return judgesOf(sender).map(({ attachmentHosts, mode, approval, recipientAllowlist }) =>
    fetchableHosts({
      attachmentHosts,
      isTest: mode === 'test',
      isHeld: Boolean(approval),
      isAllowlisted: recipientAllowlist !== null,
    }),
  );
}

/** Whether a rule of a key can hold a send. */
export function mayBeHeld(sender: Sender): boolean {
  return Boolean(sender.approval ?? sender.askedBy?.approval);
}
