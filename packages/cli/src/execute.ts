import type { CliIo } from './cli-io.ts';
import type { ExitCode } from './exit-codes.ts';
import { COMMAND_FILES } from './generated/command-files.ts';
import type { Invocation } from './invocation.ts';
import { createOutput } from './output/output.ts';

/**
 * Carries out a parsed command line. A command comes with its own modules and none of those of another, and what talks to the server only
 * where a server is called: shells ask for their completions at every start.
 */
export async function executeInvocation(invocation: Invocation, io: CliIo): Promise<ExitCode> {
  const { options, command } = invocation;
  const output = await createOutput(io, options);
  const file = await COMMAND_FILES[command.id]?.();
  if (file?.runAlone !== undefined) return await file.runAlone(invocation, output, io);
  const { connect } = await import('./api-connection.ts');
  const connection = await connect(options, io, command.needsKey);
  if (file?.run !== undefined) return await file.run(invocation, connection, output, io);
  const { runOperation } = await import('./run-operation.ts');
  return await runOperation(invocation, connection, output, io, file?.view);
}
