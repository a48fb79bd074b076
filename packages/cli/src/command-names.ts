import { renameOperations, rewriteFixes, writeCommand } from '@postrider/core/operation-references';
import { OPERATION_COMMANDS } from './generated/operation-commands.ts';

/** A text of the API in the words of the CLI: where it names an operation, the command is named. */
export function nameCommands(text: string): string {
  return renameOperations(text, OPERATION_COMMANDS, ({ id, path, command }, params) =>
    command === null ? `the operation \`${id}\` of the API` : `\`${writeCommand(command, path, params)}\``,
  );
}

/** A body of the API with every fix in the words of the CLI. */
export function inCommandNames<T>(body: T): T {
  return rewriteFixes(body, nameCommands);
}
