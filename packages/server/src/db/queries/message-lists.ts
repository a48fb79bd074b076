import { foldAddress } from '@postrider/core';
import type { SparseRecordOf } from '../record-columns.ts';
import { nullable, pg, present } from '../result.ts';
import { deliveries } from '../schema/deliveries.ts';
import {
  idempotencyKeys,
  messageBodies,
  messageEvents,
  messageRecipients,
  messages,
  messageTracking,
} from '../schema/messages.ts';
import type { NewHold } from './insert-holds.ts';
import type { NewAttachmentRow } from './message-attachments.ts';

/** Values that most messages of a batch have in common, so they are sent and parsed once. `g` is the position of the row in its list. */
export const SHARED = {
  g: pg.int4,
  account_id: messages.accountId,
  key_id: messages.keyId,
  /** The key that asked for the send if it is not the key that issued the message. */
  asked_by: messages.askedBy,
  from_given: messages.fromGiven,
  from_domain: messages.fromDomain,
  channel: messages.channel,
  source: messages.source,
  agent_name: messages.agentName,
  charged: messages.charged,
  /** When retries end. */
  expires_at: deliveries.expiresAt,
  /** The route of the delivery `d`. */
  r: nullable(deliveries.route),
};

/**
 * The log row of an accepted message, with the rows that exist once per message. `o` is its position in the batch and `g` that of its shared
 * values. Most other names are those of the columns.
 */
export const MESSAGE = {
  o: pg.int4,
  g: pg.int4,
  id: messages.id,
  to_line: messages.toLine,
  reply_to: messages.replyTo,
  subject: messages.subject,
  /** Omitted if empty, like the metadata and the headers. */
  tags: nullable(messages.tags),
  metadata: nullable(messages.metadata),
  headers: nullable(messageBodies.headers),
  /** The id of the event `queued` or `pending_approval`. */
  event_id: messageEvents.id,
  /** When the first attempt is due; null means immediately. */
  scheduled_at: messages.scheduledAt,
  /** The id of the event `scheduled`, which follows `queued`; null if there is none. */
  scheduled_event_id: nullable(messageEvents.id),
  template: messages.template,
  resend_of: messages.resendOf,
  unsubscribe: nullable(messages.unsubscribe),
  open_pixel: nullable(messageTracking.openPixel),
  links: nullable(messageTracking.links),
  idempotency_key: nullable(idempotencyKeys.key),
  fingerprint: nullable(idempotencyKeys.fingerprint),
  /** The start of the idempotency key's lifetime if it is not now: an earlier time makes the key expire earlier. */
  key_since: nullable(idempotencyKeys.createdAt),
  /** True if its recipients and deliveries are in their own lists. Otherwise `to_line` is its only recipient, and the rest is here. */
  listed: nullable(pg.bool),
  name: messageRecipients.name,
  /** The folded address if it differs. */
  f: nullable(messageRecipients.email),
  /** The id of its only delivery. */
  d: nullable(deliveries.id),
  /** Omitted if the route alone determines the destination. */
  t: nullable(deliveries.destination),
  b: nullable(deliveries.bytes),
};

/** A message in a batch with messages that wait for approval. Those have no deliveries. */
export const HELD_MESSAGE = {
  ...MESSAGE,
  status: messages.status,
  /** Why the message is held. */
  detail: messageEvents.detail,
};

/** A recipient of the message `o`. */
export const RECIPIENT = {
  o: pg.int4,
  n: messageRecipients.ordinal,
  k: messageRecipients.kind,
  name: messageRecipients.name,
  e: messageRecipients.email,
  /** The folded address if it differs. */
  f: nullable(messageRecipients.email),
};

/** A delivery of the message `o`. */
export const DELIVERY = {
  o: pg.int4,
  id: deliveries.id,
  r: deliveries.route,
  /** Omitted if the route alone determines the destination. */
  t: nullable(deliveries.destination),
  n: deliveries.ordinals,
  b: present(deliveries.bytes),
};

export interface NewMessage {
  readonly row: Omit<SparseRecordOf<typeof SHARED>, 'g' | 'r'> &
    Omit<SparseRecordOf<typeof MESSAGE>, 'o' | 'g' | 'listed' | 'name' | 'f' | 'd' | 't' | 'b'>;
  readonly html: string | null;
  readonly text: string | null;
  readonly recipients: readonly NewRecipient[];
  readonly deliveries: readonly NewDelivery[];
  readonly attachments: readonly NewAttachment[];
  /** Set for a message that waits for approval; such a message has no deliveries. */
  readonly hold: NewHold | null;
}

export type NewRecipient = Pick<typeof messageRecipients.$inferSelect, 'ordinal' | 'kind' | 'name' | 'email'>;

export type NewAttachment = Pick<NewAttachmentRow, 'filename' | 'contentType' | 'contentId' | 'content'>;

/** The destination is empty if the route alone determines it. */
export type NewDelivery = Pick<typeof deliveries.$inferSelect, 'id' | 'route' | 'destination' | 'ordinals'>;

/**
 * A record as an object with all its fields. `JSON.stringify` takes five times as long if a value has a `toJSON`, as times have, so they are
 * text.
 */
type Complete<Row> = {
  readonly [Name in keyof Required<Row>]: Row[Name] extends Date | undefined ? string | Missing<Row[Name]> : Row[Name];
};
type Missing<Value> = Extract<Value, undefined>;

