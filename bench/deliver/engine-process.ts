import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { type App, createApp } from '../../packages/server/src/app.ts';
import type { Clock } from '../../packages/server/src/clock.ts';
import { readConfig } from '../../packages/server/src/config.ts';
import { type DatabaseTarget, openDatabase } from '../../packages/server/src/db/client.ts';
import { boundHeapGrowth } from '../../packages/server/src/heap.ts';
import { tagged } from '../../test/harness/tagged.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { childSettings, ownUsage, serveParent } from '../parts/child.ts';
import { postgresCpuOf } from '../parts/postgres-cpu.ts';
import type { SenderRound } from './sender-round.ts';

export interface EngineSettings {
  readonly target: DatabaseTarget;
  readonly dataDir: string;
  readonly sinkPort: number;
  /** Settings that extend or replace the defaults. */
  readonly settings?: Readonly<Record<string, string>>;
}

/**
 * `drain` delivers everything queued. It starts a worker for that and ends it, unless one rests: `rest` starts a worker that only delivers during
 * `drain`. `start` delivers until `stop`; `usage` only reports.
 */
export interface EngineQuestion {
  readonly ask: 'drain' | 'rest' | 'start' | 'stop' | 'usage';
  /** For `drain`: the process id of the PostgreSQL whose CPU time is measured. */
  readonly postmaster?: number;
}

export interface DrainRound extends SenderRound {
  /** CPU time of Postgres from the first claim until the worker has ended or rests, indexing and statistics included; 0 without `postmaster`. */
  readonly postgresMs: number;
}

const LOOK_EVERY_MS = 2;
const LOOK_FOR_BACKLOG_EVERY_MS = 50;
/** By the clock of a resting worker, messages that were just accepted are not due. */
const REST_BEHIND_MS = 3_600_000;

/** The product's delivery worker in its own process, as in an installation with several. */
boundHeapGrowth();
const settings = childSettings<EngineSettings>();
let running: App | null = null;
let isResting = false;
const clock: Clock = { now: () => new Date(Date.now() - (isResting ? REST_BEHIND_MS : 0)) };

async function start(): Promise<App> {
  const verdict = readConfig({
    POSTRIDER_DATA_DIR: settings.dataDir,
    POSTRIDER_ROLES: 'worker',
    POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${settings.sinkPort}?tls=none`,
    POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
    ...settings.settings,
  });
  if (!verdict.ok) throw new Error(JSON.stringify(verdict.problems));
  const app = createApp({
    config: verdict.config,
    baseUrl: 'http://127.0.0.1',
    target: settings.target,
    logger: pino({ level: 'warn' }, pino.destination(2)),
    clock,
    random: Math.random,
  });
  await app.start({ host: '127.0.0.1', port: 0 });
  return app;
}

/** From the engine's first claim to the last recorded outcome. */
async function drain(postmaster?: number): Promise<DrainRound> {
  const app = running ?? (await start());
  isResting = false;
  const postgresCpuMs = postmaster === undefined ? () => 0 : postgresCpuOf(postmaster);
  const postgresBeforeMs = postgresCpuMs();
  const before = ownUsage();
  const beganMs = performance.now();
  let peakRssMb = before.rssMb;
  await app.engine?.pump();
  while ((app.engine?.inFlight ?? 0) > 0) await pause(LOOK_EVERY_MS);
  const seconds = (performance.now() - beganMs) / 1_000;
  const after = ownUsage();
  peakRssMb = Math.max(peakRssMb, after.rssMb);
  if (running === null) await app.close();
  else await finishBacklogs();
  const postgresMs = postgresCpuMs() - postgresBeforeMs;
  isResting = running !== null;
  return { seconds, cpuMs: after.cpuMs - before.cpuMs, rssMb: peakRssMb, postgresMs };
}

/** Waits until everything is indexed and counted. */
async function finishBacklogs(): Promise<void> {
  const sql = tagged(openDatabase({ target: settings.target, maxConnections: 1, applicationName: 'bench' }));
  const isLeft = async () => {
    const [row] = await sql<{ left: boolean }[]>`
      SELECT EXISTS (SELECT FROM search_backlog) OR EXISTS (SELECT FROM count_backlog) AS left`;
    return row?.left ?? false;
  };
  while (await isLeft()) await pause(LOOK_FOR_BACKLOG_EVERY_MS);
  await sql.end({ timeout: 1 });
}

async function rest(): Promise<void> {
  isResting = true;
  running = await start();
}

async function stop(): Promise<void> {
  await running?.close();
  running = null;
}

async function respond({ ask, postmaster }: EngineQuestion): Promise<unknown> {
  if (ask === 'drain') return await drain(postmaster);
  if (ask === 'rest') await rest();
  if (ask === 'start') running = await start();
  if (ask === 'stop') await stop();
  return ownUsage();
}

process.on('SIGTERM', () => void stop().then(() => process.exit(0)));
serveParent({}, (question) => respond(question as EngineQuestion)); // Sent only by the benchmarks in this folder.
