import { type Command, CommanderError } from 'commander';
import { EXIT, ExitRequest, reportError, UsageError } from './start-error.ts';
import { createStartProgram, type ProgramOptions } from './start-program.ts';

export interface ServerRun extends ProgramOptions {
  /** Receives error messages. */
  readonly writeError: (text: string) => void;
}

/** Runs the command line `postrider-server` and returns its exit code. `start` returns as soon as the server is ready. Never rejects. */
export async function runServer(words: readonly string[], run: ServerRun): Promise<number> {
  const json = words.includes('--json');
  const options = { ...run, ...(json ? { writeUsage: () => undefined } : { writeUsage: run.writeError }) };
  const program = isPlainStart(words) ? createStartProgram(options) : await loadProgram(options);
  try {
    assertCommand(program, words[0]);
    await program.parseAsync(words, { from: 'user' });
    return EXIT.ok;
  } catch (error) {
    if (error instanceof ExitRequest) return error.code;
    if (!(error instanceof CommanderError)) return reportError(error, run.writeError, { json });
    if (error.exitCode === 0) return EXIT.ok;
    // For text output, the parser has already printed the problem.
    return json ? reportError(toUsageError(error), run.writeError, { json }) : EXIT.usage;
  }
}

const HELP = new Set(['help', '--help', '-h', '--version', '-V']);

/** `start` does not need the other commands, whose modules load most of the server. Help lists them, so it does. */
function isPlainStart(words: readonly string[]): boolean {
  const [first = 'start'] = words;
  return (first === 'start' || first.startsWith('-')) && !words.some((word) => HELP.has(word));
}

async function loadProgram(options: ProgramOptions): Promise<Command> {
  const { createProgram } = await import('./program.ts');
  return createProgram(options);
}

/** Without this the default command would receive an unknown word and report that it accepts no arguments. */
function assertCommand(program: Command, word: string | undefined): void {
  const names = program.commands.map((command) => command.name());
  if (word === undefined || word.startsWith('-') || word === 'help' || names.includes(word)) return;
  throw new UsageError(`unknown command "${word}"`, `Use one of ${names.join(', ')}. Add --help to see what they do.`);
}

function toUsageError({ code, message }: CommanderError): UsageError {
  const detail =
    code === 'commander.help' ? 'A command is missing.' : message.replace(/^error: /, '').split('\n', 1)[0];
  return new UsageError(detail ?? '', 'Add --help to see the commands and their options.');
}
