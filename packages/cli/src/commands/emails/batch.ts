import type { ApiConnection } from '../../api-connection.ts';
import type { CliIo } from '../../cli-io.ts';
import { defineCommand } from '../../define-command.ts';
import { EXIT_CODES, type ExitCode } from '../../exit-codes.ts';
import { placeValues } from '../../operation-input.ts';
import { outcomeOf } from '../../outcome.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../../output/json-value.ts';
import type { Output } from '../../output/output.ts';
import { showBatch } from '../../output/views/batch.ts';
import { switchFlag } from '../../own-flag.ts';
import { readBatchFile } from '../../sending/batch-file.ts';
import { WAIT_FLAG, WAIT_SECONDS_DEFAULT } from '../../sending/wait-flag.ts';
import { type WaitResult, waitForOutcome } from '../../sending/wait-for-outcome.ts';

/** Sends a file of messages in one call and, with `--wait`, follows each to its outcome. Exits with the code of the worst outcome. */
export const definition = defineCommand({
  id: 'emails.send-batch',
  shortcut: 'batch',
  flags: { dryRun: switchFlag('--dry-run', 'Check every item and send none.'), wait: WAIT_FLAG },
  async run({ command, values, own }, connection, output, io) {
    const items = await readBatchFile('<file>', String(values['emails']), io);
    const emails = own.dryRun === true ? items.map(asDryRun) : items;
    const { data } = await connection.callCommand(command.id, placeValues(command, { ...values, emails }));
    const response = isRecord(data) ? data : {};
    const { wait } = own;
    if (wait === undefined) return finish(response, [], output);
    const seconds = typeof wait === 'number' ? wait : WAIT_SECONDS_DEFAULT;
    const followed = await followAll(recordsOf(response['results']), seconds, connection, io);
    const results = followed.map(({ result }) => result);
    return finish({ ...response, results }, followed, output);
  },
});

interface Followed {
  readonly result: JsonRecord;
  /** Null for items that were not accepted. */
  readonly wait: WaitResult | null;
}

/** Items that are not objects stay unchanged, so that the server rejects them with its own error. */
function asDryRun(item: unknown): unknown {
  return isRecord(item) ? { ...item, dry_run: true } : item;
}

/** Waits for all of them in parallel, within the same time. */
async function followAll(
  results: readonly JsonRecord[],
  seconds: number,
  connection: ApiConnection,
  { signal }: CliIo,
): Promise<readonly Followed[]> {
  return await Promise.all(
    results.map(async (result): Promise<Followed> => {
      const id = textOf(result['id']);
      if (id === '') return { result, wait: null };
      const wait = await waitForOutcome(id, seconds, connection, signal);
      const status = isRecord(wait.message) ? wait.message['status'] : result['status'];
      return { result: { ...result, status }, wait };
    }),
  );
}

function finish(response: JsonRecord, followed: readonly Followed[], output: Output): ExitCode {
  if (output.isJson) output.writeJson(response);
  else showBatch(response, output);
  const waits = followed.flatMap(({ wait }) => (wait === null ? [] : [wait]));
  if (waits.some(({ kind }) => kind === 'interrupted')) return EXIT_CODES.interrupted;
  const results = recordsOf(response['results']);
  if (results.some(({ ok }) => ok !== true)) return EXIT_CODES.refused;
  // Every id is printed by now, so a failed read loses none.
  for (const wait of waits) if (wait.kind === 'refused') throw wait.failure;
  const outcomes = results.map(({ status }) => outcomeOf(textOf(status)));
  if (outcomes.includes('failed')) return EXIT_CODES.deliveryFailed;
  if (waits.some(({ kind }) => kind === 'over')) return EXIT_CODES.waitTimedOut;
  return outcomes.includes('held') ? EXIT_CODES.pendingApproval : EXIT_CODES.done;
}
