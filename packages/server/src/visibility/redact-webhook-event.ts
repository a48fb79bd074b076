import { type EventData, maySee, type Viewer, type WebhookEvent, type WebhookEventType } from '@postrider/core';
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
  const all = ['message.private', 'message.content', 'hold.content', 'webhook.address'] as const;
  return all.every((visibility) => maySee(viewer, visibility, null));
}

/**
 * Events as a caller may see them, in the same order. An event about a recipient that the caller may not know keeps only its type and its
 * time.
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
  if (maySee(viewer, 'hold.content', owner.keyId)) return data;
  return { ...data, contentHash: null, bcc: [], replyTo: null, attachments: [], problem: null };
}
