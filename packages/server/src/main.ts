#!/usr/bin/env node
import { Command } from 'commander';
import { addOperatorCommands } from './commands/operator-commands.ts';
import { start } from './commands/start.ts';
import { reportError, StartError } from './commands/start-error.ts';
import { type Config, readConfig } from './config.ts';
import { SETTINGS } from './settings.ts';
import { VERSION } from './version.ts';

function requireConfig(flags: { readonly roles?: string } = {}): Config {
  const verdict = readConfig(process.env, flags);
  if (verdict.ok) return verdict.config;
  const lines = verdict.problems.map(({ setting, message, fix }) => `${setting}: ${message}\n    ${fix}`);
  throw new StartError(
    `The settings are not right.\n  ${lines.join('\n  ')}`,
    'Correct the settings named above; `postrider-server --help` lists all of them.',
  );
}

function settingsHelp(): string {
  const lines = SETTINGS.map(({ name, default: byDefault, description }) => `  ${name}\n      ${description} Default: ${byDefault}.`);
  return `\nSettings, from the environment:\n${lines.join('\n')}\n`;
}

function createProgram(): Command {
  const program = new Command('postrider-server')
    .description('Postrider, the self-hosted transactional email service')
    .version(VERSION)
    .addHelpText('after', settingsHelp())
    .showHelpAfterError('(add --help for the commands and settings)');
  program
    .command('start', { isDefault: true })
    .description('start the server')
    .option('--roles <roles>', 'what this process does: some of api, worker, smtp, separated by commas')
    .action(async (options: { roles?: string }) => await start(requireConfig(options)));
  addOperatorCommands(program, {
    readConfig: () => requireConfig(),
    write: (text) => void process.stdout.write(text),
    progress: (text) => void process.stderr.write(`  ${text} …\n`),
  });
  return program;
}

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportError(error, (text) => void process.stderr.write(text));
}
