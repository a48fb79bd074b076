import { fetchableHosts } from './attachment-hosts.ts';
import type { JudgingKey, SendCommand } from './send-command.ts';

/** The keys whose rules a send must satisfy, all of them: the caller first, then the key it goes out under where that is another. */
export function judgesOf(command: SendCommand): readonly JudgingKey[] {
  const { askedBy } = command;
  return askedBy ? [askedBy, command] : [command];
}

/** The key that asks for a send: its holds, its idempotency keys. */
export function callingKeyOf(command: SendCommand): JudgingKey {
  return command.askedBy ?? command;
}

/** Whether nothing of a send may leave the installation. */
export function isTestSend(command: SendCommand): boolean {
  return command.mode === 'test' || command.askedBy?.mode === 'test';
}

/** What is paused of those who judge a send; null where nothing is. */
export function pausedOf(command: SendCommand): SendCommand['pausedBy'] {
  return command.askedBy?.pausedBy ?? command.pausedBy;
}

/** The hosts that each judge of a send lets files be fetched from; a URL must be on every list. */
export function hostListsOf({ askedBy, ...issuer }: Judged): readonly (readonly string[] | null)[] {
  const judges = askedBy ? [askedBy, issuer] : [issuer];
  return judges.map(({ attachmentHosts, mode, approval, recipientAllowlist }) =>
    fetchableHosts({
      attachmentHosts,
      isTest: mode === 'test',
      isHeld: Boolean(approval),
      isAllowlisted: recipientAllowlist !== null,
    }),
  );
}

type Judged = JudgingKey & Pick<SendCommand, 'askedBy'>;

/** Whether a send has to ask what may hold it. */
export function mayBeHeld(command: SendCommand): boolean {
  return Boolean(command.approval ?? command.askedBy?.approval);
}
