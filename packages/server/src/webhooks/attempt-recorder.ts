import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { classifyDatabaseError } from '../db/database-errors.ts';
import { type AttemptRow, recordAttempts } from '../db/queries/webhook-deliveries.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { settleHealth } from './endpoint-health.ts';

/** An attempt on its way into the log. */
export interface Attempt extends AttemptRow {
  /** Whether the endpoint had failed before, so that a success has something to end. */
  readonly wasFailing: boolean;
}

/** Writes attempts down, many at once. */
export interface AttemptRecorder {
  add(attempt: Attempt): void;
  /** How many are not written yet. */
  waiting(): number;
  /** Resolves when all that were added are written, or could not be. */
  settle(): Promise<void>;
  /** As `settle`, and tries nothing again: the end. */
  end(): Promise<void>;
}

const FLUSH_MS = 75;
const BATCH = 1_000;
const RETRY_MS = 500;
/** What could not be written by then is left to its lease: it is delivered again, which is allowed. */
const TRIES = 20;

export function createAttemptRecorder(options: {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly leaseId: string;
  readonly onError: (error: unknown, what: string) => void;
}): AttemptRecorder {
  const { sql, clock, ids, leaseId, onError } = options;
  let buffer: Attempt[] = [];
  let inHand = 0;
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> | null = null;
  let ending = false;

  /** Both are safe to do again: a database that broke off may have done them. */
  async function write(batch: readonly Attempt[]): Promise<void> {
    const isRefused = await persist(() => recordAttempts(sql, leaseId, batch, clock.now()), batch.length > 1);
    if (isRefused) {
      const half = Math.ceil(batch.length / 2);
      await write(batch.slice(0, half));
      await write(batch.slice(half));
      return;
    }
    await persist(() => settleHealth({ sql, ids }, batch, clock.now()));
  }

  /** Whether the database refused what was given, where that can be divided: one that it does not take is not to take others with it. */
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

  async function empty(): Promise<void> {
    while (buffer.length > 0) {
      const batch = buffer.slice(0, BATCH);
      buffer = buffer.slice(BATCH);
      inHand = batch.length;
      await write(batch);
      inHand = 0;
    }
  }

  function begin(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    writing ??= empty().finally(() => {
      writing = null;
      if (buffer.length > 0) begin();
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
      else timer ??= setTimeout(begin, FLUSH_MS);
    },
    waiting: () => buffer.length + inHand,
    settle,
    async end() {
      ending = true;
      await settle();
    },
  };
}
