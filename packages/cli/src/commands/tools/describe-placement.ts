import { type Command, Option } from 'commander';

export const PLACEMENT_OPERATION = 'tools.inbox-placement';

/** The flag that a check of a message has beyond its operation, which takes the message as text. */
export function describePlacement(command: Command): Command {
  const meaning =
    'The whole message as a file, - for stdin; in place of --raw. Without any other flag it is read from stdin where that is no terminal.';
  return command.addOption(new Option('--file <path>', meaning).conflicts('raw'));
}
