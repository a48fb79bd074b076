import type { NewMessage } from '../db/queries/insert-messages.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { deriveText } from './derive-text.ts';
import { isSandboxAddress, type PlannedDelivery, planDeliveries } from './plan-deliveries.ts';
import { resolveProvenance } from './provenance.ts';
import { collectRecipients, type Recipient } from './recipients.ts';
import type { SendCommand } from './send-command.ts';

/** A send with everything worked out that needs no facts. */
export interface PreparedSend {
  readonly command: SendCommand;
  readonly recipients: readonly Recipient[];
  readonly deliveries: readonly PlannedDelivery[];
  /** Every account may send from the sandbox domain. */
  readonly sandboxSender: boolean;
  /** Quota units: test addresses are free, because nothing leaves. */
  readonly cost: number;
}

/** How long a message is tried before its retries end. */
const EXPIRES_AFTER_MS = 24 * 3_600_000;

export function prepareSend(command: SendCommand, sandboxDomain: string): PreparedSend {
  const recipients = collectRecipients(command.request);
  return {
    command,
    recipients,
    deliveries: planDeliveries(recipients, sandboxDomain),
    sandboxSender: command.request.from.domain === sandboxDomain,
    cost: recipients.filter(({ email }) => !isSandboxAddress(email, sandboxDomain)).length,
  };
}

/** The rows of an accepted send. */
export function toNewMessage(send: PreparedSend, id: string, now: Date, ids: IdGenerator): NewMessage {
  const { command, recipients } = send;
  const { request } = command;
  const provenance = resolveProvenance({
    body: { channel: request.channel, source: request.source, agentName: request.agent_name },
    headers: command.headerClaims,
    persona: command.persona,
    fixedChannel: command.fixedChannel,
  });
  return {
    account_id: command.accountId,
    id,
    key_id: command.keyId,
    from_given: request.from.given,
    from_domain: request.from.domain,
    to_line: addressesOf(recipients, 'to').join(', '),
    reply_to: request.reply_to?.given ?? null,
    subject: request.subject,
    channel: provenance.channel,
    source: provenance.source,
    agent_name: provenance.agentName,
    tags: request.tags ?? [],
    metadata: request.metadata ?? {},
    charged: send.cost,
    html: request.html ?? null,
    text: textOf(request),
    headers: request.headers ?? {},
    event_id: ids.next(now),
    expires_at: new Date(now.getTime() + EXPIRES_AFTER_MS).toISOString(),
    recipients,
    deliveries: send.deliveries.map(({ route, ordinals }) => ({ id: ids.next(now), route, ordinals })),
    idempotency_key: command.idempotency?.key ?? null,
    fingerprint: command.idempotency?.fingerprint ?? null,
  };
}

/** Absent text is derived from the html; an empty one says that none is wanted. */
function textOf({
  html,
  text,
}: {
  readonly html?: string | undefined;
  readonly text?: string | undefined;
}): string | null {
  if (text === undefined) return html === undefined ? null : deriveText(html);
  return text === '' ? null : text;
}

function addressesOf(recipients: readonly Recipient[], kind: Recipient['kind']): readonly string[] {
  return recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
}
