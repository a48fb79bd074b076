import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { announce } from '../../packages/server/src/events/announce.ts';
import { createIdGenerator, type IdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type TaggedPool, tagged } from '../../test/harness/tagged.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import type { Behavior, ReceiversSettings, Taken } from './receivers-process.ts';
import type { WorkerQuestion, WorkerSettings } from './worker-process.ts';

/** The bounds. */
const MOST_DELAY_MS = 2_000;
const MOST_GROWTH_MB = 100;

const BEHAVIORS: readonly Behavior[] = [
  'silent',
  'closed',
  ...Array.from({ length: 6 }, (): Behavior => 'flaky'),
  ...Array.from({ length: 12 }, (): Behavior => 'healthy'),
];
const FAILING_SHARE = 0.3;
const EVENTS_PER_SECOND = 500;
const TICK_MS = 50;
/** Longer than each delay between two attempts, in order. */
const MINUTE_MS = 60_000;
const WAITS_MS = [6 / 60, 6, 36, 144, 360, 720, 1_008, 1_440, 1_728].map((minutes) => minutes * MINUTE_MS);
/** A fresh process grows by what it loads and compiles, so memory is compared with that after the first seconds. */
const WARM_UP_MS = 5_000;
const LONGEST_WAIT_MS = 120_000;

interface Stage {
  readonly database: BenchDatabase;
  readonly sql: TaggedPool;
  readonly ids: IdGenerator;
  readonly worker: Child<{ readonly baseUrl: string }>;
  readonly receivers: Child<{ readonly ports: readonly number[] }>;
  /** One per endpoint, in the order of BEHAVIORS. */
  readonly accountIds: readonly string[];
  readonly dataDir: string;
}

/**
 * `pnpm bench webhooks-fleet [--count N]`: events at a steady rate to twenty endpoints of twenty accounts, of which two are dead and six
 * fail 30 % of the time. Measures the delay of healthy endpoints and memory, and checks that every event reaches every endpoint that is not
 * dead. A clock that is moved ahead triggers the retries.
 */
export async function benchFleet({ count }: { readonly count: number }): Promise<boolean> {
  const stage = await setStage();
  try {
    console.log(describeMachine(stage.database.settings));
    const perEndpoint = Math.ceil(count / BEHAVIORS.length);
    const total = perEndpoint * BEHAVIORS.length;
    console.log(`${round(total)} events, ${round(EVENTS_PER_SECOND)} a second, ${BEHAVIORS.length} endpoints`);
    const memory = watchMemory(stage);
    const delays = await emit(stage, total, perEndpoint);
    await bringAbout(stage, perEndpoint);
    const growthMb = await memory.stop();
    return report(stage, { taken: await ask(stage), delays, perEndpoint, growthMb });
  } finally {
    await stage.worker.stop();
    await stage.receivers.stop();
    await stage.sql.end({ timeout: 1 });
    await stage.database.close();
    await rm(stage.dataDir, { recursive: true, force: true });
  }
}

async function setStage(): Promise<Stage> {
  const database = await openBenchDatabase();
  const sql = tagged(openDatabase({ target: database.target, maxConnections: 4, applicationName: 'bench-fleet' }));
  const ids = createIdGenerator();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const settings: WorkerSettings = { target: database.target, port: await findFreePort(), dataDir };
  const worker = await startChild<{ baseUrl: string }>(new URL('./worker-process.ts', import.meta.url), settings);
  const receiving: ReceiversSettings = { behaviors: BEHAVIORS, failingShare: FAILING_SHARE };
  const receivers = await startChild<{ ports: number[] }>(
    new URL('./receivers-process.ts', import.meta.url),
    receiving,
  );
  const accountIds: string[] = [];
  for (const port of receivers.ready.ports) {
    const tools = { sql, clock: systemClock, ids };
    const { accountId, key } = await createAccount(tools, { name: 'Fleet', ownerEmail: 'owner@sandbox.test' });
    accountIds.push(accountId);
    const { status } = await fetch(`${worker.ready.baseUrl}/webhooks`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: `http://127.0.0.1:${port}/webhooks/postrider` }),
    });
    if (status !== 201) throw new Error(`an endpoint returned ${status}`);
  }
  return { database, sql, ids, worker, receivers, accountIds, dataDir };
}

