import { type Command, InvalidArgumentError, Option } from 'commander';
import { EXIT_CODES } from '../../exit-codes.ts';

export const RECORDS_OPERATION = 'domains.records';
export const VERIFY_OPERATION = 'domains.verify';

export const WATCH_SECONDS_DEFAULT = 600;
const WATCH_SECONDS_MAX = 86_400;

/** The flags that commands about domains have beyond their operations. */
export function describeDomains(command: Command, operationId: string): Command {
  for (const argument of command.registeredArguments.filter((one) => one.name() === 'id')) {
    argument.description = 'The domain: its name or its id.';
  }
  if (operationId === RECORDS_OPERATION) {
    command.addOption(new Option('--zone', 'Print a zone file, which most DNS hosts import.'));
  }
  if (operationId === VERIFY_OPERATION) addWatchFlags(command);
  return command;
}

function addWatchFlags(command: Command): void {
  const { done, waitTimedOut } = EXIT_CODES;
  const watch = `Look again and again, at growing intervals, until the domain is verified (exit code ${done}) or the time is over (${waitTimedOut}).`;
  const most = `How long to watch, 1 to ${WATCH_SECONDS_MAX} seconds; ${WATCH_SECONDS_DEFAULT} unless given.`;
  command
    .addOption(new Option('--watch', watch))
    .addOption(new Option('--for <seconds>', most).argParser(parseSeconds).implies({ watch: true }));
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds >= 1 && seconds <= WATCH_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError(`Give whole seconds from 1 to ${WATCH_SECONDS_MAX}.`);
}
