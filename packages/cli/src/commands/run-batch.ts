import type { ApiConnection } from '../api-connection.ts';
import { readBatchFile } from '../batch-file.ts';
import type { CliIo } from '../cli-io.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import type { Invocation } from '../invocation.ts';
import { placeValues } from '../operation-input.ts';
import { outcomeOf } from '../outcome.ts';
import { isRecord, type JsonRecord, recordsOf, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { showBatch } from '../output/views/batch.ts';
import { type WaitResult, waitForOutcome } from '../wait-for-outcome.ts';
import { BATCH_FILE } from './describe-batch.ts';
import { WAIT_SECONDS_DEFAULT } from './describe-send.ts';

/** Sends a file of messages in one call and, with `--wait`, follows each to its outcome. The exit code tells the worst that came of any. */
export async function runBatch(
  { command, values, ownFlags }: Invocation,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const items = await readBatchFile(BATCH_FILE, String(values['emails']), io);
  const emails = ownFlags['dryRun'] === true ? items.map(asDryRun) : items;
  const { data } = await connection.call(command.id, placeValues(command, { ...values, emails }));
  const answer = isRecord(data) ? data : {};
  const { wait } = ownFlags;
  if (wait === undefined) return finish(answer, [], output);
  const seconds = typeof wait === 'number' ? wait : WAIT_SECONDS_DEFAULT;
  const followed = await followAll(recordsOf(answer['results']), seconds, connection, io);
  const results = followed.map(({ result }) => result);
  return finish({ ...answer, results }, followed, output);
}

interface Followed {
  readonly result: JsonRecord;
  /** Null for what was not accepted. */
  readonly wait: WaitResult | null;
}

/** What is no object stays as it is, for the server to refuse in its own words. */
function asDryRun(item: unknown): unknown {
  return isRecord(item) ? { ...item, dry_run: true } : item;
}

/** All are waited for at once, within the same time. */
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

function finish(answer: JsonRecord, followed: readonly Followed[], output: Output): ExitCode {
  if (output.isJson) output.writeJson(answer);
  else showBatch(answer, output);
  const waits = followed.flatMap(({ wait }) => (wait === null ? [] : [wait]));
  if (waits.some(({ kind }) => kind === 'interrupted')) return EXIT_CODES.interrupted;
  const results = recordsOf(answer['results']);
  if (results.some(({ ok }) => ok !== true)) return EXIT_CODES.refused;
  // Every id is printed by now, so that a failed reading loses none.
  for (const wait of waits) if (wait.kind === 'refused') throw wait.failure;
  const outcomes = results.map(({ status }) => outcomeOf(textOf(status)));
  if (outcomes.includes('failed')) return EXIT_CODES.deliveryFailed;
  if (waits.some(({ kind }) => kind === 'over')) return EXIT_CODES.waitTimedOut;
  return outcomes.includes('held') ? EXIT_CODES.pendingApproval : EXIT_CODES.done;
}
