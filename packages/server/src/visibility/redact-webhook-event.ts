import {
  EVENT_VISIBILITY,
  type EventData,
  type EventSubject,
  maySee,
  type Viewer,
  type Visibility,
  type WebhookEvent,
  type WebhookEventType,
} from '@postrider/core';
import type { Query } from '../db/client.ts';
import { readMessageOwners } from '../db/queries/message-owners.ts';
import { visibleUrl } from './mask-url.ts';
import { type MessageOwner, redactEvent, redactMessage, visibilityOf } from './redact-message.ts';
import { redactSuppression } from './redact-suppressions.ts';

/** An event as it is stored. */
interface StoredBody {
  readonly type: string;
  /** The JSON text of the payload. */
  readonly body: string;
}

/** If a message is no longer stored, nothing is known about it, and every recipient counts as a blind one. */
const UNKNOWN: MessageOwner = { keyId: null, blind: [] };

/** Whether a caller sees every event unredacted, as most receivers do. */
function seesEveryEvent(viewer: Viewer): boolean {
  const all = ['message.private', 'message.content', 'message.key', 'hold.content', 'webhook.address'] as const;
  return all.every((visibility) => maySee(viewer, visibility, null));
}

/**
 * The events that a caller may read, in the same order and as it may see them: only those about what it may read itself. Everything that
 * shows stored events to a caller uses this function.
 */
export async function readableEvents<Stored extends StoredBody>(
  query: Query,
  accountId: string,
  events: readonly Stored[],
  viewer: Viewer,
): Promise<readonly Stored[]> {
  const readable = events.filter((event) => mayReadEvent(event, viewer));
  return await redactWebhookEvents(query, accountId, readable, viewer);
}

function mayReadEvent({ type, body }: StoredBody, viewer: Viewer): boolean {
  const [subject = ''] = type.split('.');
  if (!Object.hasOwn(EVENT_VISIBILITY, subject)) return false;
  const visibility = EVENT_VISIBILITY[subject as EventSubject]; // hasOwn has just confirmed it.
  if (visibility === null || maySee(viewer, visibility, null)) return true;
  const { data } = JSON.parse(body) as WebhookEvent; // Stored by `toEventBody`.
  return maySee(viewer, visibility, ownerIn(visibility, data));
}

/** The key that owns what an event is about, where the event names it. A hold belongs to the key that asked for the send. */
function ownerIn(visibility: Visibility, data: Data): string | null {
  if (visibility === 'hold.record') return (data as EventData<'approval.requested'>).keyId;
  return visibility === 'key.record' ? (data as EventData<'key.expiring'>).id : null;
}

/**
 * Events for a receiver, in the same order, without what a caller may not see. An event about a recipient that the caller may not know keeps
 * only its type and its time.
 */
export async function redactWebhookEvents<Stored extends StoredBody>(
  query: Query,
  accountId: string,
  events: readonly Stored[],
  viewer: Viewer,
): Promise<readonly Stored[]> {
  if (seesEveryEvent(viewer)) return events;
  // Stored by `toEventBody`.
  const payloads = events.map(({ body }) => JSON.parse(body) as WebhookEvent);
  const emailIds = payloads.flatMap(({ data }) => ('emailId' in data && data.emailId !== null ? [data.emailId] : []));
  const owners = new Map((await readMessageOwners(query, accountId, emailIds)).map((owner) => [owner.id, owner]));
  return events.map((event, index) => {
    const payload = payloads[index];
    if (payload === undefined) return event;
    const { data } = payload;
    const owner = 'emailId' in data && data.emailId !== null ? owners.get(data.emailId) : undefined;
    const shown = redactData(payload.type, data, owner ?? UNKNOWN, viewer);
    return shown === data ? event : { ...event, body: JSON.stringify({ ...payload, data: shown }) };
  });
}

type Data = EventData<WebhookEventType>;

function redactData(type: string, data: Data, owner: MessageOwner, viewer: Viewer): Data {
  if (type.startsWith('approval.')) return redactHold(data as EventData<'approval.requested'>, owner, viewer);
  if (type.startsWith('suppression.'))
    return redactSuppression(data as EventData<'suppression.added'>, owner === UNKNOWN ? null : owner, viewer);
  if ('url' in data) return { ...data, url: visibleUrl(data.url, viewer) };
  return 'occurredAt' in data ? redactEmailEvent(type, data, owner, viewer) : data;
}

function redactEmailEvent(type: string, data: EventData<'email.sent'>, owner: MessageOwner, viewer: Viewer): Data {
  const { message } = redactMessage(data, owner, viewer);
  const { recipient, detail } = data;
  const shown = redactEvent(
    { type: type.slice('email.'.length), recipient, detail },
    withUnknown(owner, data),
    visibilityOf(viewer, owner),
  );
  return { ...message, recipient: shown?.recipient ?? null, detail: shown?.detail ?? null };
}

/** In a message that is no longer stored, a recipient that `to` does not name may be a blind one. */
function withUnknown(owner: MessageOwner, { to, recipient }: EventData<'email.sent'>): MessageOwner {
  if (owner.keyId !== null || recipient === null || to.split(', ').includes(recipient)) return owner;
  return { ...owner, blind: [recipient] };
}

function redactHold(data: EventData<'approval.requested'>, owner: MessageOwner, viewer: Viewer): Data {
  const shown = maySee(viewer, 'hold.record', data.keyId) ? data : { ...data, reasons: [], edited: [], note: null };
  if (maySee(viewer, 'hold.content', owner.keyId)) return shown;
  return { ...shown, contentHash: null, bcc: [], replyTo: null, attachments: [], problem: null };
}
