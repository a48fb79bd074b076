import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { addPumpJob } from '../db/queries/maintenance.ts';

/** Wakes a worker after a commit. Wake-ups close together are combined into one, so acceptance never waits for the queue. */
export interface DeliverySignal {
  wake(): void;
  close(): void;
}

export interface DeliverySignalOptions {
  readonly sql: Sql;
  readonly clock: Clock;
  /**
   * Wakes the worker of this process, because a job costs PostgreSQL as much as delivering ten messages. Returns false if there is no worker
   * or it is busy. A job then wakes another process.
   */
  readonly wakeHere: () => boolean;
  readonly onError: (error: unknown) => void;
}

const DEBOUNCE_MS = 10;
/** A worker delivers everything that is due when it is woken, so more jobs would only cost. */
const JOBS_EVERY_MS = 50;
/** A few keys, so that a few workers can be woken at once without filling the queue. */
const JOB_KEYS = ['deliver:pump:0', 'deliver:pump:1', 'deliver:pump:2', 'deliver:pump:3'];

export function createDeliverySignal({ sql, clock, wakeHere, onError }: DeliverySignalOptions): DeliverySignal {
  let timer: NodeJS.Timeout | null = null;
  let next = 0;
  let nextJobMs = Number.NEGATIVE_INFINITY;

  function send(): void {
    timer = null;
    if (wakeHere()) return;
    const restMs = nextJobMs - performance.now();
    if (restMs > 0) {
      timer = setTimeout(send, restMs);
      return;
    }
    nextJobMs = performance.now() + JOBS_EVERY_MS;
    next = (next + 1) % JOB_KEYS.length;
    // If a wake-up fails, the timers make up for it.
    addPumpJob(sql, JOB_KEYS[next] ?? 'deliver:pump', clock.now()).catch(onError);
  }

  return {
    wake() {
      timer ??= setTimeout(send, DEBOUNCE_MS);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
