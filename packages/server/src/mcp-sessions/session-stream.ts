import type { ChangedSession, WatchedEntries } from '../db/queries/mcp-session-streams.ts';
import type { WatchedUri } from '../events/resource-watcher.ts';
import type { Caller } from '../keys/caller.ts';

export interface StreamRequest {
  readonly caller: Caller;
  readonly sessionId: string;
  /** The number of the last event that the client received; null if it does not say. */
  readonly lastEvent: number | null;
  /** What a watched name stands for; null if the caller may not read it. */
  readonly toWatched: (name: string) => WatchedUri | null;
}

/** What a stream reports: a change of something watched, by its name. */
export interface SessionEvent {
  readonly event: number;
  readonly name: string;
}

/** A stream of one session, as its client reads it. */
export interface SessionStream {
  readonly session: StreamedSession;
  /** The next events, or none after so much time. Null at the end. */
  next(waitMs: number): Promise<readonly SessionEvent[] | null>;
  close(): void;
}

/** A stream of one session, as the watcher sees it. */
export interface StreamedSession {
  readonly accountId: string;
  readonly id: string;
  readonly streamId: string;
  readonly caller: Caller;
  /** Of the row, as last read; 0 while there is none. */
  readonly revision: number;
  readonly watched: WatchedEntries;
  /** Whether this stream sends the events of the session. */
  readonly isActive: boolean;
  hasClaimed: boolean;
  readonly toWatched: StreamRequest['toWatched'];
  apply(row: Pick<ChangedSession, 'revision' | 'watched' | 'streamId'>): void;
  /** Sends events that have been recorded. A later event about the same thing replaces one that the client has not read yet. */
  push(watched: WatchedEntries, names: readonly string[]): void;
  end(): void;
}

export function createSessionStream(
  { caller, sessionId, lastEvent, toWatched }: StreamRequest,
  streamId: string,
  onEnd: (session: StreamedSession) => void,
): SessionStream {
  const unread = new Map<string, number>();
  let wake = () => {};
  let isOver = false;
  let revision = 0;
  let watched: WatchedEntries = {};
  let activeStream: string | null = null;
  let repeatAfter = lastEvent;

  const session: StreamedSession = {
    ...{ accountId: caller.accountId, id: sessionId, streamId, caller, toWatched, hasClaimed: false },
    get revision() {
      return revision;
    },
    get watched() {
      return watched;
    },
    get isActive() {
      return activeStream === streamId;
    },
    apply(row) {
      ({ revision, watched, streamId: activeStream } = row);
      const missed = repeatAfter;
      if (missed === null || !session.isActive) return;
      repeatAfter = null;
      session.push(
        watched,
        Object.keys(watched).filter((name) => (watched[name]?.event ?? 0) > missed),
      );
    },
    push(next, names) {
      watched = next;
      for (const name of names) {
        const entry = next[name];
        // What the caller may no longer read is not reported again.
        if (entry === undefined || toWatched(name) === null) continue;
        unread.delete(name);
        unread.set(name, entry.event);
      }
      if (unread.size > 0) wake();
    },
    end() {
      if (isOver) return;
      isOver = true;
      onEnd(session);
      wake();
    },
  };

  return {
    session,
    async next(waitMs) {
      if (unread.size === 0 && !isOver) await pause(waitMs, (resolve) => (wake = resolve));
      if (isOver) return null;
      const events = [...unread].map(([name, event]) => ({ name, event })).sort((a, b) => a.event - b.event);
      unread.clear();
      return events;
    },
    close: () => session.end(),
  };
}

/** Until it is woken, or the time has passed. */
async function pause(ms: number, whenWoken: (resolve: () => void) => void): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    whenWoken(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
