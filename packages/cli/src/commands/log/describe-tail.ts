import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';
import { COMMANDS } from '../../generated/commands.ts';

const TAIL_COMMAND = 'emails tail';
export const REQUESTS_TAIL_COMMAND = 'requests tail';
/** Both ways to follow a log. */
export const TAIL_COMMANDS: readonly string[] = [TAIL_COMMAND, REQUESTS_TAIL_COMMAND];

export const LAST_DEFAULT = 10;
const LAST_MAX = 100;
export const INTERVAL_SECONDS_DEFAULT = 2;
const INTERVAL_SECONDS_MAX = 3_600;

const LIST = COMMANDS.find(({ id }) => id === 'emails.list');
/** What is new has no end, and comes in one order: the rest of the list's arguments filter it. */
const NOT_OF_TAIL = ['limit', 'cursor', 'from', 'to'];

/** Follows the message log; it takes the filters of the list. */
export const TAIL: CommandDescription = {
  id: TAIL_COMMAND,
  command: TAIL_COMMAND,
  summary: 'Follow new emails',
  description:
    'Prints the newest messages and then every new one as it is accepted, oldest first, until Ctrl-C. With `--json` each is a JSON document on a line of its own.',
  needsKey: true,
  scope: LIST?.scope ?? null,
  examples: ['postrider emails tail --tag order', 'postrider emails tail --source agent --json | jq -r .subject'],
  inputs: (LIST?.inputs ?? []).filter(({ name }) => !NOT_OF_TAIL.includes(name)),
};

const REQUESTS = COMMANDS.find(({ id }) => id === 'requests.list');

/** Follows the log of requests; those that following it makes are left out. */
export const REQUESTS_TAIL: CommandDescription = {
  id: REQUESTS_TAIL_COMMAND,
  command: REQUESTS_TAIL_COMMAND,
  summary: 'Follow new requests',
  description:
    'Prints the newest requests to the API and then every new one, oldest first, until Ctrl-C. With `--json` each is a JSON document on a line of its own. The requests that the command itself makes are left out.',
  needsKey: true,
  scope: REQUESTS?.scope ?? null,
  examples: ['postrider logs tail', 'postrider requests tail --json | jq -r .path'],
  inputs: (REQUESTS?.inputs ?? []).filter(({ name }) => !NOT_OF_TAIL.includes(name)),
};

export function describeTail(command: Command): Command {
  const last = `Begin with so many of the newest, 0 to ${LAST_MAX}; ${LAST_DEFAULT} unless given.`;
  const interval = `Look so often, 1 to ${INTERVAL_SECONDS_MAX}; ${INTERVAL_SECONDS_DEFAULT} unless given.`;
  return command
    .addOption(new Option('--last <number>', last).argParser(wholeNumber(0, LAST_MAX)))
    .addOption(new Option('--interval <seconds>', interval).argParser(wholeNumber(1, INTERVAL_SECONDS_MAX)));
}

function wholeNumber(min: number, max: number) {
  return (text: string): number => {
    const value = Number(text);
    if (/^\d{1,4}$/.test(text) && value >= min && value <= max) return value;
    throw new InvalidArgumentError(`Give a whole number from ${min} to ${max}.`);
  };
}
