import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { isReached, type Judgement } from '../parts/findings.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { startLeanSink } from '../parts/smtp-sink.ts';
import type { SmtpLoad } from '../smtp/smtp-load.ts';
import type { SubmissionProcessReady } from '../smtp/submission-process.ts';
import { CAPACITY, readSizes } from './capacity.ts';

const CONNECTIONS = 64;
const MESSAGES_A_ROUND = 1_000;
const SMTP_SESSIONS = 10;
const SMTP_MESSAGES_A_ROUND = 200;
const API_PORT = 18_125;
const WORKER_PORT = 18_126;
const MAX_RSS_MB = 300;
/** How much more memory the last third of the run may need than the first, after the warm-up, and how much slower it may be. */
const MAX_GROWTH = 1.1;
const MAX_SLOWDOWN = 1.2;
/** How much more space the tables may need than docs/operating.md predicts. */
const MAX_SPACE = 1.1;
const WARM_UP_MS = 60_000;
const LONGEST_WAIT_MS = 60_000;

export interface SoakOptions {
  readonly minutes: number;
  /** Messages a second; null for as many as the slowest process handles. */
  readonly rate: number | null;
}

/**
 * `pnpm bench soak [--minutes N] [--rate N]`: one process accepts over HTTP, another over SMTP, and a third delivers everything through a
 * relay. The memory of each must stay flat and below its bound, the latency must stay flat, and the tables and indexes
 * must have the sizes that docs/operating.md predicts.
 */
export async function benchSoak({ minutes, rate }: SoakOptions): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `\nsoak: ${minutes} minutes of single sends over ${CONNECTIONS} HTTP connections and ${SMTP_SESSIONS} SMTP sessions, ${rate === null ? '' : `${round(rate)} messages/s, `}delivered by another process`,
    );
    const roundMs = rate === null ? 0 : ((MESSAGES_A_ROUND + SMTP_MESSAGES_A_ROUND) / rate) * 1_000;
    return await soak(database, dataDir, { durationMs: minutes * 60_000, roundMs });
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Sample {
  readonly atMs: number;
  readonly p99: number;
  readonly rssMb: Readonly<Record<Role, number>>;
}

type Role = 'api' | 'smtp' | 'worker';

interface Pace {
  readonly durationMs: number;
  /** A round takes at least this long. */
  readonly roundMs: number;
}

async function soak(database: BenchDatabase, dataDir: string, { durationMs, roundMs }: Pace): Promise<boolean> {
  let delivered = 0;
  const sinkPort = await startLeanSink(() => {
    delivered += 1;
  });
  const start = <Ready>(path: string, settings: object) =>
    startChild<Ready>(new URL(path, import.meta.url), { target: database.target, ...settings });
  const startRole = (role: Role, port: number) =>
    start<unknown>('../accept/postrider-process.ts', {
      ...{ port, dataDir: join(dataDir, role), roles: role, transport: `smtp://127.0.0.1:${sinkPort}?tls=none` },
    });
  const smtp = await start<SubmissionProcessReady>('../smtp/submission-process.ts', { dataDir: join(dataDir, 'smtp') });
  const roles = { api: await startRole('api', API_PORT), smtp, worker: await startRole('worker', WORKER_PORT) };
  const load = await start<unknown>('../parts/http-load.ts', {});
  const smtpLoad = await start<unknown>('./smtp-load-process.ts', {});
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Soak', ownerEmail: 'soak@sandbox.test' });
  const samples: Sample[] = [];
  const beganMs = performance.now();
  const sizesBefore = await readSizes(database.sql);
  let accepted = 0;
  for (let seed = 1; performance.now() - beganMs < durationMs; seed += 1) {
    const [common, nextRound] = [{ key, seed }, pause(roundMs)];
    const request: LoadRequest = {
      ...common,
      port: API_PORT,
      path: '/emails',
      connections: CONNECTIONS,
      count: MESSAGES_A_ROUND,
    };
    const { tlsPort: port } = smtp.ready;
    const submission: SmtpLoad = { key, seed: -seed, port, sessions: SMTP_SESSIONS, count: SMTP_MESSAGES_A_ROUND };
    const [{ refused, latenciesMs }] = await Promise.all([
      load.ask<LoadResult>(request),
      smtpLoad.ask<number>(submission),
    ]);
    accepted += MESSAGES_A_ROUND - refused + SMTP_MESSAGES_A_ROUND;
    await until(() => delivered >= accepted - MESSAGES_A_ROUND);
    samples.push({
      atMs: performance.now() - beganMs,
      p99: quantile([...latenciesMs], 0.99),
      rssMb: await rssOf(roles),
    });
    await nextRound;
  }
  await until(() => delivered >= accepted);
  const sizes = await readSizes(database.sql);
  for (const child of [load, smtpLoad, ...Object.values(roles)]) await child.stop();
  console.log(`accepted ${round(accepted)}, delivered ${round(delivered)}`);
  const warm = samples.filter(({ atMs }) => atMs > Math.min(WARM_UP_MS, durationMs / 4));
  const perMessage = sizes.map((bytes, part) => (bytes - (sizesBefore[part] ?? 0)) / accepted);
  const rows = [
    atMost('accepted messages that were not delivered', accepted - delivered, 0),
    ...ROLES.flatMap((role) =>
      judgeMemory(
        role,
        warm.map(({ rssMb }) => rssMb[role]),
      ),
    ),
    atMost('p99 of a send, last third to first third', growthOf(warm.map(({ p99 }) => p99)), MAX_SLOWDOWN),
    ...CAPACITY.map(({ name, bytes }, part) => {
      console.log(`${name}: ${round(perMessage[part] ?? 0)} bytes a message, ${round(bytes)} predicted`);
      return atMost(`space for ${name}, ratio to the prediction`, (perMessage[part] ?? 0) / bytes, MAX_SPACE);
    }),
  ];
  for (const { what, value, bound, goal } of rows) console.log(judge(what, value, bound, goal));
  return rows.every(isReached);
}

const ROLES: readonly Role[] = ['api', 'smtp', 'worker'];

function atMost(what: string, value: number, bound: number): Judgement {
  return { kind: 'bound', what, value, bound, goal: 'at most' };
}

/** Resolves when the condition is true, or after a minute. */
async function until(isSo: () => boolean): Promise<void> {
  const endMs = performance.now() + LONGEST_WAIT_MS;
  while (!isSo() && performance.now() < endMs) await pause(10);
}

async function rssOf(roles: Readonly<Record<Role, Child<unknown>>>): Promise<Sample['rssMb']> {
  const [api, smtp, worker] = await Promise.all(ROLES.map(async (role) => (await roles[role].ask<Usage>({})).rssMb));
  return { api: api ?? 0, smtp: smtp ?? 0, worker: worker ?? 0 };
}

function judgeMemory(role: Role, rssMb: readonly number[]): readonly Judgement[] {
  const highest = Math.max(...rssMb);
  console.log(`${role}: highest memory ${round(highest)} MB (${rssMb.length} samples)`);
  return [
    atMost(`role ${role}: highest memory in MB`, highest, MAX_RSS_MB),
    atMost(`role ${role}: memory, last third to first third`, growthOf(rssMb), MAX_GROWTH),
  ];
}

function growthOf(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3));
  return median(values.slice(-third)) / median(values.slice(0, third));
}
