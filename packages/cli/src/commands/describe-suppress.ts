import type { Command } from 'commander';

export const SUPPRESS_OPERATION = 'suppressions.create';

/** What may come from a file or from stdin. */
export const ADDRESSES_FLAG = '--emails';

/** The help that adding suppressions has beyond its operation. */
export function describeSuppress(command: Command): Command {
  for (const option of command.options.filter(({ long }) => long === ADDRESSES_FLAG)) {
    option.description +=
      ' Or @file for the addresses in a file, - for those on stdin: one a line, of any number; lines that begin with # are left out.';
  }
  return command;
}
