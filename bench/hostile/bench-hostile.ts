import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HealthProbe, startHealthProbe } from '../../test/harness/health-probe.ts';
import type { HostileProcessReady } from '../../test/harness/hostile-process.ts';
import type { HostileRequest, HostileTarget } from '../../test/harness/hostile-request.ts';
import { hostileRequests } from '../../test/harness/hostile-requests.ts';
import { openHostileTarget } from '../../test/harness/hostile-target.ts';
import { residentMegabytes } from '../../test/harness/resident-memory.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import { describeMachine, judge, quantile, round } from '../parts/report.ts';
import { sampleEmail } from '../parts/sample-email.ts';

const HOSTILE_PROCESS = new URL('../../test/harness/hostile-process.ts', import.meta.url);
const PORT = 18_937;
/** The delays that other callers may notice. */
const MAX_P99_MS = 250;
const MAX_GROWTH_MB = 200;
const WARM_UPS = 100;
/** Requests that end quickly are repeated for at least this long, so that the probe can see an effect. */
const LEAST_MS = 500;

interface Measured {
  readonly request: HostileRequest;
  readonly outcome: string;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
  /** The longest time the server's event loop was blocked, in processor time. */
  readonly blockedMs: number;
  readonly growthMb: number;
}

/** `pnpm bench hostile [--count N]`: what other callers notice of N hostile requests (default: all), one after another. */
export async function benchHostile({
  count,
  only,
}: {
  readonly count: number;
  readonly only: string | null;
}): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-hostile-'));
  const settings = { target: database.target, dataDir, port: PORT };
  const server = await startChild<HostileProcessReady>(HOSTILE_PROCESS, settings);
  const probe = await startHealthProbe(PORT);
  try {
    console.log(describeMachine(database.settings));
    const requests = hostileRequests()
      .filter(({ kind, name }) => only === null || `${kind}: ${name}`.includes(only))
      .slice(0, count);
    console.log(`\n${requests.length} hostile requests, one after the other; /health probed every 20 ms\n`);
    const target = await openTarget(database, server.ready);
    return await runAll(requests, target, server, probe);
  } finally {
    probe.stop();
    await server.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function openTarget(database: BenchDatabase, ready: HostileProcessReady): Promise<HostileTarget> {
  const target = await openHostileTarget(database.sql, PORT, ready);
  for (let index = 0; index < WARM_UPS; index += 1) await call(target.key, '/emails', sampleEmail(1, index));
  return target;
}

async function call(key: string, path: string, body: unknown) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await fetch(`http://127.0.0.1:${PORT}${path}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

async function runAll(
  requests: readonly HostileRequest[],
  target: HostileTarget,
  server: Child<HostileProcessReady>,
  probe: HealthProbe,
): Promise<boolean> {
  const baseMb = residentMegabytes(server.ready.pid) ?? 0;
  console.log(`memory before: ${round(baseMb)} MB\n`);
  const all: Measured[] = [];
  for (const request of requests) {
    const measured = await measure(request, target, server, baseMb, probe);
    all.push(measured);
    console.log(describe(measured));
  }
  return report(all);
}

async function measure(
  request: HostileRequest,
  target: HostileTarget,
  server: Child<HostileProcessReady>,
  baseMb: number,
  probe: HealthProbe,
): Promise<Measured> {
  const send = await request.prepare(target);
  let mostMb = 0;
  const look = setInterval(() => {
    mostMb = Math.max(mostMb, residentMegabytes(server.ready.pid) ?? 0);
  }, 20);
  await server.ask<number>('blocked');
  probe.begin();
  const beganMs = performance.now();
  const [outcome] = await Promise.all([send(), new Promise((resolve) => setTimeout(resolve, LEAST_MS))]);
  const latenciesMs = await probe.end();
  clearInterval(look);
  const blockedMs = await server.ask<number>('blocked');
  return {
    request,
    outcome,
    seconds: (performance.now() - beganMs) / 1_000,
    latenciesMs,
    blockedMs,
    growthMb: mostMb - baseMb,
  };
}

function describe({ request, outcome, seconds, latenciesMs, blockedMs, growthMb }: Measured): string {
  const p99 = quantile(latenciesMs, 0.99);
  const mark = p99 > MAX_P99_MS || growthMb > MAX_GROWTH_MB ? 'MISSED ' : '       ';
  const figures = `p50 ${round(quantile(latenciesMs, 0.5), 1)}, p99 ${round(p99)}, max ${round(Math.max(...latenciesMs))} ms`;
  return `${mark} ${`${request.kind}: ${request.name}`.padEnd(60)} ${outcome.padEnd(12)} ${round(seconds, 1)} s, ${figures}, blocked ${round(blockedMs)} ms, +${round(growthMb)} MB`;
}

function report(all: readonly Measured[]): boolean {
  const latenciesMs = all.flatMap((measured) => measured.latenciesMs);
  const worstMs = all.reduce((worst, measured) => Math.max(worst, quantile(measured.latenciesMs, 0.99)), 0);
  const growthMb = all.reduce((most, measured) => Math.max(most, measured.growthMb), 0);
  const shares = [0.5, 0.99, 0.999].map((share) => `p${share * 100} ${round(quantile(latenciesMs, share), 1)}`);
  console.log(
    `\nof all ${round(latenciesMs.length)} probes: ${shares.join(', ')}, max ${round(latenciesMs.reduce((a, b) => Math.max(a, b), 0))} ms`,
  );
  console.log(
    `longest blocking of the event loop: ${round(all.reduce((most, { blockedMs }) => Math.max(most, blockedMs), 0))} ms of processor time`,
  );
  console.log(judge('p99 of /health during each request, in ms', worstMs, MAX_P99_MS, 'at most'));
  console.log(judge('growth of the memory, in MB', growthMb, MAX_GROWTH_MB, 'at most'));
  return worstMs <= MAX_P99_MS && growthMb <= MAX_GROWTH_MB;
}
