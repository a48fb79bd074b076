import { Command } from 'commander';
import { type Config, readConfig } from '../config.ts';
import { SETTINGS } from '../settings.ts';
import { VERSION } from '../version.ts';
import { addAuditCommands } from './audit-commands.ts';
import { addDoctorCommand } from './doctor.ts';
import { addEraseCommand } from './erase-command.ts';
import { addOperatorCommands } from './operator-commands.ts';
import { addSecretsCommands } from './secrets-commands.ts';
import { start } from './start.ts';
import { StartError } from './start-error.ts';
import { addStatsCommands } from './stats-commands.ts';
import { addTicketCommands } from './ticket-commands.ts';

export interface ProgramOptions {
  /** Where the settings come from. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Receives the output of a command. */
  readonly write: (text: string) => void;
  /** Called with progress messages. */
  readonly progress: (text: string) => void;
  /** Receives the parser's messages about a wrong command line; standard error by default. */
  readonly writeUsage?: (text: string) => void;
}

/**
 * The command line `postrider-server`. A command rejects with a StartError if a user must fix something first, and with
 * a CommanderError if the command line is wrong or help was requested.
 */
export function createProgram({ environment, write, progress, writeUsage }: ProgramOptions): Command {
  const program = new Command('postrider-server')
    .exitOverride()
    .configureOutput(writeUsage === undefined ? {} : { writeErr: writeUsage })
    .description('Postrider, the self-hosted transactional email service')
    .version(VERSION)
    .addHelpText('after', settingsHelp())
    .showHelpAfterError('(add --help for the commands and settings)');
  program
    .command('start', { isDefault: true })
    .description('start the server')
    .option('--roles <roles>', 'what this process does: some of api, worker, smtp, separated by commas')
    .action(async (options: { roles?: string }) => await start(requireConfig(environment, options)));
  const operator = { readConfig: () => requireConfig(environment), write, progress };
  addOperatorCommands(program, operator);
  addEraseCommand(program, operator);
  addStatsCommands(program, operator);
  addTicketCommands(program, operator);
  addAuditCommands(program, operator);
  addSecretsCommands(program, operator);
  addDoctorCommand(program, { readConfig: () => readConfig(environment), write, progress });
  return program;
}

function requireConfig(environment: ProgramOptions['environment'], flags: { readonly roles?: string } = {}): Config {
  const verdict = readConfig(environment, flags);
  if (verdict.ok) return verdict.config;
  const lines = verdict.problems.map(({ setting, message, fix }) => `${setting}: ${message}\n    ${fix}`);
  throw new StartError(
    `The settings are not valid.\n  ${lines.join('\n  ')}`,
    'Correct the settings above. `postrider-server --help` lists all of them.',
  );
}

function settingsHelp(): string {
  const lines = SETTINGS.map(
    ({ name, default: byDefault, description }) => `  ${name}\n      ${description} Default: ${byDefault}.`,
  );
  return `\nSettings, from the environment:\n${lines.join('\n')}\n`;
}
