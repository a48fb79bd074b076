import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { insertTrackingEvents, type NewTrackingEvent } from '../db/queries/tracking-events.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** What happened to a message: its image was fetched, or the given link was followed. */
export interface TrackedAction {
  readonly accountId: string;
  readonly messageId: string;
  readonly url: string | null;
}

/** Writes opens and clicks to the event logs in batches: those that arrive during a write are in the next batch. */
export interface TrackingRecorder {
  /** Resolves when the event is written or dropped. Never rejects. */
  record(action: TrackedAction): Promise<void>;
  /** Tries again to write the pending events. */
  close(): Promise<void>;
}

export interface TrackingRecorderOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly onError: (error: unknown, what: string) => void;
}

interface Waiting {
  readonly event: NewTrackingEvent;
  readonly done: () => void;
}

const GROUP = 200;
/** How many events wait while the database is unavailable. More are dropped, because no mail depends on them. */
const MAX_WAITING = 10_000;
/** A message locked by another write is free again after one statement. */
const AGAIN_WHEN_BUSY_MS = 20;
const AGAIN_WHEN_AWAY_MS = 1_000;

export function createTrackingRecorder({ sql, clock, ids, onError }: TrackingRecorderOptions): TrackingRecorder {
  const waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let again: NodeJS.Timeout | null = null;
  let closed = false;

  /** Writes one batch. Returns the delay in milliseconds before the next one, or null for no delay. */
  async function writeGroup(): Promise<number | null> {
    const group = waiting.splice(0, GROUP);
    const events = group.map(({ event }) => event);
    try {
      const busy = new Set(await insertTrackingEvents(sql, events, LIMITS.trackingEventsPerMessage));
      const left = group.filter(({ event }) => busy.has(event.message));
      for (const one of group) if (!left.includes(one)) one.done();
      waiting.unshift(...left);
      return left.length > 0 ? AGAIN_WHEN_BUSY_MS : null;
    } catch (error) {
      onError(error, 'recording opens and clicks');
      // An event that the database rejects will be rejected again. One that failed for another reason may succeed later.
      if (classifyDatabaseError(error) === 'data') for (const { done } of group) done();
      else waiting.unshift(...group);
      return AGAIN_WHEN_AWAY_MS;
    }
  }

  async function writeAll(): Promise<void> {
    let pauseMs: number | null = null;
    while (waiting.length > 0 && pauseMs === null) pauseMs = await writeGroup();
    if (pauseMs === null || closed || waiting.length === 0) return;
    again = setTimeout(() => {
      again = null;
      write();
    }, pauseMs);
    again.unref();
  }

  function write(): Promise<void> {
    if (again !== null) return Promise.resolve();
    writing ??= writeAll().finally(() => {
      writing = null;
    });
    return writing;
  }

  return {
    record: ({ accountId, messageId, url }) =>
      new Promise((resolve) => {
        if (closed || waiting.length >= MAX_WAITING) return resolve();
        const now = clock.now();
        const what = { type: url === null ? ('opened' as const) : ('clicked' as const), detail: url };
        const event = { account: accountId, message: messageId, id: ids.next(now), ...what, at: now.toISOString() };
        waiting.push({ event, done: resolve });
        void write();
      }),
    async close() {
      closed = true;
      if (again !== null) clearTimeout(again);
      again = null;
      await writing;
      await write();
      for (const { done } of waiting.splice(0)) done();
    },
  };
}
