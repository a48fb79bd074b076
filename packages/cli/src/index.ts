export type { ByteSource, CliIo, TextSink } from './cli-io.ts';
export type { CommandDescription, InputDescription, ValueDescription } from './command-description.ts';
export type { AboutCommand, CommandDefinition } from './define-command.ts';
export { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCode, type ExitCodeName } from './exit-codes.ts';
export { COMMANDS, OWN_COMMANDS } from './generated/commands.ts';
export { GLOBAL_FLAG_NAMES } from './global-options.ts';
export { type HelpPage, helpPages } from './parser/help-pages.ts';
export { runCli } from './run-cli.ts';
