import { renameOperations, rewriteFixes, writeCommand } from '@postrider/core/operation-references';
import { OPERATION_COMMANDS } from './generated/operation-commands.ts';

/** Replaces the operations that a text of the API names by their commands. */
export function nameCommands(text: string): string {
  return renameOperations(text, OPERATION_COMMANDS, ({ id, path, command }, params) =>
    command === null ? `the operation \`${id}\` of the API` : `\`${writeCommand(command, path, params)}\``,
  );
}

/** A body of the API in which every fix names commands instead of operations. */
export function inCommandNames<T>(body: T): T {
  return rewriteFixes(body, nameCommands);
}
