import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { insertTrackingEvents, type NewTrackingEvent } from '../db/queries/tracking-events.ts';
import type { IdGenerator } from '../uuid-v7.ts';

/** What happened to a message: its image was fetched, or the link was followed whose URL is given. */
export interface TrackedAction {
  readonly accountId: string;
  readonly messageId: string;
  readonly url: string | null;
}

/** Writes openings and clicks to the trails, in groups: those that come in while a group is written go with the next. */
export interface TrackingRecorder {
  /** Resolves when it is written, or never will be; it never rejects. */
  record(action: TrackedAction): Promise<void>;
  /** Tries once more to write what waits. */
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
/** While the database is away so many wait; the rest is let go, because nobody's mail depends on it. */
const MAX_WAITING = 10_000;
/** A message that is being written to is free again after one statement. */
const AGAIN_WHEN_BUSY_MS = 20;
const AGAIN_WHEN_AWAY_MS = 1_000;

export function createTrackingRecorder({ sql, clock, ids, onError }: TrackingRecorderOptions): TrackingRecorder {
  const waiting: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let again: NodeJS.Timeout | null = null;
  let closed = false;

  /** Writes one group; answers in how many milliseconds to go on, null for at once. */
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
      onError(error, 'recording openings and clicks');
      // What the database refuses it will refuse again; what it could not take now, it may take later.
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
