import type { Channel, SendRequest, Source } from '@postrider/core';
import { startInSlices } from '../time-slice.ts';
import type { AcceptQueue } from './accept-queue.ts';
import type { AcceptanceDryRun } from './acceptance-dry-run.ts';
import type { FileSession } from './content/fetch-files.ts';
import { type ContentOrder, type ContentTools, prepareContent, type StoredContent } from './content/prepare-content.ts';
import type { SendContent } from './content/send-content.ts';
import type { Sender } from './judged-sender.ts';
import { hostListsOf } from './judging-keys.ts';
import type { SendCommand, SendVerdict } from './send-command.ts';

/** One send as an entry brings it, whatever the entry: REST, MCP, SMTP, a batch, a resend, a template's test. */
export interface SendOrder {
  readonly request: SendRequest;
  /** Set by entries that know their own channel. */
  readonly fixedChannel: Channel | null;
  readonly headerClaims: { readonly source?: Source | undefined; readonly agentName?: string | undefined };
  /** The idempotency key with the fingerprint of the caller's own input. */
  readonly idempotency: { readonly key: string; readonly fingerprint: string } | null;
  /** The message this one repeats. */
  readonly resendOf?: string;
  /** What was made of the repeated message's request, taken over as it is. */
  readonly stored?: StoredContent;
  /** As in the command. */
  readonly claim?: () => boolean;
}

export interface SendTools {
  readonly acceptQueue: AcceptQueue;
  readonly acceptanceDryRun: AcceptanceDryRun;
  readonly content: ContentTools;
}

/**
 * The way of every send: content first, then the accept queue. Each order gets its own verdict, in order; one that is refused never
 * touches the others.
 * @throws where the database or another part does not answer: nothing is known of the sends then, and they may be repeated.
 */
export async function sendMessages(
  tools: SendTools,
  sender: Sender,
  orders: readonly SendOrder[],
): Promise<readonly SendVerdict[]> {
  const files = tools.content.files.open();
  try {
    return await sendTogether(tools, sender, orders, files);
  } finally {
    files.close();
  }
}

async function sendTogether(
  tools: SendTools,
  sender: Sender,
  orders: readonly SendOrder[],
  files: FileSession,
): Promise<readonly SendVerdict[]> {
  const replays = await findReplays(tools, sender, orders);
  const prepared = await startInSlices(
    orders,
    (order) => replays.get(order.idempotency?.key ?? '') ?? prepareOrder(tools, sender, order, files),
  );
  const commands = prepared.filter((result): result is SendCommand => !('kind' in result));
  const [only] = commands;
  const accepted =
    only !== undefined && commands.length === 1
      ? [await tools.acceptQueue.accept(only)]
      : await tools.acceptQueue.acceptBatch(commands);
  const verdicts = accepted.values();
  // Each command has its verdict, in order.
  return prepared.map((result) => ('kind' in result ? result : (verdicts.next().value as SendVerdict)));
}

async function prepareOrder(
  tools: SendTools,
  sender: Sender,
  order: SendOrder,
  files: FileSession,
): Promise<SendCommand | SendVerdict> {
  // Whoever previews goes another way; coming here a dry run would be sent.
  if (order.request.dry_run === true) throw new Error('a dry run was about to be sent');
  const made = await prepareContent(tools.content, toContentOrder(sender, order, files));
  if (made.ok) return toCommand(sender, order, made.content);
  const [refusal] = made.refusals;
  if (refusal === undefined) throw new Error('content was refused without a reason');
  return { kind: 'refused', ...refusal };
}

/** What the content of an order is made from. */
export function toContentOrder(
  sender: Sender,
  { request, stored }: SendOrder,
  files: FileSession,
  isDryRun = false,
): ContentOrder {
  const { accountId, keyId, trackOpens, trackClicks, askedBy } = sender;
  const rules = [sender, askedBy].map((key) => key?.approval?.holdWhen);
  const asks = {
    seeksLinks: rules.some((rule) => rule?.linkDomainNotIn != null),
    seeksFiles: rules.some((rule) => rule?.hasAttachments === true),
    judgesValues: rules.some((rule) => rule?.freeformBody === true),
  };
  const fileRule = { isDryRun, hosts: hostListsOf(sender) };
  return { accountId, keyId, request, ...asks, trackOpens, trackClicks, stored, fileRule, files };
}

/** The answers that stand already for orders whose content might turn out otherwise now, by idempotency key. */
async function findReplays(
  { acceptanceDryRun }: SendTools,
  { accountId, keyId, askedBy }: Sender,
  orders: readonly SendOrder[],
): Promise<ReadonlyMap<string, SendVerdict>> {
  const claims = orders.flatMap(({ idempotency, request }) =>
    idempotency !== null && mayTurnOutOtherwise(request) ? [idempotency] : [],
  );
  return claims.length === 0
    ? NO_REPLAYS
    : await acceptanceDryRun.findReplays({ accountId, keyId: askedBy?.keyId ?? keyId }, claims);
}

const NO_REPLAYS: ReadonlyMap<string, SendVerdict> = new Map();

/**
 * Whether the content of the very same request may not be made a second time: a template was deleted, a file is gone, a time has passed. A
 * repeated request is then looked up before, so that it is answered as it was. For others the accept queue's own look is enough.
 */
function mayTurnOutOtherwise({ template, attachments, scheduled_at }: SendRequest): boolean {
  return (
    template !== undefined || scheduled_at !== undefined || (attachments ?? []).some(({ url }) => url !== undefined)
  );
}

/** An order with its content, as the accept queue takes it. */
export function toCommand(sender: Sender, order: SendOrder, content: SendContent): SendCommand {
  const { trackOpens: _opens, trackClicks: _clicks, ...key } = sender;
  const { request, fixedChannel, headerClaims, idempotency, resendOf = null, claim } = order;
  return { ...key, fixedChannel, headerClaims, request, content, resendOf, idempotency, claim };
}
