import type { CliIo } from '../../cli-io.ts';
import type { CommandDescription } from '../../command-description.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { COMMANDS } from '../../generated/commands.ts';
import type { Invocation } from '../../invocation.ts';
import { createOutput } from '../../output/output.ts';
import { OWN_COMMANDS } from '../../own-commands.ts';
import { buildProgram } from '../../program.ts';
import { completionScript } from './completion-script.ts';
import { CATALOGUE, COMPLETION, SHELLS } from './describe-program.ts';
import { runCatalogue } from './run-catalogue.ts';

const ALL_COMMANDS: readonly CommandDescription[] = [...COMMANDS, ...OWN_COMMANDS];

/** Carries out a command that tells of the program itself, and asks no server; null where it is another one. */
export function runProgramCommand({ command, ownArguments, options }: Invocation, io: CliIo): ExitCode | null {
  const output = createOutput(io, options);
  if (command.id === CATALOGUE.id) return runCatalogue(programOf(io), ALL_COMMANDS, output);
  if (command.id !== COMPLETION.id) return null;
  const shell = SHELLS.find((name) => name === ownArguments[0]);
  if (shell === undefined) throw new Error('The parser lets no other shell pass.');
  // A script is what was asked for, whatever the form of answers.
  output.writeText(completionScript(programOf(io), shell));
  return EXIT_CODES.done;
}

function programOf(io: CliIo) {
  return buildProgram(ALL_COMMANDS, io, async () => {});
}
