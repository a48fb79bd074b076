import { type Command, InvalidArgumentError, Option } from 'commander';
import type { CommandDescription } from '../../command-description.ts';

export const VERIFY_COMMAND = 'audit verify';

/** Follows the chain of the account's audit log. */
export const VERIFY: CommandDescription = {
  id: VERIFY_COMMAND,
  command: VERIFY_COMMAND,
  summary: 'Verify the audit log',
  description:
    'Reads the whole audit log of the account and computes the hash of every entry again, on this machine. The exit code is 1 where an entry was changed, taken out or put in, and the first is named. Keep the hash it ends with, and give it the next time as `--expect`: then entries taken off the end, and a log written anew, show as well. With `--json`: `{ok, entries, lastHash, broken: null | {reason, seq, id, message}}`.',
  needsKey: true,
  scope: 'audit:read',
  examples: ['postrider audit verify', 'postrider audit verify --expect <hash> --json'],
  inputs: [],
};

export function describeVerify(command: Command): Command {
  const expect = 'A hash that an earlier run ended with: it has to be there still.';
  return command.addOption(new Option('--expect <hash>', expect).argParser(readHash));
}

function readHash(text: string): string {
  if (/^[0-9a-f]{64}$/i.test(text)) return text.toLowerCase();
  throw new InvalidArgumentError('Give 64 hexadecimal digits.');
}
