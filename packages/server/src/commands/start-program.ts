import { Command } from 'commander';
import { type Config, readConfig, type StartFlags } from '../config.ts';
import { SETTINGS } from '../settings.ts';
import { VERSION } from '../version.ts';
import { start } from './start.ts';
import { StartError } from './start-error.ts';

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

/** The command line with only `start`, which loads few modules. */
export function createStartProgram({ environment, writeUsage }: ProgramOptions): Command {
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
    .option('--roles <roles>', 'what this server does: some of api, worker, smtp, separated by commas')
    .option(
      '--processes <number>',
      'number of processes that share the work; by default, as many as processors and memory allow in production, otherwise 1',
    )
    .action(async (flags: StartFlags) => await start(requireConfig(environment, flags)));
  return program;
}

/** @throws StartError if the settings are not valid */
export function requireConfig(environment: ProgramOptions['environment'], flags: StartFlags = {}): Config {
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
