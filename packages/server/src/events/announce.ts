import { type AccountEventType, EVENT_API_VERSION, type EventData, type WebhookEventType } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { addNotices, type NewNotice } from '../db/queries/notices.ts';
import { type StoredEvent, storeEvents } from '../db/queries/webhook-events.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** An event in an account, with its record at that time. */
export type Announcement = {
  readonly [Type in AccountEventType]: {
    readonly accountId: string;
    readonly type: Type;
    readonly data: EventData<Type>;
    /** If set: only for this endpoint, whatever its filter. */
    readonly endpointId?: string;
  };
}[AccountEventType];

/**
 * Notifies the account's endpoints and listeners of what happened, and for some types its members by mail. Call it in the transaction that
 * makes the change, so that both are committed or neither. It costs one statement, which writes nothing if there is no one to notify, and
 * another one for types with mail. Returns the ids of the events.
 */
export async function announce(
  transaction: Query,
  ids: IdGenerator,
  announcements: readonly Announcement[],
  now: Date,
): Promise<readonly string[]> {
  const events = announcements.map(({ accountId, type, data, endpointId = null }): StoredEvent => {
    const id = ids.next(now);
    return { accountId, id, type, body: toEventBody(id, type, now, data), endpointId, createdAt: now };
  });
  await storeEvents(transaction, events, now);
  const notices = announcements.map((announcement, place) => toNotice(announcement, events[place]?.id ?? ''));
  await addNotices(
    transaction,
    notices.filter((notice) => notice !== null),
    now,
  );
  return events.map(({ id }) => id);
}

/** The payload that is signed and sent. */
export function toEventBody(
  id: string,
  type: WebhookEventType,
  createdAt: Date,
  data: EventData<WebhookEventType>,
): string {
  return JSON.stringify({ id, type, createdAt: createdAt.toISOString(), apiVersion: EVENT_API_VERSION, data });
}

/** The notice by mail that belongs to an event; null if members get no mail about it. */
function toNotice({ accountId, type, data, endpointId }: Announcement, id: string): NewNotice | null {
  if (endpointId !== undefined) return null;
  switch (type) {
    case 'domain.degraded':
    case 'domain.failed':
    case 'key.expiring':
    case 'webhook.disabled':
      return { accountId, id, kind: type, targetId: data.id, facts: null };
    case 'quota.threshold':
      return { accountId, id, kind: type, targetId: null, facts: data };
    default:
      return null;
  }
}