type SharedRow = Complete<SparseRecordOf<typeof SHARED>>;
type MessageRow = Complete<SparseRecordOf<typeof MESSAGE>>;
type HeldMessageRow = Complete<SparseRecordOf<typeof HELD_MESSAGE>>;

/**
 * The lists of a batch, each as JSON; null if no message has rows in them. PostgreSQL makes a hash table for each object and looks up each
 * field in it, so a message with one recipient is one object, without what it shares with others.
 */
export function toLists(batch: readonly NewMessage[], hasHolds: boolean) {
  const shared: SharedRow[] = [];
  const rows: MessageRow[] = [];
  const recipients: SparseRecordOf<typeof RECIPIENT>[] = [];
  const planned: SparseRecordOf<typeof DELIVERY>[] = [];
  let hasLists = false;
  for (const [o, message] of batch.entries()) {
    const row = toRow(message, o, placeOf(shared, toSharedRow(message, shared.length)));
    rows.push(hasHolds ? withStatus(row, message) : row);
    if (row.listed !== true) continue;
    hasLists = true;
    for (const recipient of message.recipients) recipients.push(toRecipientRow(recipient, o));
    const b = bytesOf(message);
    for (const delivery of message.deliveries) planned.push(toDeliveryRow(delivery, o, b));
  }
  return {
    shared: JSON.stringify(shared),
    messages: JSON.stringify(rows),
    recipients: hasLists ? JSON.stringify(recipients) : null,
    deliveries: hasLists ? JSON.stringify(planned) : null,
  };
}

const SHARED_NAMES = Object.keys(SHARED).filter((name) => name !== 'g') as readonly (keyof SharedRow)[]; // Its own keys.

/** The position of a row with the same values, which is added if there is none. */
function placeOf(shared: SharedRow[], row: SharedRow): number {
  const place = shared.findIndex((one) => SHARED_NAMES.every((name) => one[name] === row[name]));
  if (place === -1) shared.push(row);
  return place === -1 ? row.g : place;
}

function toSharedRow({ row, deliveries: [delivery] }: NewMessage, g: number): SharedRow {
  return {
    g,
    account_id: row.account_id,
    key_id: row.key_id,
    asked_by: row.asked_by,
    from_given: row.from_given,
    from_domain: row.from_domain,
    channel: row.channel,
    source: row.source,
    agent_name: row.agent_name,
    charged: row.charged,
    expires_at: row.expires_at.toISOString(),
    r: delivery?.route,
  };
}

function toRow(message: NewMessage, o: number, g: number): MessageRow {
  const { row, deliveries } = message;
  const recipient = onlyRecipient(message);
  const delivery = recipient === null ? undefined : deliveries[0];
  return {
    o,
    g,
    id: row.id,
    to_line: row.to_line,
    reply_to: row.reply_to,
    subject: row.subject,
    tags: row.tags,
    metadata: row.metadata,
    headers: row.headers,
    event_id: row.event_id,
    scheduled_at: row.scheduled_at?.toISOString(),
    scheduled_event_id: row.scheduled_event_id,
    template: row.template,
    resend_of: row.resend_of,
    unsubscribe: row.unsubscribe,
    open_pixel: row.open_pixel,
    links: row.links,
    idempotency_key: row.idempotency_key,
    fingerprint: row.fingerprint,
    key_since: row.key_since?.toISOString(),
    listed: recipient === null || undefined,
    name: recipient?.name ?? undefined,
    f: recipient === null ? undefined : foldedIfDifferent(recipient.email),
    d: delivery?.id,
    t: delivery?.destination || undefined,
    b: delivery === undefined ? undefined : bytesOf(message),
  };
}

/** The recipient of a message whose recipients and deliveries need no lists; null if it needs them. */
function onlyRecipient({ row, recipients, deliveries }: NewMessage): NewRecipient | null {
  const [only] = recipients;
  if (only === undefined || recipients.length > 1 || deliveries.length > 1) return null;
  return only.kind === 'to' && only.ordinal === 0 && only.email === row.to_line ? only : null;
}

function withStatus(row: MessageRow, { hold }: NewMessage): HeldMessageRow {
  return { ...row, status: hold === null ? 'queued' : 'pending_approval', detail: hold?.reasons.join(', ') };
}

function toRecipientRow({ ordinal, kind, name, email }: NewRecipient, o: number): SparseRecordOf<typeof RECIPIENT> {
  return { o, n: ordinal, k: kind, name: name ?? undefined, e: email, f: foldedIfDifferent(email) };
}

function foldedIfDifferent(email: string): string | undefined {
  const folded = foldAddress(email);
  return folded === email ? undefined : folded;
}

function toDeliveryRow(
  { id, route, destination, ordinals }: NewDelivery,
  o: number,
  b: number,
): SparseRecordOf<typeof DELIVERY> {
  return { o, id, r: route, t: destination || undefined, n: ordinals, b };
}

/** As `BYTES_OF_MESSAGE` counts them. */
function bytesOf({ html, text, attachments }: NewMessage): number {
  const files = attachments.reduce((sum, { content }) => sum + content.length, 0);
  return Buffer.byteLength(html ?? '') + Buffer.byteLength(text ?? '') + files;
}
