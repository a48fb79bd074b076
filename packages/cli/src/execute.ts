import { connect } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';
import { loadOwnRunner, loadRunner } from './load-runner.ts';
import { createOutput } from './output/output.ts';

/** Carries out a parsed command line. */
export async function executeInvocation(invocation: Invocation, io: CliIo): Promise<ExitCode> {
  const { options, command } = invocation;
  const output = createOutput(io, options);
  const own = await loadOwnRunner(command.id);
  if (own !== null) return await own(invocation, output, io);
  const connection = await connect(options, io, command.needsKey);
  const run = await loadRunner(command.id);
  return await run(invocation, connection, output, io);
}
