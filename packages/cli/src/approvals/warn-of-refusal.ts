import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { isConfirmed } from '../confirm.ts';
import { EXIT_CODES } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import { wrapForTerminal } from '../output/wrap-text.ts';
import { type CheckedSend, findRefusalReasons } from './refusal-reasons.ts';

/**
 * Prints why the acceptance check would refuse a held send. An approval is final, so a message that would not be sent needs confirmation. False
 * if no reason is known.
 */
export async function warnOfRefusal(
  send: CheckedSend,
  connection: ApiConnection,
  { stderr }: Pick<CliIo, 'stderr'>,
): Promise<boolean> {
  const reasons = await findRefusalReasons(send, connection);
  if (reasons.length === 0) return false;
  for (const reason of reasons) stderr.write(wrapForTerminal(`Warning: ${reason}`, stderr));
  stderr.write(wrapForTerminal('If you approve it now, it is not sent, and a failed approval is final.', stderr));
  return true;
}

/** Asks the question, and rejects with a CliFailure unless the user confirms. */
export async function confirmApproval(question: string, isWarned: boolean, io: CliIo): Promise<void> {
  if (await isConfirmed(question, io)) return;
  const fix = isWarned
    ? 'The send is still held. Fix the problem first, or pass --yes.'
    : 'The send is still held. Type y, or pass --yes.';
  throw ownFailure(EXIT_CODES.usage, 'not_confirmed', 'Nothing was decided', 'it was not confirmed', fix);
}
