import { AUTOMATIC_KEY_PREFIX, LIMITS } from '@postrider/core';
import type { NewHold } from '../db/queries/insert-holds.ts';
import type { NewMessage } from '../db/queries/insert-messages.ts';
import { hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { isTestSend } from './judging-keys.ts';
import { isSandboxAddress, type PlannedDelivery, planDeliveries } from './plan-deliveries.ts';
import { provenanceOf } from './provenance.ts';
import { collectRecipients, type Recipient } from './recipients.ts';
import type { SendCommand } from './send-command.ts';

/** A send with everything worked out that needs no facts. */
export interface PreparedSend {
  readonly command: SendCommand;
  readonly recipients: readonly Recipient[];
  readonly deliveries: readonly PlannedDelivery[];
  /** The sender's domain needs no check: every account may send from the sandbox domain, and some domains were checked before. */
  readonly sandboxSender: boolean;
  /** Quota units: test addresses and what test keys send are free, because nothing leaves. */
  readonly cost: number;
}

/** What the settings say of the way of every send. */
export interface Routing {
  readonly sandboxDomain: string;
  /** As of planDeliveries; false where not given. */
  readonly byDomain?: boolean;
  /** How long a message is tried before its retries end; 24 where not given. */
  readonly retryHours?: number;
}

/** When the retries of a message end that is due at this moment. */
export function expiryOf(dueAt: Date, retryHours: number = LIMITS.retryHoursDefault): Date {
  return new Date(dueAt.getTime() + retryHours * 3_600_000);
}

export function prepareSend(command: SendCommand, { sandboxDomain, byDomain }: Routing): PreparedSend {
  const recipients = collectRecipients(command.request);
  const isTest = isTestSend(command);
  return {
    command,
    recipients,
    deliveries: planDeliveries(recipients, sandboxDomain, isPersonal(command), byDomain, isTest),
    sandboxSender: command.request.from.domain === sandboxDomain || command.domainChecked === true,
    cost: isTest ? 0 : recipients.filter(({ email }) => !isSandboxAddress(email, sandboxDomain)).length,
  };
}

/** A message that holds unsubscribe links, in its headers or its bodies, is another one for each recipient. */
function isPersonal({ request, content }: SendCommand): boolean {
  return (
    request.unsubscribe === true || hasUnsubscribePlaceholder(content.html) || hasUnsubscribePlaceholder(content.text)
  );
}

/** The rows of an accepted send; of one that is held there is nothing to deliver, and no time it waits for yet. */
export function toNewMessage(
  send: PreparedSend,
  id: string,
  now: Date,
  ids: IdGenerator,
  retryHours: number | undefined,
  hold: NewHold | null,
): NewMessage {
  const { command, recipients } = send;
  const { request, content } = command;
  const { html, text, scheduledAt, tracking, attachments } = content;
  const provenance = provenanceOf(command);
  const key = command.idempotency ?? undefined;
  const row: NewMessage['row'] = {
    account_id: command.accountId,
    id,
    key_id: command.keyId,
    asked_by: command.askedBy?.keyId,
    from_given: request.from.given,
    from_domain: request.from.domain,
    to_line: addressesOf(recipients, 'to').join(', '),
    reply_to: request.reply_to?.given,
    subject: content.subject,
    channel: provenance.channel,
    source: provenance.source,
    agent_name: provenance.agentName ?? undefined,
    tags: request.tags?.length === 0 ? undefined : request.tags,
    metadata: filled(request.metadata),
    charged: send.cost,
    headers: filled(request.headers),
    event_id: ids.next(now),
    expires_at: expiryOf(scheduledAt ?? now, retryHours),
    scheduled_at: scheduledAt ?? undefined,
    scheduled_event_id: scheduledAt === null || hold !== null ? undefined : ids.next(now),
    template: content.template ?? undefined,
    resend_of: command.resendOf ?? undefined,
    unsubscribe: request.unsubscribe || undefined,
    open_pixel: tracking?.openPixel,
    links: tracking?.links,
    idempotency_key: key?.key,
    fingerprint: key?.fingerprint,
    key_since: keptSince(key?.key, now),
  };
  const deliveries = hold === null ? send.deliveries.map((delivery) => ({ id: ids.next(now), ...delivery })) : [];
  return { row, html, text, recipients, deliveries, attachments, hold };
}

/** Undefined where it is empty. */
function filled<T extends object>(record: T | undefined): T | undefined {
  for (const _key in record) return record;
  return undefined;
}

function addressesOf(recipients: readonly Recipient[], kind: Recipient['kind']): readonly string[] {
  return recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
}

/** Keys made of the content end after minutes and not hours: they count as kept for the rest of the time already. */
function keptSince(key: string | undefined, now: Date): Date | undefined {
  if (key === undefined || !key.startsWith(AUTOMATIC_KEY_PREFIX)) return undefined;
  const earlierMs = LIMITS.idempotencyKeyHours * 3_600_000 - LIMITS.automaticKeyMinutes * 60_000;
  return new Date(now.getTime() - earlierMs);
}
