import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';

export const SEND_OPERATION = 'emails.send';

export const WAIT_SECONDS_DEFAULT = 60;
const WAIT_SECONDS_MAX = 86_400;

/** What may come from a file or from stdin. */
export const CONTENT_FLAGS: readonly string[] = ['--html', '--text'];

/** The flag and the help that a send has beyond its operation. */
export function describeSend(command: Command): Command {
  const { done, pendingApproval, waitTimedOut, deliveryFailed } = EXIT_CODES;
  const meaning =
    `Wait for the outcome, ${WAIT_SECONDS_DEFAULT} seconds unless given. The exit code then tells it: ${done} sent or delivered, ` +
    `${pendingApproval} held for approval, ${waitTimedOut} not known in time, ${deliveryFailed} not delivered.`;
  command.addOption(new Option('--wait [seconds]', meaning).argParser(parseWait));
  for (const option of command.options.filter(({ long }) => CONTENT_FLAGS.includes(long ?? ''))) {
    option.description +=
      ' Or @file for the content of a file, - for what comes on stdin; @@ begins content with an @.';
  }
  return command;
}

function parseWait(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= WAIT_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Give whole seconds from 1 to ${WAIT_SECONDS_MAX}.`);
}
