import type { Command } from 'commander';
import type { CommandDescription } from '../command-description.ts';
import { buildProgram } from './program.ts';

export interface HelpPage {
  /** The command, without `--help`. */
  readonly command: string;
  readonly text: string;
}

/** The help texts of the program and of every command, as a terminal with `columns` shows them. */
export function helpPages(commands: readonly CommandDescription[], columns: number): readonly HelpPage[] {
  let written = '';
  const sink = { write: (text: string) => (written += text), isTTY: true, columns };
  const noInput = { async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {} };
  const io = { stdout: sink, stderr: sink, stdin: noInput, env: {}, cwd: '.' };
  const program = buildProgram(commands, io, async () => {});
  const wanted = ['', ...commands.map(({ command }) => command)];
  return wanted.map((words) => {
    written = '';
    findCommand(program, words).outputHelp();
    return { command: `${program.name()} ${words}`.trim(), text: written };
  });
}

function findCommand(program: Command, words: string): Command {
  const path = words === '' ? [] : words.split(' ');
  return path.reduce((found, word) => found.commands.find((command) => command.name() === word) ?? found, program);
}
