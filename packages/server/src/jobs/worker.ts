import { EventEmitter } from 'node:events';
import {
  makeWorkerUtils,
  parseCronItems,
  Logger as QueueLogger,
  type Runner,
  run,
  runMigrations,
  type TaskList,
  type WorkerEvents,
} from 'graphile-worker';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { DatabaseTarget, Sql } from '../db/client.ts';
import { CONNECTIONS } from '../db/connection-counts.ts';
import { forgetWorkers, readSilentWorkers, writeHeartbeats } from '../db/queries/maintenance.ts';
import { openQueuePool } from '../db/queue-pool.ts';
import { within } from '../within.ts';
import { CRONTAB } from './crontab.ts';

/** Installs graphile-worker's own schema; safe to call again. */
export async function migrateQueue(target: DatabaseTarget): Promise<void> {
  // If the connection is lost, the query on it reports that too.
  const pool = openQueuePool(target, 2, () => undefined);
  try {
    await runMigrations({ pgPool: pool, logger: quietLogger(null) });
  } finally {
    await pool.end();
  }
}

export interface JobWorkerOptions {
  readonly sql: Sql;
  readonly target: DatabaseTarget;
  readonly tasks: TaskList;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** The graphile-worker of this process, which is kept running across database failures. */
export interface JobWorker {
  /** The current problem, or null. */
  fault(): string | null;
  stop(): Promise<void>;
}

/** The others are for listening and for the heartbeat. */
const CONCURRENCY = CONNECTIONS.queue - 2;
const HEARTBEAT_EVERY_MS = 10_000;
/** Jobs of a killed worker would stay locked for four hours. After this long without a heartbeat, another worker takes them over. */
const SILENT_AFTER_MS = 30_000;
const RESTART_AFTER_MS = 500;
/** The time limit for running jobs at a shutdown, and again for the connections: an unresponsive database must not block the shutdown. */
const STOP_MS = 2_000;
/**
 * graphile-worker ends a job with a promise that is not awaited: if the database fails at that moment, the rejection
 * would end this process. Batched completions, even with a delay of 0, have an error handler, which stops the runner so
 * that it can be started again.
 */
const BATCHED_ENDS = { completeJobBatchDelay: 0, failJobBatchDelay: 0 };

/** Starts the worker. Rejects if the queue cannot be used; nothing is left running then. */
export async function startJobWorker(options: JobWorkerOptions): Promise<JobWorker> {
  const { sql, clock, logger } = options;
  const onLost = (error: Error) => logger.debug({ error: error.message }, 'queue connection lost');
  const pool = openQueuePool(options.target, CONNECTIONS.queue, onLost);
  const workerIds = new Set<string>();
  let runner: Runner | null = null;
  let fault: string | null = 'The queue is starting.';
  let stopping = false;

  async function startRunner(): Promise<void> {
    workerIds.clear();
    const events: WorkerEvents = new EventEmitter();
    events.on('worker:create', ({ worker }) => void workerIds.add(worker.workerId));
    runner = await run({
      pgPool: pool,
      taskList: options.tasks,
      parsedCronItems: parseCronItems([...CRONTAB]),
      concurrency: CONCURRENCY,
      events,
      noHandleSignals: true,
      pollInterval: 2_000,
      logger: quietLogger(logger),
      preset: { worker: BATCHED_ENDS },
    });
    fault = null;
    // Before its first job: a worker without a recorded heartbeat cannot be detected as missing.
    void sendHeartbeat();
    runner.promise.then(
      () => restart('The queue stopped.'),
      (error: unknown) => restart(error instanceof Error ? error.message : String(error)),
    );
  }

  function restart(reason: string): void {
    if (stopping) return;
    fault = `The queue restarts: ${reason}`;
    logger.warn({ reason }, 'queue restarts');
    setTimeout(() => {
      if (!stopping)
        startRunner().catch((error: unknown) => restart(error instanceof Error ? error.message : String(error)));
    }, RESTART_AFTER_MS);
  }

  async function beat(): Promise<void> {
    const now = clock.now();
    if (workerIds.size > 0) await writeHeartbeats(sql, [...workerIds], now);
    const silent = await readSilentWorkers(sql, new Date(now.getTime() - SILENT_AFTER_MS));
    if (silent.length === 0) return;
    // Unlocked first: if this process ends in between, the next one finds the same workers still silent and repeats it.
    await unlock(pool, silent, logger);
    await forgetWorkers(sql, silent);
  }

  const sendHeartbeat = () =>
    beat().catch((error: unknown) => logger.debug({ error: String(error) }, 'heartbeat failed'));

  await startRunner().catch(async (error: unknown) => {
    await pool.end();
    throw error;
  });
  const heartbeat = setInterval(() => void sendHeartbeat(), HEARTBEAT_EVERY_MS);

  async function stop(): Promise<void> {
    stopping = true;
    clearInterval(heartbeat);
    await within(STOP_MS, runner?.stop().catch(() => {}) ?? Promise.resolve());
    // A clean shutdown leaves nothing for other workers to clean up.
    await within(STOP_MS, Promise.all([forgetWorkers(sql, [...workerIds]), pool.end()])).catch(() => {});
  }

  return { fault: () => fault, stop };
}

async function unlock(pool: Pool, workerIds: readonly string[], logger: Logger): Promise<void> {
  const utils = await makeWorkerUtils({ pgPool: pool, logger: quietLogger(logger) });
  try {
    await utils.forceUnlockWorkers([...workerIds]);
    logger.warn({ workers: workerIds.length }, 'took over the jobs of silent workers');
  } finally {
    await utils.release();
  }
}

/** graphile-worker logs a lot. Its errors become warnings here, and the rest is debug output. */
function quietLogger(logger: Logger | null): QueueLogger {
  return new QueueLogger(() => (level, message) => {
    if (level === 'error' || level === 'warning') logger?.warn({ queue: message }, 'queue');
    else logger?.debug({ queue: message }, 'queue');
  });
}
