import type { Viewer } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { readEventsById } from '../db/queries/event-feeds.ts';
import {
  type EventRow,
  readEventsAfter,
  readLateEventIds,
  readStoredMark,
  type StoredMark,
} from '../db/queries/webhook-events.ts';
import { formatEvent, HEARTBEAT } from '../server-sent-events.ts';
import { timeOfId } from '../uuid-v7.ts';
import { readableEvents } from '../visibility/redact-webhook-event.ts';
import { type EventFeed, LOOK_BACK_MS } from './event-feeds.ts';
import { signWebhook, toSigningKey } from './sign-webhook.ts';

export interface StreamRequest {
  readonly accountId: string;
  /** Null means all. */
  readonly types: ReadonlySet<string> | null;
  /** The event to continue after. Null starts with events from now on. */
  readonly lastEventId: string | null;
  /** An id for the moment of the request: a client that is disconnected before any event reconnects with it. */
  readonly beginId: string;
  readonly secret: string;
  /** The listener: events show what this caller may see. */
  readonly viewer: Viewer;
}

/** Bodies are read in pieces, at the client's pace. */
const EVENTS_PER_READ = 50;
const IDS_PER_READ = 5_000;
const HEARTBEAT_MS = 10_000;
/** How long browsers wait before they reconnect. */
const RETRY_MS = 1_000;

/**
 * Server-sent events: first `ready` with the secret, then each event as the request that an endpoint would get, and
 * comments as keep-alives. Ends with the feed, and closes it.
 */
export async function* streamEvents(
  { accountId, types, lastEventId, beginId, secret, viewer }: StreamRequest,
  feed: EventFeed,
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
): AsyncGenerator<string, void, undefined> {
  const keys = [toSigningKey(secret)];
  const write = ({ id, type, body }: Pick<EventRow, 'id' | 'type' | 'body'>) => {
    const headers = { 'content-type': 'application/json', ...signWebhook({ id, body, keys, now: clock.now() }) };
    return formatEvent({ id, event: type, data: { headers, payload: body } });
  };
  const readable = async (rows: readonly MissedEvent[]) => await readableEvents(sql, accountId, rows, viewer);
  try {
    yield formatEvent({ retryMs: RETRY_MS, event: 'ready', id: lastEventId ?? beginId, data: { secret } });
    // Events that the feed may also contain. It has no older ones, and a listener that reconnects after weeks has many.
    const sent = new Set<string>();
    if (lastEventId !== null) {
      const mark = await readStoredMark(sql);
      const recent = new Date(mark.at.getTime() - 2 * LOOK_BACK_MS);
      for await (const rows of readMissed(sql, { accountId, eventId: lastEventId, mark })) {
        const wanted = rows.filter(({ type }) => types === null || types.has(type));
        for (const row of await readable(wanted)) {
          // The client controls how long reading missed events takes, and the listener may lose access in that time.
          if (feed.isOver()) return;
          if (row.storedAt !== null && row.storedAt > recent) sent.add(row.id);
          yield write(row);
        }
      }
    }
    for (let writtenMs = performance.now(); ; ) {
      const ids = await feed.take(EVENTS_PER_READ, HEARTBEAT_MS);
      if (ids === null) return;
      const fresh = ids.filter((id) => !sent.delete(id));
      const found = fresh.length === 0 ? [] : await readable(await readEventsById(sql, accountId, fresh));
      // An account can have a steady flow of events that this listener may not read.
      if (found.length === 0 && ids.length > 0 && performance.now() - writtenMs < HEARTBEAT_MS) continue;
      if (found.length === 0) yield HEARTBEAT;
      const rows = new Map(found.map((row) => [row.id, row]));
      for (const id of fresh) {
        const row = rows.get(id);
        if (row !== undefined) yield write(row);
      }
      writtenMs = performance.now();
    }
  } finally {
    feed.close();
  }
}

type MissedEvent = Omit<EventRow, 'createdAt'>;

/**
 * What a listener has missed since its last event: older ones that were stored late, and all later ones up to the mark.
 * The feed was opened before that and contains the rest. Events stored during this read could overtake older ones that
 * are still in the feed, and a client disconnected then would skip those.
 */
async function* readMissed(
  sql: Sql,
  position: { readonly accountId: string; readonly eventId: string; readonly mark: StoredMark },
): AsyncGenerator<readonly MissedEvent[]> {
  const { accountId, eventId } = position;
  const late = { ...position, idTime: timeOfId(eventId) };
  for (let after: string | null = null; ; ) {
    const ids: readonly string[] = await readLateEventIds(sql, late, after, IDS_PER_READ);
    for (let begin = 0; begin < ids.length; begin += EVENTS_PER_READ) {
      const rows = await readEventsById(sql, accountId, ids.slice(begin, begin + EVENTS_PER_READ));
      yield rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    }
    if (ids.length < IDS_PER_READ) break;
    after = ids.at(-1) ?? null;
  }
  for (let last: string | null = eventId; last !== null; ) {
    const rows: readonly EventRow[] = await readEventsAfter(sql, position, last, EVENTS_PER_READ);
    yield rows;
    last = rows.length < EVENTS_PER_READ ? null : (rows.at(-1)?.id ?? null);
  }
}
