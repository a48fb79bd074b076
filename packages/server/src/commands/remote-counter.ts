import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import { type ClientCounter, createClientCounter } from '../keys/client-rate-limit.ts';
import type { Report } from './process-messages.ts';

export interface RemoteCounter extends ClientCounter {
  /** The reply of the supervisor. */
  settle(id: number, retryAfterSeconds: number | null): void;
}

/** A busy supervisor must not delay a request for longer. This process then counts the request itself, with the same limit. */
const COUNT_WITHIN_MS = 1_000;
const LATE = Symbol('late');

/** Counts in the supervisor, for all processes. */
export function createRemoteCounter(
  clock: Clock,
  report: (count: Extract<Report, { kind: 'count' }>) => void,
): RemoteCounter {
  const waiting = new Map<number, (retryAfterSeconds: number | null) => void>();
  const local = createClientCounter(clock);
  let lastId = 0;
  return {
    async take(count, address, requests) {
      lastId += 1;
      const id = lastId;
      const { promise, resolve } = Promise.withResolvers<number | null>();
      waiting.set(id, resolve);
      report({ kind: 'count', id, count, address, requests });
      const late = new AbortController();
      const given = pause(COUNT_WITHIN_MS, LATE, { signal: late.signal }).catch(() => LATE);
      const counted = await Promise.race([promise, given]);
      late.abort();
      waiting.delete(id);
      return typeof counted === 'symbol' ? await local.take(count, address, requests) : counted;
    },
    settle(id, retryAfterSeconds) {
      waiting.get(id)?.(retryAfterSeconds);
    },
  };
}
