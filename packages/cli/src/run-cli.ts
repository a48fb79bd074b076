import { CommanderError } from 'commander';
import { ALL_COMMANDS } from './all-commands.ts';
import type { CliIo } from './cli-io.ts';
import type { CommandDescription } from './command-description.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import { CliFailure, unexpectedFailure, usageFailure } from './failure.ts';
import { guessOutputForm } from './global-options.ts';
import type { Invocation } from './invocation.ts';
import { reportFailure } from './output/failure-report.ts';
import { buildProgram } from './parser/program.ts';
import { findSwallowedFlag, mayBeSwallowed } from './parser/swallowed-flag.ts';
import { findUnknownCommand } from './parser/unknown-command.ts';

/**
 * Runs one command line and returns its exit code. Writes data to `io.stdout` and everything else to `io.stderr`. Never throws and never ends
 * the process.
 */
export async function runCli(
  given: readonly string[],
  io: CliIo,
  commands: readonly CommandDescription[] = ALL_COMMANDS,
): Promise<ExitCode> {
  const [argv, isHelp] = asFlag(given);
  let exitCode: ExitCode = EXIT_CODES.done;
  let form = guessOutputForm(argv, io);
  const run = async (invocation: Invocation) => {
    form = invocation.options;
    exitCode = await execute(invocation, io);
  };
  const program = buildProgram(commands, io, run, argv);
  try {
    const swallowed = mayBeSwallowed(program, argv) ? findSwallowedFlag(buildProgram(commands, io, run), argv) : null;
    const wrong = swallowed ?? findUnknownCommand(program, argv, isHelp);
    if (wrong !== null) throw wrong;
    if (argv.length === 0) program.outputHelp();
    else await program.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (io.signal?.aborted) return EXIT_CODES.interrupted;
    const failure = toFailure(error);
    if (failure === null)
      return error instanceof CommanderError && error.exitCode === 0 ? EXIT_CODES.done : EXIT_CODES.usage;
    await reportFailure(failure, form, io);
    return failure.exitCode;
  }
}

/**
 * `help domains add` becomes `domains add --help`: commander's own help command reads one word, and prints the help of the program for an
 * unknown one. The second value is whether the line was changed.
 */
function asFlag(argv: readonly string[]): readonly [argv: readonly string[], isHelp: boolean] {
  const at = argv.findIndex((word) => !SWITCH.test(word));
  if (argv[at] !== 'help') return [argv, false];
  return [[...argv.toSpliced(at, 1).filter((word) => word !== 'help'), '--help'], true];
}

/** Global options without a value, which may come first. */
const SWITCH = /^(-q|--quiet|--(no-)?(json|color|input))$/;

/** Loads the rest of the program here: help and usage errors do not need it. */
async function execute(invocation: Invocation, io: CliIo): Promise<ExitCode> {
  const { executeInvocation } = await import('./execute.ts');
  return executeInvocation(invocation, invocation.options.canPrompt ? io : withoutPrompts(io));
}

/** Prompts check whether stdin is a terminal, so this disables all of them. */
function withoutPrompts(io: CliIo): CliIo {
  const { stdin } = io;
  const silent = {
    isTTY: false,
    [Symbol.asyncIterator]: () => stdin[Symbol.asyncIterator](),
    destroy: () => stdin.destroy?.(),
  };
  return { ...io, stdin: silent };
}

/** Null if help or the version was printed, which is not an error. */
function toFailure(error: unknown): CliFailure | null {
  if (error instanceof CliFailure) return error;
  if (!(error instanceof CommanderError)) return unexpectedFailure(error);
  if (error.exitCode === 0 || error.code === 'commander.help') return null;
  const [detail, fix] = splitSuggestion(error.message);
  return usageFailure(detail, fix);
}

/** Commander puts its suggestion for a mistyped word on a last line, in parentheses. */
function splitSuggestion(message: string): readonly [detail: string, fix: string] {
  const plain = message.startsWith('error: ') ? message.slice('error: '.length) : message;
  const at = plain.endsWith(')') ? plain.indexOf('\n(Did you mean ') : -1;
  if (at === -1) return [plain, 'Add --help to see the usage of the command.'];
  return [plain.slice(0, at), plain.slice(at + 2, -1)];
}
