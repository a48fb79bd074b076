import { type AccountEventType, EVENT_API_VERSION, type EventData, type WebhookEventType } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { type StoredEvent, storeEvents } from '../db/queries/webhook-events.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** Something that happened in an account, with its record as it then was. */
export type Announcement = {
  readonly [Type in AccountEventType]: {
    readonly accountId: string;
    readonly type: Type;
    readonly data: EventData<Type>;
    /** Set: for this endpoint alone, whatever its filter. */
    readonly endpointId?: string;
  };
}[AccountEventType];

/**
 * Tells the account's endpoints and listeners what happened. Belongs into the transaction that makes it happen, so that neither is there
 * without the other; it costs one statement, which writes nothing where nobody wants to know. Answers the ids of the events.
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
  return events.map(({ id }) => id);
}

/** The payload as it is signed and sent. */
export function toEventBody(
  id: string,
  type: WebhookEventType,
  createdAt: Date,
  data: EventData<WebhookEventType>,
): string {
  return JSON.stringify({ id, type, createdAt: createdAt.toISOString(), apiVersion: EVENT_API_VERSION, data });
}