/** Publishes the events at the rate. Returns the delays per endpoint, once the healthy ones have received all events. */
async function emit(
  { sql, ids, accountIds, ...stage }: Stage,
  total: number,
  perEndpoint: number,
): Promise<number[][]> {
  const beganMs = Date.now();
  for (let sent = 0; sent < total; ) {
    const due = Math.min(total, Math.floor(((Date.now() - beganMs) / 1_000) * EVENTS_PER_SECOND));
    const places = Array.from({ length: due - sent }, (_, n) => (sent + n) % accountIds.length);
    const now = new Date();
    const data = { limit: 100_000, used: 80_000, threshold: 80 } as const;
    const events = places.map((n) => ({ accountId: accountIds[n] ?? '', type: 'quota.threshold' as const, data }));
    if (events.length > 0) await announce(sql, ids, events, now);
    sent = due;
    await pause(TICK_MS);
  }
  const delays: number[][] = BEHAVIORS.map(() => []);
  await until(async () => {
    const taken = await ask(stage);
    taken.forEach(({ delaysMs }, n) => void delays[n]?.push(...delaysMs));
    return taken.every(({ events }, n) => BEHAVIORS[n] !== 'healthy' || events >= perEndpoint);
  });
  return delays;
}

/** Moves the clock past each retry delay in turn, and waits until the endpoints that are not dead have been tried. */
async function bringAbout(stage: Stage, perEndpoint: number): Promise<void> {
  const living = stage.accountIds.filter((_, n) => BEHAVIORS[n] === 'flaky' || BEHAVIORS[n] === 'healthy');
  let aheadMs = 0;
  for (const waitMs of WAITS_MS) {
    const taken = await ask(stage);
    const missing = taken.map(({ events }, n) => (BEHAVIORS[n] === 'flaky' ? perEndpoint - events : 0));
    console.log(
      `  ${round(aheadMs / MINUTE_MS)} min on, ${round(missing.reduce((sum, n) => sum + n, 0))} events are still to come`,
    );
    if (missing.every((n) => n === 0)) return;
    aheadMs += waitMs;
    await stage.worker.ask<Usage>({ advanceMs: waitMs } satisfies WorkerQuestion);
    await until(async () => {
      const now = new Date(Date.now() + aheadMs);
      const [row] = await stage.sql<{ count: number }[]>`
        SELECT count(*)::int AS count FROM webhook_deliveries WHERE account_id = ANY (${living}::uuid[]) AND next_at <= ${now}`;
      return row?.count === 0;
    });
  }
}

function watchMemory({ worker }: Stage) {
  const beganMs = Date.now();
  let warm = 0;
  let highest = 0;
  const look = async () => {
    const { rssMb } = await worker.ask<Usage>({ advanceMs: 0 } satisfies WorkerQuestion);
    if (Date.now() - beganMs <= WARM_UP_MS) warm = Math.max(warm, rssMb);
    highest = Math.max(highest, rssMb);
  };
  let looking = look();
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, 1_000);
  return {
    async stop(): Promise<number> {
      clearInterval(timer);
      await looking;
      return highest - warm;
    },
  };
}

interface Outcome {
  readonly taken: readonly Taken[];
  readonly delays: readonly (readonly number[])[];
  readonly perEndpoint: number;
  readonly growthMb: number;
}

function report({ accountIds }: Stage, { taken, delays, perEndpoint, growthMb }: Outcome): boolean {
  for (const behavior of new Set(BEHAVIORS)) {
    const of = accountIds.flatMap((_, n) => (BEHAVIORS[n] === behavior ? [n] : []));
    const sum = (value: (taken: Taken) => number) => of.reduce((all, n) => all + (taken[n] ? value(taken[n]) : 0), 0);
    const first = of.flatMap((n) => delays[n] ?? []);
    console.log(
      `${behavior.padEnd(8)} ${of.length} endpoints: ${round(sum(({ events }) => events))} of ${round(of.length * perEndpoint)} events in ${round(sum(({ requests }) => requests))} requests; before the clock was moved p50 ${round(median(first))} ms, p95 ${round(quantile(first, 0.95))} ms`,
    );
  }
  const living = BEHAVIORS.flatMap((behavior, n) => (behavior === 'healthy' || behavior === 'flaky' ? [n] : []));
  const reached = living.reduce((all, n) => all + (taken[n]?.events ?? 0), 0) / (living.length * perEndpoint);
  const healthy = BEHAVIORS.flatMap((behavior, n) => (behavior === 'healthy' ? (delays[n] ?? []) : []));
  const p95 = quantile(healthy, 0.95);
  console.log(judge('share of the events that reached the endpoints that live', reached, 1, 'at least'));
  console.log(judge('p95 of healthy endpoints from event to receipt, ms', p95, MOST_DELAY_MS, 'at most'));
  console.log(judge('growth of the server’s memory, MB', growthMb, MOST_GROWTH_MB, 'at most'));
  return reached === 1 && p95 <= MOST_DELAY_MS && growthMb <= MOST_GROWTH_MB;
}

function ask({ receivers }: Pick<Stage, 'receivers'>): Promise<readonly Taken[]> {
  return receivers.ask<readonly Taken[]>({});
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  const endMs = Date.now() + LONGEST_WAIT_MS;
  while (!(await isSo())) {
    if (Date.now() > endMs) return;
    await pause(200);
  }
}

async function findFreePort(): Promise<number> {
  return await new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
}
