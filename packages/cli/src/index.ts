export type { ByteSource, CliIo, TextSink } from './cli-io.ts';
export type { CommandDescription, InputDescription, ValueDescription } from './command-description.ts';
export { EXIT_CODE_MEANINGS, EXIT_CODES, type ExitCode, type ExitCodeName } from './exit-codes.ts';
export { COMMANDS } from './generated/commands.ts';
export { GLOBAL_FLAG_NAMES } from './global-options.ts';
export { type HelpPage, helpPages } from './help-pages.ts';
export { OWN_COMMANDS } from './own-commands.ts';
export { runCli } from './run-cli.ts';
