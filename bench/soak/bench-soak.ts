import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';
import { startLeanSink } from '../parts/smtp-sink.ts';

const CONNECTIONS = 64;
const MESSAGES_A_ROUND = 2_000;
const API_PORT = 18_125;
const WORKER_PORT = 18_126;
const MAX_RSS_MB = 300;
/** How much more memory the last third of the run may need than the first, after the warm-up. */
const MAX_GROWTH = 1.1;
const WARM_UP_MS = 60_000;

/**
 * `pnpm bench soak [--minutes N]`: one process accepts as fast as it can while another delivers through a relay. The memory of both must
 * stay below its bound, and flat.
 */
export async function benchSoak({ minutes }: { readonly minutes: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `\nsoak: ${minutes} minutes of single sends over ${CONNECTIONS} connections, accepted by one process and delivered by another`,
    );
    return await soak(database, dataDir, minutes * 60_000);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function soak(database: BenchDatabase, dataDir: string, durationMs: number): Promise<boolean> {
  let delivered = 0;
  const sinkPort = await startLeanSink(() => {
    delivered += 1;
  });
  const transport = `smtp://127.0.0.1:${sinkPort}?tls=none`;
  const script = new URL('../accept/postrider-process.ts', import.meta.url);
  const start = (roles: string, port: number) =>
    startChild<unknown>(script, { target: database.target, port, dataDir: join(dataDir, roles), roles, transport });
  const api = await start('api', API_PORT);
  const worker = await start('worker', WORKER_PORT);
  const load = await startChild<unknown>(new URL('../parts/http-load.ts', import.meta.url), {});
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Soak', ownerEmail: 'soak@sandbox.test' });
  const samples: { atMs: number; api: number; worker: number }[] = [];
  const beganMs = performance.now();
  let accepted = 0;
  for (let seed = 1; performance.now() - beganMs < durationMs; seed += 1) {
    const request: LoadRequest = {
      port: API_PORT,
      path: '/emails',
      key,
      connections: CONNECTIONS,
      count: MESSAGES_A_ROUND,
      seed,
    };
    const { refused } = await load.ask<LoadResult>(request);
    accepted += MESSAGES_A_ROUND - refused;
    samples.push({ atMs: performance.now() - beganMs, api: await rssOf(api), worker: await rssOf(worker) });
  }
  for (const child of [load, api, worker]) await child.stop();
  console.log(`accepted ${round(accepted)}, delivered ${round(delivered)} meanwhile`);
  const warm = samples.filter(({ atMs }) => atMs > Math.min(WARM_UP_MS, durationMs / 4));
  const acceptance = judgeMemory(
    'accepting',
    warm.map((sample) => sample.api),
  );
  const delivery = judgeMemory(
    'delivering',
    warm.map((sample) => sample.worker),
  );
  return acceptance && delivery;
}

async function rssOf(child: Child<unknown>): Promise<number> {
  return (await child.ask<Usage>({})).rssMb;
}

function judgeMemory(load: string, rssMb: readonly number[]): boolean {
  const third = Math.max(1, Math.floor(rssMb.length / 3));
  const first = median(rssMb.slice(0, third));
  const last = median(rssMb.slice(-third));
  const max = Math.max(...rssMb);
  console.log(
    `${load}: first third ${round(first)} MB, last third ${round(last)} MB, highest ${round(max)} MB (${rssMb.length} samples)`,
  );
  console.log(judge(`${load}: highest memory in MB`, max, MAX_RSS_MB, 'at most'));
  console.log(judge(`${load}: last third to first third`, last / first, MAX_GROWTH, 'at most'));
  return max <= MAX_RSS_MB && last / first <= MAX_GROWTH;
}
