import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { SinkCount } from '../deliver/sink-process.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { describeMachine, judge, quantile, round } from '../parts/report.ts';
import { type StartedServer, serverEnvironment, startServer } from '../parts/started-server.ts';

const PROCESSES = [1, 2, 4, 8];
const CONNECTIONS = 64;
const LEAST_GAIN = 1.1;
/** With fewer cores, one process, PostgreSQL and the load generator already use all of them when messages are accepted. */
const CORES_TO_ACCEPT = 4;
const PORT = 18_127;
/** Enough for eight processes of any role. */
const MAX_CONNECTIONS = '300';
/** The messages of one account are counted in one row, for which the processes wait. Several accounts avoid that. */
const ACCOUNTS = 16;
/** Messages for each process, because each process compiles the code that it runs often. */
const WARM_UP = 1_500;
/** More than all messages of the benchmark with one key. */
const KEY_RATE = 1_000_000;

interface Measured {
  readonly perSecond: number;
  /** CPU time per message: of all processes of the server, and of Postgres. */
  readonly serverUs: number;
  readonly postgresUs: number;
  readonly p99: number | null;
  readonly rssMb: number;
  readonly supervisorMb: number;
}

interface Bench {
  readonly database: BenchDatabase;
  readonly environment: Readonly<Record<string, string>>;
  readonly load: Child<unknown>;
  readonly sink: Child<{ readonly port: number }>;
  readonly keys: readonly string[];
  readonly count: number;
}

