import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { ExitCode } from './exit-codes.ts';
import { CliFailure } from './failure.ts';
import { COMMAND_FILES } from './generated/command-files.ts';
import { isIdPrefix } from './ids/id-prefix.ts';
import type { Invocation } from './invocation.ts';
import { createOutput, type Output } from './output/output.ts';

/**
 * Runs a parsed command line. Loads only the modules of its command, and the HTTP client only for commands that call a server: shells run
 * `completion` at every start.
 */
export async function executeInvocation(given: Invocation, io: CliIo): Promise<ExitCode> {
  try {
    return await runCommand(given, io);
  } catch (error) {
    if (!(error instanceof CliFailure) || error.problem.status === null) throw error;
    const { inFlagWords } = await import('./flag-words.ts');
    const { withShortIdAdvice } = await import('./ids/short-id-advice.ts');
    throw withShortIdAdvice(inFlagWords(error, given), given);
  }
}

async function runCommand(given: Invocation, io: CliIo): Promise<ExitCode> {
  const { options, command } = given;
  const output = await createOutput(io, options);
  const file = await COMMAND_FILES[command.id]?.();
  if (file?.runAlone !== undefined) return await file.runAlone(given, output, io);
  const { connect } = await import('./api-connection.ts');
  const connection = await connect(options, io, command.needsKey);
  const invocation = hasIdPrefix(given) ? await toWholeIds(given, connection, output, io) : given;
  if (file?.run !== undefined) return await file.run(invocation, connection, output, io);
  const { runOperation } = await import('./run-operation.ts');
  return await runOperation(invocation, connection, output, io, file?.view);
}

function hasIdPrefix({ values }: Invocation): boolean {
  return Object.values(values)
    .flat()
    .some((value) => typeof value === 'string' && isIdPrefix(value));
}

async function toWholeIds(
  given: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<Invocation> {
  const { withWholeIds } = await import('./ids/whole-ids.ts');
  return await withWholeIds(given, connection, output, io);
}
