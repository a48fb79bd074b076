import type { CommandDescription } from '@postrider/cli';
import type { Operation } from '@postrider/core';
import type { CommandFile } from './cli-command-files.ts';
import { TYPESCRIPT_NOTICE } from './product.ts';

/** Generates the CLI's command catalog: the commands of operations, and those that do more than call one. */
export function commandsSource(commands: readonly CommandDescription[], own: readonly CommandDescription[]): string {
  return [
    TYPESCRIPT_NOTICE,
    "import type { CommandDescription } from '../command-description.ts';",
    '',
    `export const COMMANDS: readonly CommandDescription[] = ${JSON.stringify(commands, null, 2)};`,
    '',
    `export const OWN_COMMANDS: readonly CommandDescription[] = ${JSON.stringify(own, null, 2)};`,
    '',
  ].join('\n');
}

/** Generates the table from an operation named in an API text to its command. */
export function operationCommandsSource(operations: readonly Operation[]): string {
  const rows = operations.map(({ id, method, path, cli }) => {
    const command = cli === null ? 'null' : `'${cli.command}'`;
    return `  { id: '${id}', method: '${method}', path: '${path}', command: ${command} },`;
  });
  return [
    TYPESCRIPT_NOTICE,
    "import type { OperationCommand } from '../command-description.ts';",
    '',
    'export const OPERATION_COMMANDS: readonly OperationCommand[] = [',
    ...rows,
    '];',
    '',
  ].join('\n');
}

/** Generates the list of command files. Each is loaded when its command runs. */
export function commandFilesSource(files: readonly CommandFile[]): string {
  return [
    TYPESCRIPT_NOTICE,
    "import type { CommandDefinition } from '../define-command.ts';",
    '',
    'export const COMMAND_FILES: Readonly<Record<string, () => Promise<CommandDefinition>>> = {',
    ...files.map(({ path, definition }) => {
      const specifier = `../commands/${path}`;
      return `  '${definition.id}': async () => (await import('${specifier}')).definition,`;
    }),
    '};',
    '',
  ].join('\n');
}
