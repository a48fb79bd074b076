import { connect } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import { SEND_OPERATION } from './commands/describe-send.ts';
import { runCommand } from './commands/run-command.ts';
import { runSend } from './commands/run-send.ts';
import type { ExitCode } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';
import { createOutput } from './output/output.ts';

/** Carries out a parsed command line. */
export async function executeInvocation(invocation: Invocation, io: CliIo): Promise<ExitCode> {
  const output = createOutput(io, invocation.options);
  const connection = await connect(invocation.options, io);
  return invocation.command.id === SEND_OPERATION
    ? runSend(invocation, connection, output, io)
    : runCommand(invocation, connection, output);
}
