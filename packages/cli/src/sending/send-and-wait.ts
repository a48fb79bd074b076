import type { ApiConnection } from '../api-connection.ts';
import type { CliIo } from '../cli-io.ts';
import { withContent } from '../content-flags.ts';
import { EXIT_CODES, type ExitCode } from '../exit-codes.ts';
import { ownFailure } from '../failure.ts';
import type { Invocation } from '../invocation.ts';
import { placeValues } from '../operation-input.ts';
import { outcomeOf } from '../outcome.ts';
import { isRecord, type JsonRecord, textOf } from '../output/json-value.ts';
import type { Output } from '../output/output.ts';
import { showDryRun } from '../output/views/dry-run.ts';
import { showSend } from '../output/views/send.ts';
import { WAIT_SECONDS_DEFAULT } from './wait-flag.ts';
import { waitForOutcome } from './wait-for-outcome.ts';

/** Sends one message and, with `--wait`, follows it to its outcome. */
export async function sendAndWait(
  { command, values: given, own }: Invocation<{ readonly wait: number | true | undefined }>,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  const values = await withContent(command.inputs, given, io);
  const { data: accepted, headers } = await connection.callCommand(command.id, placeValues(command, values));
  if (headers['idempotency-replayed'] === 'true') {
    output.remark('This idempotency key was used before. Nothing was sent again; this is the first response.');
  }
  if (isRecord(accepted) && accepted['dryRun'] === true) return finishDryRun(accepted, output);
  const { wait } = own;
  if (wait === undefined) return finish(accepted, output);
  return followSend(accepted, typeof wait === 'number' ? wait : WAIT_SECONDS_DEFAULT, connection, output, io);
}

/** The exit code is that of the real send. */
function finishDryRun(preview: JsonRecord, output: Output): ExitCode {
  if (output.isJson) output.writeJson(preview);
  else showDryRun(preview, output);
  return preview['ok'] === true ? EXIT_CODES.done : EXIT_CODES.refused;
}

/** Without a wait, only some outcomes are known, such as a held message. */
function finish(message: unknown, output: Output): ExitCode {
  printMessage(message, output);
  const outcome = outcomeOf(statusOf(message));
  if (outcome === 'held') return EXIT_CODES.pendingApproval;
  return outcome === 'failed' ? EXIT_CODES.deliveryFailed : EXIT_CODES.done;
}

async function followSend(
  accepted: unknown,
  seconds: number,
  connection: ApiConnection,
  output: Output,
  io: CliIo,
): Promise<ExitCode> {
  if (outcomeOf(statusOf(accepted)) !== 'open') return finish(accepted, output);
  const id = idOf(accepted);
  output.remark(`Accepted as ${id}; waiting up to ${seconds} s for the outcome.`);
  const result = await waitForOutcome(id, seconds, connection, io.signal);
  if (result.kind === 'known') return finish(result.message, output);
  // The send was accepted even if the wait failed, so its id must be printed.
  printMessage(result.message ?? accepted, output);
  if (result.kind === 'interrupted') return EXIT_CODES.interrupted;
  if (result.kind === 'refused') throw result.failure;
  throw waitOver(id, seconds, result.message ?? accepted, result.lastFailure);
}

function printMessage(message: unknown, output: Output): void {
  if (output.isJson) output.writeJson(message);
  else showSend(message, output);
}

function waitOver(id: string, seconds: number, message: unknown, lastFailure: Error | null): Error {
  const reason =
    lastFailure === null ? `it is still ${statusOf(message)}` : `its status could not be read: ${lastFailure.message}`;
  return ownFailure(
    EXIT_CODES.waitTimedOut,
    'wait_timed_out',
    'The outcome is not known yet',
    `the message was accepted as ${id}, and after ${seconds} s ${reason}`,
    `Do not send it again. See its status: postrider emails get ${id} --wait 60`,
    true,
  );
}

function statusOf(message: unknown): string {
  return isRecord(message) ? textOf(message['status']) : '';
}

function idOf(message: unknown): string {
  return isRecord(message) ? textOf(message['id']) : '';
}
