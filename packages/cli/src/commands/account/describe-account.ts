import { type Command, Option } from 'commander';

export const DELETE_ACCOUNT_OPERATION = 'account.delete';
export const STATS_OPERATION = 'account.stats';

/** The flag that deleting an account has beyond its operation. */
export function describeDeleteAccount(command: Command): Command {
  return command.addOption(new Option('--yes', 'Do it without asking; needed where stdin is no terminal.'));
}
