import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AttemptRow, recordAttempts } from '../db/queries/webhook-deliveries.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { settleHealth } from './endpoint-health.ts';

/** An attempt that is about to be logged. */
export interface Attempt extends AttemptRow {
  /** Whether the endpoint had failed before, so that a success ends a failure. */
  readonly wasFailing: boolean;
  /** The URL it was sent to. */
  readonly url: string;
}

/** Writes attempts to the log in batches. */
export interface AttemptRecorder {
  add(attempt: Attempt): void;
  /** The number of unwritten attempts. */
  waiting(): number;
  /** Resolves when all attempts added so far are written, or have failed. */
  settle(): Promise<void>;
  /** Like `settle`, but without retries, for a shutdown. */
  end(): Promise<void>;
}

const FLUSH_MS = 75;
const BATCH = 1_000;
/** If this many arrive within that time, wait for more: a statement has a fixed cost, however few rows it writes. */
const BUSY = 150;
const BUSY_FLUSH_MS = 200;
const RETRY_MS = 500;
/** Attempts that could not be written by then keep their lease: they are delivered again, which is allowed. */
const TRIES = 20;

export function createAttemptRecorder(options: {
  readonly sql: Sql;
  /** For the statement that records attempts. */
  readonly queueSql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly leaseId: string;
  readonly onError: (error: unknown, what: string) => void;
}): AttemptRecorder {
  const { sql, queueSql, clock, ids, leaseId, onError } = options;
  let buffer: Attempt[] = [];
  let inProgress = 0;
  let isBusy = false;
  /** Whether the next ones are due while these are being written. */
  let isDue = false;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let ending = false;

  /** Both can safely be repeated: the database may have executed them before the connection broke. */
  async function write(batch: readonly Attempt[]): Promise<void> {
    const isRefused = await persist(() => recordAttempts(queueSql, leaseId, batch, clock.now()), batch.length > 1);
    if (isRefused) {
      const half = Math.ceil(batch.length / 2);
      await write(batch.slice(0, half));
      await write(batch.slice(half));
      return;
    }
    await persist(() => settleHealth({ sql, ids }, batch, clock.now()));
  }

  /** Whether the database rejected the batch and it can be split: one attempt that it rejects must not block others. */
  async function persist(work: () => Promise<void>, canDivide = false): Promise<boolean> {
    for (let tried = 1; ; tried += 1) {
      try {
        await work();
        return false;
      } catch (error) {
        const isRefused = classifyDatabaseError(error) === 'data';
        if (isRefused && canDivide) return true;
        if (isRefused || tried === TRIES || ending) {
          onError(error, 'recording webhook attempts');
          return false;
        }
        await pause(RETRY_MS);
      }
    }
  }

  /** Attempts that arrive in the meantime wait for the next write, so that it is a batch again. */
  async function empty(): Promise<void> {
    const all = buffer;
    buffer = [];
    inProgress = all.length;
    for (let started = 0; started < all.length; started += BATCH) {
      await write(all.slice(started, started + BATCH));
      inProgress = Math.max(0, all.length - started - BATCH);
    }
  }

  function begin(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    isDue = writing !== null;
    if (isDue || buffer.length === 0) return;
    isBusy = buffer.length >= BUSY;
    writing = empty().finally(() => {
      writing = null;
      if (isDue) begin();
    });
  }

  async function settle(): Promise<void> {
    while (buffer.length > 0 || writing !== null) {
      begin();
      await writing;
    }
  }

  return {
    add(attempt) {
      buffer.push(attempt);
      if (buffer.length >= BATCH) begin();
      else timer ??= setTimeout(begin, isBusy ? BUSY_FLUSH_MS : FLUSH_MS);
    },
    waiting: () => buffer.length + inProgress,
    settle,
    async end() {
      ending = true;
      await settle();
    },
  };
}
