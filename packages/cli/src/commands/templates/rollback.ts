import type { ApiConnection } from '../../api-connection.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import type { Invocation } from '../../invocation.ts';
import type { Output } from '../../output/output.ts';
import { renderAnswer } from '../../output/render-answer.ts';

/** Makes a version that equals an earlier one. */
export async function runRollback(
  { values }: Invocation,
  connection: ApiConnection,
  output: Output,
): Promise<ExitCode> {
  const { id, version, note } = values;
  const body = { rollbackTo: version, ...(note === undefined ? {} : { note }) };
  const { data } = await connection.call('templates.update', { params: { id }, query: {}, headers: {}, body });
  if (output.isJson) output.writeJson(data);
  else renderAnswer('templates.update', data, output, new Date());
  return EXIT_CODES.done;
}
