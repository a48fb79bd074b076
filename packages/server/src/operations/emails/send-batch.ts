import { type BatchItem, type DryRun, sendRequestSchema } from '@postrider/core';
import { type ProblemError, toItemError } from '../../problem.ts';
import { senderOf } from '../../sending/judged-sender.ts';
import type { SendInput } from '../../sending/parsed-send.ts';
import { previewSends } from '../../sending/preview-sends.ts';
import { sendMessages } from '../../sending/send-messages.ts';
import type { SendVerdict } from '../../sending/send-verdict.ts';
import { startInSlices } from '../../time-slice.ts';
import type { Handler, KeyedContext } from '../context.ts';
import { parsePart, validationFailed } from '../parse-part.ts';
import { toSendInput } from './send-input.ts';
import { acceptedBody, sendHeaders, toSendProblem } from './send-response.ts';

/** Accepts up to a hundred sends. Each gets its own result: invalid, refused, only checked, or accepted. */
export const sendEmailBatch: Handler<'emails.send-batch'> = async ({ body, headers }, context) => {
  const key = headers['idempotency-key'];
  const items = await startInSlices(body.emails, (raw, index) =>
    readItem(raw, (request) =>
      toSendInput(request, raw, headers, key === undefined ? undefined : `${key}:${index}`, context.via),
    ),
  );
  const responses = await decideItems(items, context);
  const results = responses.map((response, index) => toResult(response, index, context));
  const accepted = results.filter(({ ok }) => ok).length;
  return {
    body: { accepted, refused: results.length - accepted, total: results.length, results },
    headers: headersOf(responses),
  };
};

type Item = SendInput | ProblemError;
type ItemResult = SendVerdict | DryRun | ProblemError;

async function readItem(raw: unknown, toInput: (request: SendInput['request']) => Promise<SendInput>) {
  // Paths are relative to the item, so a fault of the whole item has the path that the body of a single send has.
  const part = parsePart(sendRequestSchema, raw, 'body');
  return part.ok ? await toInput(part.data) : validationFailed(part.problems);
}

/** Every item's result, in order. The sends are accepted together. */
async function decideItems(
  items: readonly Item[],
  { services: { sending }, caller }: KeyedContext,
): Promise<readonly ItemResult[]> {
  const inputs = items.filter((item): item is SendInput => 'request' in item);
  const isTried = ({ request }: SendInput) => request.dry_run === true;
  const previews = inputs.some(isTried) ? await previewSends(sending, senderOf(caller), inputs.filter(isTried)) : [];
  const verdicts = await sendMessages(
    sending,
    senderOf(caller),
    inputs.filter((input) => !isTried(input)),
  );
  const nextPreview = previews.values();
  const nextVerdict = verdicts.values();
  return items.map((item) => {
    if (!('request' in item)) return item;
    const { value } = isTried(item) ? nextPreview.next() : nextVerdict.next();
    if (value === undefined) throw new Error('an item returned no result');
    return value;
  });
}

function toResult(
  response: ItemResult,
  index: number,
  { services: { installation }, requestId }: KeyedContext,
): BatchItem {
  if ('dryRun' in response) return { index, ok: response.ok, dryRun: true, result: response };
  if ('kind' in response && response.kind === 'accepted') return { index, ok: true, ...acceptedBody(response) };
  const refusal = 'kind' in response ? toSendProblem(response) : response;
  return { index, ok: false, ...toItemError(refusal, installation.baseUrl, requestId) };
}

/** The quota after the whole call: the lowest remainder that an accepted item reports. Empty if none was accepted. */
function headersOf(responses: readonly ItemResult[]): Readonly<Record<string, string>> {
  const accepted = responses.flatMap((response) =>
    'kind' in response && response.kind === 'accepted' ? [response] : [],
  );
  const last = accepted.toSorted((a, b) => a.quota.remaining - b.quota.remaining)[0];
  if (last === undefined) return {};
  return sendHeaders({ quota: last.quota, replayed: accepted.some(({ replayed }) => replayed) });
}
