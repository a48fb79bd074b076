import type { ApiConnection } from './api-connection.ts';
import type { CliIo } from './cli-io.ts';
import type { CommandDescription } from './command-description.ts';
import { withContent } from './content-flags.ts';
import { EXIT_CODES, type ExitCode } from './exit-codes.ts';
import type { Invocation } from './invocation.ts';
import { placeValues } from './operation-input.ts';
import type { Output } from './output/output.ts';
import type { View } from './output/view.ts';
import { withWaitMessage } from './wait-message.ts';

/** Calls the operation and prints its response. */
export async function runOperation(
  { command, values: given }: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
  view?: View,
): Promise<ExitCode> {
  const values = await withContent(command.inputs, given, io);
  // A user who passes --wait needs no message about waiting.
  const notifying = values['wait'] === undefined ? withWaitMessage(connection, output, io) : connection;
  return callAndShow(command, values, notifying, output, view);
}

/** The same with literal values: none of them names a file. */
export async function callAndShow(
  command: CommandDescription,
  values: Readonly<Record<string, unknown>>,
  connection: ApiConnection,
  output: Output,
  view?: View,
): Promise<ExitCode> {
  const { data } = await connection.callCommand(command.id, placeValues(command, values));
  if (output.isJson) {
    output.writeJson(data);
    return EXIT_CODES.done;
  }
  // Loaded late: it imports the views.
  const { renderResult } = await import('./output/render-result.ts');
  await renderResult(command.id, data, output, new Date(), view);
  return EXIT_CODES.done;
}
