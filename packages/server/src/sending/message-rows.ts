import { AUTOMATIC_KEY_PREFIX, LIMITS } from '@postrider/core';
import { digestOf, hashContent, type PinnedFile } from '../approvals/holds/content-hash.ts';
import type { NewHold } from '../db/queries/insert-holds.ts';
import type { NewMessage } from '../db/queries/message-lists.ts';
import { hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { DecidedSend } from './decide-sends.ts';
import { isTestSend } from './judging-keys.ts';
import type { ParsedSend } from './parsed-send.ts';
import { planDeliveries } from './plan-deliveries.ts';
import { provenanceOf } from './provenance.ts';
import type { Recipient } from './recipients.ts';
import type { HeldSend } from './send-verdict.ts';

/** The settings that affect how messages are sent. */
export interface Routing {
  readonly sandboxDomain: string;
  /** As in planDeliveries; the default is false. */
  readonly byDomain?: boolean;
  /** The number of hours that a message is retried; the default is 24. */
  readonly retryHours?: number;
}

interface RowOptions extends Routing {
  readonly ids: IdGenerator;
}

/** The part of an accepted send that its rows need. */
type WrittenSend = Pick<Extract<DecidedSend, { kind: 'accepted' }>, 'send' | 'id' | 'cost'>;

/** When the retries of a message that is due at this moment end. */
export function expiryOf(dueAt: Date, retryHours: number = LIMITS.retryHoursDefault): Date {
  return new Date(dueAt.getTime() + retryHours * 3_600_000);
}

/** Reminders are sent after these fractions of a hold's lifetime. */
const REMINDERS: readonly number[] = [0.5, 0.9];

/** When the approvers of a hold are reminded next; null after the last reminder. */
export function nextReminder(createdAt: Date, expiresAt: Date, after: Date): Date | null {
  const spanMs = expiresAt.getTime() - createdAt.getTime();
  const times = REMINDERS.map((part) => new Date(createdAt.getTime() + Math.floor(spanMs * part)));
  return times.find((at) => at > after) ?? null;
}

/** The rows of an accepted send. A held send has no deliveries and no due time yet. */
export function toNewMessage(
  { send, id, cost }: WrittenSend,
  hold: NewHold | null,
  now: Date,
  { ids, sandboxDomain, byDomain, retryHours }: RowOptions,
): NewMessage {
  const { sender, request, recipients, content } = send;
  const { html, text, scheduledAt, tracking, attachments } = content;
  const provenance = provenanceOf(send);
  const key = send.idempotency ?? undefined;
  const row: NewMessage['row'] = {
    account_id: sender.accountId,
    id,
    key_id: sender.keyId,
    asked_by: sender.askedBy?.keyId,
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
    charged: cost,
    headers: filled(request.headers),
    event_id: ids.next(now),
    expires_at: expiryOf(scheduledAt ?? now, retryHours),
    scheduled_at: scheduledAt ?? undefined,
    scheduled_event_id: scheduledAt === null || hold !== null ? undefined : ids.next(now),
    template: content.template ?? undefined,
    resend_of: send.resendOf ?? undefined,
    unsubscribe: request.unsubscribe || undefined,
    open_pixel: tracking?.openPixel,
    links: tracking?.links,
    idempotency_key: key?.key,
    fingerprint: key?.fingerprint,
    key_since: keptSince(key?.key, now),
  };
  const planned =
    hold === null ? planDeliveries(recipients, sandboxDomain, isPersonal(send), byDomain, isTestSend(sender)) : [];
  const deliveries = planned.map((delivery) => ({ id: ids.next(now), ...delivery }));
  return { row, html, text, recipients, deliveries, attachments, hold };
}

/** The rows of a hold. Its hash covers everything that the approver sees. */
export async function toNewHold(
  send: ParsedSend,
  { approvalId: id, reasons, expiresAt }: HeldSend,
  now: Date,
  ids: IdGenerator,
): Promise<NewHold> {
  const { request, recipients, content } = send;
  const { subject, html, text, scheduledAt } = content;
  const attachments: PinnedFile[] = [];
  for (const { filename, contentType, contentId, content: bytes } of content.attachments) {
    attachments.push({ filename, contentType, contentId, digest: await digestOf(bytes) });
  }
  const hash = await hashContent({
    ...{ subject, html, text, scheduledAt, recipients },
    from: request.from.given,
    replyTo: request.reply_to?.given ?? null,
    headers: request.headers ?? {},
    unsubscribe: request.unsubscribe === true,
    attachments,
  });
  const { channel } = provenanceOf(send);
  return {
    id,
    event_id: ids.next(now),
    reasons,
    content_hash: hash,
    expires_at: expiresAt,
    remind_at: nextReminder(now, expiresAt, now) ?? expiresAt,
    way: channel === 'mcp' || channel === 'smtp' ? channel : 'rest',
  };
}

/** A message with unsubscribe links in its headers or bodies differs for each recipient. */
function isPersonal({ request, content }: ParsedSend): boolean {
  return (
    request.unsubscribe === true || hasUnsubscribePlaceholder(content.html) || hasUnsubscribePlaceholder(content.text)
  );
}

/** Undefined if it is empty. */
function filled<T extends object>(record: T | undefined): T | undefined {
  for (const _key in record) return record;
  return undefined;
}

function addressesOf(recipients: readonly Recipient[], kind: Recipient['kind']): readonly string[] {
  return recipients.filter((recipient) => recipient.kind === kind).map(({ email }) => email);
}

/** Keys derived from the content expire after minutes, not hours. They are stored as if most of the time had already passed. */
function keptSince(key: string | undefined, now: Date): Date | undefined {
  if (key === undefined || !key.startsWith(AUTOMATIC_KEY_PREFIX)) return undefined;
  const earlierMs = LIMITS.idempotencyKeyHours * 3_600_000 - LIMITS.automaticKeyMinutes * 60_000;
  return new Date(now.getTime() - earlierMs);
}
