import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES } from '../exit-codes.ts';

/** What makes one new message, whose outcome can be waited for. */
export function isSend(operationId: string): boolean {
  return operationId === 'emails.send' || operationId === 'emails.resend';
}

export const WAIT_SECONDS_DEFAULT = 60;
const WAIT_SECONDS_MAX = 86_400;

/** The flag with which a command follows what it sent to its outcome. */
export function addWaitFlag(command: Command): Command {
  const { done, pendingApproval, waitTimedOut, deliveryFailed } = EXIT_CODES;
  const meaning =
    `Wait for the outcome, ${WAIT_SECONDS_DEFAULT} seconds unless given. The exit code then tells it: ${done} sent or delivered, ` +
    `${pendingApproval} held for approval, ${waitTimedOut} not known in time, ${deliveryFailed} not delivered.`;
  command.addOption(new Option('--wait [seconds]', meaning).argParser(parseWait));
  return command;
}

function parseWait(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= WAIT_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Give whole seconds from 1 to ${WAIT_SECONDS_MAX}.`);
}
