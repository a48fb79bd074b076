import type { ApiConnection } from '../api-connection.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { isRecord, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { showDecision } from '../output/views/approval.ts';
import type { Decision } from './held-sends.ts';
import { type Hold, readHold } from './hold.ts';

/** The note and the content hash of a decision. */
export function readDecisionFields(values: Invocation['values']): Pick<Decision, 'note' | 'contentHash'> {
  const { note, contentHash } = values;
  return {
    ...(typeof note === 'string' ? { note } : {}),
    ...(typeof contentHash === 'string' ? { contentHash } : {}),
  };
}

export async function decideHold(
  values: Invocation['values'],
  decision: Decision,
  connection: ApiConnection,
  output: Output,
): Promise<ExitCode> {
  const input = { params: { id: textOf(values['id']) }, query: {}, headers: {}, body: { ...decision } };
  const { data } = await connection.callCommand('approvals.decide', input);
  return reportDecision(readHold(data), data, output);
}

/** For a script, an approval that the acceptance check refused is a failure: the message is not sent. */
export function reportDecision(hold: Hold, response: unknown, output: Output): ExitCode {
  if (output.isJson) output.writeJson(response);
  else showDecision(isRecord(response) ? response : {}, output);
  return hold.outcome === 'failed' ? EXIT_CODES.deliveryFailed : EXIT_CODES.done;
}
