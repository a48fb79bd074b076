import type { ApiConnection } from '../../api-connection.ts';
import type { ExitCode } from '../../exit-codes.ts';
import { CliFailure } from '../../failure.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { showDays } from '../../output/views/account-stats.ts';
import { callAndShow } from '../run-command.ts';

/** The statistics; for people with a line of the window's days below, which another operation knows. */
export async function runStats(
  { command, values }: Invocation,
  connection: ApiConnection,
  output: Output,
): Promise<ExitCode> {
  const code = await callAndShow(command, values, connection, output);
  if (output.isJson) return code;
  const query = values['window'] === undefined ? {} : { window: values['window'] };
  try {
    const { data } = await connection.call('account.volume', { params: {}, query, headers: {}, body: undefined }, 0);
    showDays(data, output);
  } catch (error) {
    // It is an addition: what was asked for has been answered.
    if (!(error instanceof CliFailure)) throw error;
  }
  return code;
}