/** `pnpm bench processes [--count N]`: the same work with 1, 2, 4 and 8 processes of one server, as `start` runs them. */
export async function benchProcesses({ count }: { readonly count: number }): Promise<boolean> {
  const database = await openBenchDatabase({ max_connections: MAX_CONNECTIONS });
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const load = await startChild<unknown>(new URL('../parts/http-load.ts', import.meta.url), {});
  const sink = await startChild<{ readonly port: number }>(new URL('../deliver/sink-process.ts', import.meta.url), {});
  try {
    console.log(describeMachine(database.settings));
    const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
    const keys: string[] = [];
    while (keys.length < ACCOUNTS) {
      const { key } = await createAccount(tools, { name: 'Bench', ownerEmail: `bench${keys.length}@sandbox.test` });
      keys.push(key);
    }
    await database.sql`UPDATE api_keys SET rate_limit = ${KEY_RATE}`;
    const transport = `smtp://127.0.0.1:${sink.ready.port}?tls=none`;
    const environment = { ...serverEnvironment(database, dataDir, PORT), POSTRIDER_TRANSPORT: transport };
    const bench = { database, environment, load, sink, keys, count };
    const accepted = new Map<number, Measured>();
    const acceptedOfMany = new Map<number, Measured>();
    const delivered = new Map<number, Measured>();
    for (const processes of PROCESSES) {
      const server = await startServer(processes, { ...environment, POSTRIDER_ROLES: 'api' });
      await send(bench, WARM_UP * processes, 100 + processes, keys);
      accepted.set(processes, await accept(bench, server, 200 + processes, keys.slice(0, 1)));
      acceptedOfMany.set(processes, await accept(bench, server, 300 + processes, keys));
      await server.stop();
      delivered.set(processes, await deliver(bench, processes));
    }
    print(`accept: single sends of one account, ${CONNECTIONS} connections, ${count} messages`, accepted);
    print(`accept: the same for ${ACCOUNTS} accounts`, acceptedOfMany);
    print(`deliver: 3 KB through a relay, ${count} messages`, delivered);
    return judgeAll(acceptedOfMany, delivered);
  } finally {
    await Promise.all([load.stop(), sink.stop()]);
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function send({ load }: Bench, count: number, seed: number, keys: readonly string[]): Promise<LoadResult> {
  const request: LoadRequest = { port: PORT, path: '/emails', key: '', keys, connections: CONNECTIONS, count, seed };
  const result = await load.ask<LoadResult>(request);
  if (result.refused > 0) throw new Error(`${result.refused} of ${count} sends were not accepted`);
  return result;
}

/** Accepts messages that no process delivers yet. */
async function accept(bench: Bench, server: StartedServer, seed: number, keys: readonly string[]): Promise<Measured> {
  const { latenciesMs, ...measured } = await measure(
    bench,
    server,
    async () => await send(bench, bench.count, seed, keys),
  );
  return { ...measured, p99: quantile([...latenciesMs], 0.99) };
}

/** Delivers the messages that were accepted before. They are all released at once while all processes are idle. */
async function deliver(bench: Bench, processes: number): Promise<Measured> {
  const { sql } = bench.database;
  await sql`UPDATE deliveries SET next_at = now() + interval '1 day'`;
  const server = await startServer(processes, { ...bench.environment, POSTRIDER_ROLES: 'worker' });
  const received = async () => (await bench.sink.ask<SinkCount>({ ask: 'count' })).messages;
  const release = async (count: number) => {
    await bench.sink.ask({ ask: 'forget' });
    await sql`UPDATE deliveries SET next_at = now() WHERE id IN (SELECT id FROM deliveries ORDER BY id LIMIT ${count})`;
    const beganMs = performance.now();
    while ((await received()) < count) await pause(10);
    const isWaiting = async () =>
      (await sql`SELECT 1 FROM deliveries WHERE next_at < now() + interval '1 hour' LIMIT 1`).length > 0;
    while (await isWaiting()) await pause(10);
    return { seconds: (performance.now() - beganMs) / 1_000 };
  };
  await release(Math.min(WARM_UP * processes, bench.count * 2));
  const measured = await measure(bench, server, async () => await release(bench.count));
  await server.stop();
  return { ...measured, p99: null };
}

async function measure<Result extends { readonly seconds: number }>(
  { database, count }: Bench,
  server: StartedServer,
  work: () => Promise<Result>,
) {
  const postgresCpuMs = await createPostgresCpu(database.sql);
  const [before, postgresBefore] = [server.usage(), postgresCpuMs()];
  const result = await work();
  const [after, postgresAfter] = [server.usage(), postgresCpuMs()];
  return {
    ...result,
    perSecond: count / result.seconds,
    serverUs: ((after.cpuMs - before.cpuMs) / count) * 1_000,
    postgresUs: ((postgresAfter - postgresBefore) / count) * 1_000,
    rssMb: Math.max(...after.rssMb),
    supervisorMb: after.supervisorMb,
  };
}

function print(title: string, results: ReadonlyMap<number, Measured>): void {
  const base = results.get(1)?.perSecond ?? 1;
  const cells = [...results].map(([processes, one]) => [
    String(processes),
    round(one.perSecond),
    round(one.perSecond / base, 2),
    round(one.serverUs),
    round(one.postgresUs),
    one.p99 === null ? '-' : round(one.p99, 1),
    round(one.rssMb),
    one.supervisorMb === 0 ? '-' : round(one.supervisorMb),
  ]);
  const head = ['processes', 'messages/s', 'ratio', 'Node µs', 'Postgres µs', 'p99 ms', 'MB each', 'supervisor MB'];
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)));
  console.log(`\n${title}, CPU time per message`);
  for (const row of [head, ...cells])
    console.log(row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  '));
}

/** One process per core must deliver faster than a single one, and also accept faster if the load and PostgreSQL leave cores free. */
function judgeAll(accepted: ReadonlyMap<number, Measured>, delivered: ReadonlyMap<number, Measured>): boolean {
  const cores = availableParallelism();
  const most = PROCESSES.findLast((processes) => processes <= cores) ?? 1;
  const isGain = (name: string, results: ReadonlyMap<number, Measured>) => {
    const ratio = (results.get(most)?.perSecond ?? 0) / (results.get(1)?.perSecond ?? 1);
    console.log(judge(`${name}, ${most} processes to one`, ratio, LEAST_GAIN, 'at least'));
    return ratio >= LEAST_GAIN;
  };
  const isDelivered = cores < 2 || isGain('deliver', delivered);
  return (cores < CORES_TO_ACCEPT || isGain('accept', accepted)) && isDelivered;
}
