import { type Command, Option } from 'commander';

export const BATCH_OPERATION = 'emails.send-batch';

/** How failures name the argument. */
export const BATCH_FILE = '<file>';

/** The flag that a batch has beyond its operation: the API asks for it item by item. */
export function describeBatch(command: Command): Command {
  return command.addOption(new Option('--dry-run', 'Check every item and send none.'));
}
