import type { SendRequest } from '@postrider/core';
import { startInSlices } from '../time-slice.ts';
import type { FileSession } from './content/fetch-files.ts';
import { prepareContent } from './content/prepare-content.ts';
import type { Sender } from './judged-sender.ts';
import { type ParsedSend, type SendInput, toParsedSend } from './parsed-send.ts';
import type { SendVerdict } from './send-verdict.ts';
import type { Sending } from './sending.ts';

/**
 * Prepares and accepts sends: content first, then the accept queue. Each gets its own verdict, in order, and a refused send never affects
 * another.
 * @throws if the database or another dependency does not respond; the outcome is unknown then, and the sends may be repeated.
 */
export async function sendMessages(
  sending: Sending,
  sender: Sender,
  inputs: readonly SendInput[],
): Promise<readonly SendVerdict[]> {
  const files = sending.content.files.open();
  try {
    return await sendTogether(sending, sender, inputs, files);
  } finally {
    files.close();
  }
}

async function sendTogether(
  sending: Sending,
  sender: Sender,
  inputs: readonly SendInput[],
  files: FileSession,
): Promise<readonly SendVerdict[]> {
  const claims = inputs.flatMap(({ idempotency, request }) =>
    idempotency !== null && mayDiffer(request) ? [idempotency] : [],
  );
  const replays = claims.length === 0 ? NO_REPLAYS : await findReplays(sending, sender, claims);
  const prepared = await startInSlices(
    inputs,
    (input) => replays.get(input.idempotency?.key ?? '') ?? prepareSend(sending, sender, input, files),
  );
  const sends = prepared.filter((result): result is ParsedSend => !('kind' in result));
  const [only] = sends;
  const accepted =
    only !== undefined && sends.length === 1
      ? [await sending.acceptQueue.accept(only)]
      : await sending.acceptQueue.acceptBatch(sends);
  const verdicts = accepted.values();
  // `verdicts` is in the order of the prepared sends.
  return prepared.map((result) => ('kind' in result ? result : (verdicts.next().value as SendVerdict)));
}

async function prepareSend(
  sending: Sending,
  sender: Sender,
  input: SendInput,
  files: FileSession,
): Promise<ParsedSend | SendVerdict> {
  // Dry runs belong in `previewSends`; this function would send the message.
  if (input.request.dry_run === true) throw new Error('a dry run was about to be sent');
  const made = await prepareContent(sending.content, sender, input, files);
  if (made.ok) return toParsedSend(sender, input, made.content);
  const [refusal] = made.refusals;
  if (refusal === undefined) throw new Error('content was refused without a reason');
  return { kind: 'refused', ...refusal };
}

/** The results of earlier requests, by idempotency key. */
async function findReplays(
  { acceptanceDryRun }: Sending,
  { accountId, keyId, askedBy }: Sender,
  claims: readonly NonNullable<SendInput['idempotency']>[],
): Promise<ReadonlyMap<string, SendVerdict>> {
  return await acceptanceDryRun.findReplays({ accountId, keyId: askedBy?.keyId ?? keyId }, claims);
}

const NO_REPLAYS: ReadonlyMap<string, SendVerdict> = new Map();

/**
 * Whether the content of the same request may differ the second time: a template was deleted, a file is gone, a time has passed. Such a
 * repeated request is looked up first, so that it gets the same result. For all others the lookup of the accept queue is enough.
 */
function mayDiffer({ template, attachments, scheduled_at }: SendRequest): boolean {
  return (
    template !== undefined || scheduled_at !== undefined || (attachments ?? []).some(({ url }) => url !== undefined)
  );
}
