import type { ApiConnection } from '../api-connection.ts';
import { CliFailure } from '../failure.ts';
import { isRecord, recordsOf, textOf } from '../output/json-value.ts';
import { singleLine } from '../output/untrusted-text.ts';

/** A held send whose approval is checked in advance. */
export interface CheckedSend {
  readonly id: string;
  /** The addresses after edits; null if the recipients are not edited. */
  readonly recipients: readonly string[] | null;
}

/**
 * Why an approval would not send a held message now; empty if no reason is known. The result is only a warning: the check runs again with the
 * approval, and a missing warning must not prevent a decision.
 */
export async function findRefusalReasons(
  { id, recipients }: CheckedSend,
  connection: ApiConnection,
): Promise<readonly string[]> {
  const query = recipients === null ? {} : { recipients: recipients.join(',') };
  const input = { params: { id }, query, headers: {}, body: undefined };
  try {
    const { data } = await connection.callCommand('approvals.check', input, 0);
    return recordsOf(isRecord(data) ? data['checks'] : [])
      .filter(({ ok }) => ok === false)
      .map(({ message }) => singleLine(textOf(message)));
  } catch (error) {
    if (error instanceof CliFailure) return [];
    throw error;
  }
}
