import { randomUUID } from 'node:crypto';
import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import {
  type ChangedSession,
  claimSession,
  readArrivedReplies,
  readChangedSessions,
  releaseSession,
} from '../db/queries/mcp-session-streams.ts';
import { removeReply, touchMcpSessions } from '../db/queries/mcp-sessions.ts';
import { findLastingCallers } from './lasting-callers.ts';
import { notifySessions } from './notify-sessions.ts';
import { createSessionStream, type SessionStream, type StreamedSession, type StreamRequest } from './session-stream.ts';

export interface SessionWatcher {
  /** Null if the account or this process has reached its limit of streams, or this process is shutting down. */
  open(request: StreamRequest): SessionStream | null;
  /** Calls back once, when the client has responded to a request, in whichever process. Returns a function that stops waiting. */
  awaitReply(session: FollowedSession, requestId: string, onReply: (reply: unknown) => void): () => void;
  /** Delivers a response to a request that was sent from this process; false if it was not. */
  deliverReply(requestId: string, reply: unknown): boolean;
  /** Ends every stream, for a shutdown. */
  close(): void;
}

export interface FollowedSession {
  readonly accountId: string;
  readonly id: string;
}

export interface SessionWatcherOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly onError: (error: unknown, what: string) => void;
}

/** Together with the time of two queries, well under the second in which a client is to learn of a decision. */
const LOOK_EVERY_MS = 250;
/** Queries use at most a tenth of the time, however many sessions there are; more only where that would delay notifications noticeably. */
const PAUSE_SHARE = 10;
const PAUSE_MAX_MS = 400;
/** Together with the time of a query, this is less than the second in which a revoked key must lose access. */
const CHECK_EVERY_MS = 500;
const TOUCH_EVERY_MS = 10 * 60_000;

interface Waiter {
  readonly session: FollowedSession;
  readonly onReply: (reply: unknown) => void;
}

/**
 * Follows the sessions that have a stream, or a request to the client, in this process. A few queries serve all of them, and none run without
 * them. What other processes did to a session is read from its row.
 */
export function createSessionWatcher({ sql, clock, onError }: SessionWatcherOptions): SessionWatcher {
  const streams = new Set<StreamedSession>();
  const waiters = new Map<string, Waiter>();
  const counts = new Map<string, number>();
  const timers: NodeJS.Timeout[] = [];
  let isClosed = false;

  /** Reads what has changed in the rows of all followed sessions. */
  async function readRows(): Promise<void> {
    const followed = [...streams];
    for (const row of await readChangedSessions(sql, followed)) {
      const stream = followed[row.index];
      if (stream !== undefined) await applyRow(stream, row);
    }
  }

  /** Takes the responses that have arrived in other processes. */
  async function takeReplies(): Promise<void> {
    const awaited = [...waiters].map(([requestId, { session }]) => ({ ...session, requestId }));
    for (const { index, reply } of await readArrivedReplies(sql, awaited)) {
      const { accountId, id, requestId } = awaited[index] ?? {};
      if (accountId === undefined || id === undefined || requestId === undefined) continue;
      deliverReply(requestId, reply);
      await removeReply(sql, accountId, id, requestId);
    }
  }

  async function applyRow(stream: StreamedSession, row: ChangedSession): Promise<void> {
    if (row.hasEnded) return stream.end();
    stream.apply(row);
    const { streamId } = stream;
    // The newest stream claims the session; the others stay open and take over when it is gone.
    const isFree = row.streamId === null || !stream.hasClaimed;
    if (row.streamId === streamId || !isFree) return;
    stream.hasClaimed = true;
    const claimed = await claimSession(sql, stream);
    if (claimed !== null) stream.apply(claimed);
  }

  async function check(): Promise<void> {
    const before = [...streams];
    const lasting = await findLastingCallers(
      sql,
      before.map(({ caller }) => caller),
      clock.now(),
    );
    for (const [at, stream] of before.entries()) if (!lasting[at]) stream.end();
  }

  function deliverReply(requestId: string, reply: unknown): boolean {
    const waiter = waiters.get(requestId);
    waiters.delete(requestId);
    waiter?.onReply(reply);
    return waiter !== undefined;
  }

  function follow(): void {
    const isNeeded = streams.size + waiters.size > 0;
    if (!isNeeded) for (const timer of timers.splice(0)) clearInterval(timer);
    if (!isNeeded || timers.length > 0) return;
    const repeat = (everyMs: number, what: string, run: () => Promise<void>) =>
      timers.push(
        setInterval(
          spaced(run, (error) => onError(error, what)),
          everyMs,
        ),
      );
    repeat(LOOK_EVERY_MS, 'reading MCP sessions', async () => {
      await takeReplies();
      await readRows();
      await notifySessions(sql, [...streams]);
    });
    repeat(CHECK_EVERY_MS, 'checking the keys of MCP sessions', check);
    repeat(TOUCH_EVERY_MS, 'keeping MCP sessions', () => touchMcpSessions(sql, [...streams], clock.now()));
  }

  function leave(stream: StreamedSession): void {
    if (!streams.delete(stream)) return;
    const { accountId, id, streamId } = stream;
    const count = (counts.get(accountId) ?? 1) - 1;
    if (count === 0) counts.delete(accountId);
    else counts.set(accountId, count);
    if (stream.hasClaimed) {
      releaseSession(sql, accountId, id, streamId, clock.now()).catch((error: unknown) =>
        onError(error, 'leaving an MCP session'),
      );
    }
    follow();
  }

  return {
    open(request) {
      const { accountId } = request.caller;
      const count = counts.get(accountId) ?? 0;
      if (isClosed || count >= LIMITS.mcpSessionStreamsPerAccount || streams.size >= LIMITS.mcpSessionStreams)
        return null;
      counts.set(accountId, count + 1);
      const stream = createSessionStream(request, randomUUID(), leave);
      streams.add(stream.session);
      follow();
      return stream;
    },
    awaitReply(session, requestId, onReply) {
      waiters.set(requestId, { session, onReply });
      follow();
      return () => {
        waiters.delete(requestId);
        follow();
      };
    },
    deliverReply,
    close() {
      isClosed = true;
      for (const stream of [...streams]) stream.end();
    },
  };
}

/** Runs one at a time, with pauses. If the database is unavailable, the next run retries. */
function spaced(run: () => Promise<void>, onError: (error: unknown) => void): () => void {
  let isRunning = false;
  let afterMs = 0;
  return () => {
    const beganMs = performance.now();
    if (isRunning || beganMs < afterMs) return;
    isRunning = true;
    run()
      .catch(onError)
      .finally(() => {
        isRunning = false;
        const endedMs = performance.now();
        afterMs = endedMs + Math.min((PAUSE_SHARE - 1) * (endedMs - beganMs), PAUSE_MAX_MS);
      });
  };
}
