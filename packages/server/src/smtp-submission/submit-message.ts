import { idempotencyKeySchema, LIMITS } from '@postrider/core';
import type { Caller } from '../keys/caller.ts';
import { fingerprintInSlices } from '../sending/fingerprint-in-slices.ts';
import { senderOf } from '../sending/judged-sender.ts';
import type { SendInput } from '../sending/parsed-send.ts';
import { sendMessages } from '../sending/send-messages.ts';
import type { Sending } from '../sending/sending.ts';
import type { JobThreads } from '../threads/job-threads.ts';
import { checkSendRequest } from './check-send-request.ts';
import { READ_SUBMISSION } from './read-submission.ts';
import { refuseBy, type SmtpRefusal } from './smtp-refusal.ts';
import type { SubmittedSend } from './to-send-request.ts';

export interface SubmissionTools {
  readonly sending: Sending;
  readonly threads: JobThreads;
}

/** A message that was accepted. */
export interface SubmittedMessage {
  readonly id: string;
  readonly status: string;
}

/**
 * Processes a message like every send: parsed, validated against the schema, then the accept queue.
 * @param raw lines end in CRLF
 * @param envelope the checked recipients, without duplicates
 * @param claim called immediately before the commit
 * @throws SmtpRefusal, or what the database throws: then the result of the send is unknown.
 */
export async function submitMessage(
  tools: SubmissionTools,
  caller: Caller,
  raw: Buffer,
  envelope: readonly string[],
  claim: () => boolean,
): Promise<SubmittedMessage> {
  const input = await readInput(tools, caller, raw, envelope);
  const [verdict] = await sendMessages(tools.sending, senderOf(caller), [{ ...input, claim }]);
  if (verdict === undefined) throw new Error('a send returned no verdict');
  if (verdict.kind === 'accepted') return { id: verdict.id, status: verdict.status };
  const { code, detail, errors, fix } = verdict;
  throw refuseBy(code, errors === undefined ? detail : describe(errors), 'message', fix);
}

async function readInput(
  { threads }: SubmissionTools,
  caller: Caller,
  raw: Buffer,
  envelope: readonly string[],
): Promise<SendInput> {
  const { input: given, idempotencyKey } = await readMessage(threads, caller, raw, envelope);
  const checked = checkSendRequest(given);
  if (!checked.ok) throw refuseFields(checked.problems);
  return {
    request: checked.request,
    fixedChannel: 'smtp',
    headerClaims: {},
    idempotency:
      idempotencyKey === null
        ? null
        : { key: checkIdempotencyKey(idempotencyKey), fingerprint: await fingerprintInSlices({ smtp: given }) },
  };
}

async function readMessage(
  threads: JobThreads,
  { accountId, keyId }: Caller,
  raw: Buffer,
  envelope: readonly string[],
): Promise<SubmittedSend> {
  const result = await threads.run({ accountId, keyId }, READ_SUBMISSION, { raw, envelope }, raw.byteLength);
  if (result.kind === 'busy') {
    throw refuseBy('unavailable', 'too many large messages are being processed, try again in a moment.', 'message');
  }
  const { output } = result;
  if (output.ok) return output.send;
  throw refuseFields([{ path: output.field, message: output.message }]);
}

function checkIdempotencyKey(given: string): string {
  if (idempotencyKeySchema.safeParse(given).success) return given;
  const message = `must be 1 to ${LIMITS.idempotencyKeyCharacters} printable ASCII characters`;
  throw refuseFields([{ path: 'Idempotency-Key', message }]);
}

interface Problem {
  readonly path: string;
  readonly message: string;
}

function refuseFields(problems: readonly Problem[]): SmtpRefusal {
  return refuseBy('validation_failed', describe(problems), 'message');
}

function describe(problems: readonly Problem[]): string {
  const [first] = problems;
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return `${first?.path}: ${first?.message}${more}.`;
}
