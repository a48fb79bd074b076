import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import type { DatabaseTarget } from '../../packages/server/src/db/client.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { TaggedPool } from '../../test/harness/tagged.ts';
import type { SenderRound } from '../deliver/sender-round.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import { isReached, type Judgement } from '../parts/findings.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { startLeanSink } from '../parts/smtp-sink.ts';
import { openKeptDatabase } from '../reads/kept-database.ts';
import { makeGrownLog } from './grown-log.ts';

const PORTS = { empty: 18_180, grown: 18_181 };
const CONNECTIONS = 64;
const MESSAGES_A_ROUND = 3_000;
const MOST = 1.2;

export interface BenchGrowthOptions {
  /** The number of stored messages. */
  readonly count: number;
  readonly rounds: number;
  /** Where the database with these messages is kept. */
  readonly dataDir: string;
}

interface Side {
  readonly key: string;
  readonly port: number;
  readonly server: Child<unknown>;
  readonly engine: Child<unknown>;
  readonly postgresMs: () => number;
}

/** One round on one database. Times are per message. */
interface Round {
  readonly acceptUs: number;
  readonly acceptPostgresUs: number;
  readonly p99: number;
  readonly deliverUs: number;
  readonly deliverPostgresUs: number;
}

/** `pnpm bench growth [--count N]`: accepting and delivering with N stored messages and with an empty database, in alternation. */
export async function benchGrowth({ count, rounds, dataDir }: BenchGrowthOptions): Promise<boolean> {
  const grown = await openKeptDatabase({ databaseUrl: null, dataDir });
  const empty = await openBenchDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const sinkPort = await startLeanSink(() => undefined);
  const load = await startChild<unknown>(new URL('../parts/http-load.ts', import.meta.url), {});
  const sides: Side[] = [];
  try {
    const stored = await makeGrownLog(grown.sql, count);
    console.log(describeMachine(empty.settings));
    console.log(
      `\n${round(MESSAGES_A_ROUND)} messages a round, ${rounds} alternating rounds, with ${round(stored)} stored messages`,
    );
    const [one, other] = [
      await openSide(empty, join(folder, 'empty'), PORTS.empty, sinkPort),
      await openSide(grown, join(folder, 'grown'), PORTS.grown, sinkPort),
    ];
    sides.push(one, other);
    return await compare(load, { empty: one, grown: other }, rounds);
  } finally {
    for (const child of [load, ...sides.flatMap(({ server, engine }) => [server, engine])]) await child.stop();
    await Promise.all([empty.close(), grown.close()]);
    await rm(folder, { recursive: true, force: true });
  }
}

async function openSide(
  { sql, target }: { readonly sql: TaggedPool; readonly target: DatabaseTarget },
  dataDir: string,
  port: number,
  sinkPort: number,
): Promise<Side> {
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Growth', ownerEmail: `growth-${Date.now()}@sandbox.test` });
  const start = (script: string, settings: object) =>
    startChild<unknown>(new URL(script, import.meta.url), { target, ...settings });
  const server = await start('../accept/postrider-process.ts', {
    ...{ port, dataDir: join(dataDir, 'api'), roles: 'api', transport: 'capture' },
  });
  const engine = await start('../deliver/engine-process.ts', { dataDir: join(dataDir, 'worker'), sinkPort });
  return { key, port, server, engine, postgresMs: await createPostgresCpu(sql) };
}

async function compare(
  load: Child<unknown>,
  { empty, grown }: { readonly empty: Side; readonly grown: Side },
  rounds: number,
): Promise<boolean> {
  const measured: { readonly empty: Round; readonly grown: Round }[] = [];
  for (let n = -1; n < rounds; n += 1) {
    const pair = { empty: await measure(load, empty, 2 * n + 2), grown: await measure(load, grown, 2 * n + 3) };
    // The first round warms up.
    if (n >= 0) measured.push(pair);
  }
  const judgements = Object.entries(FIGURES).map(([what, of]): Judgement => {
    const [before, after] = [
      median(measured.map((one) => of(one.empty))),
      median(measured.map((one) => of(one.grown))),
    ];
    console.log(`${what}: ${round(before, 1)} in the empty database, ${round(after, 1)} in the grown one`);
    const value = median(measured.map((one) => of(one.grown) / of(one.empty)));
    return { kind: 'bound', what: `${what}, ratio to the empty database`, value, bound: MOST, goal: 'at most' };
  });
  for (const { what, value, bound, goal } of judgements) console.log(judge(what, value, bound, goal));
  return judgements.every(isReached);
}

const FIGURES: Readonly<Record<string, (round: Round) => number>> = {
  'µs to accept a message': ({ acceptUs }) => acceptUs,
  'CPU of Postgres to accept a message in µs': ({ acceptPostgresUs }) => acceptPostgresUs,
  'p99 of a send in ms': ({ p99 }) => p99,
  'µs to deliver a message': ({ deliverUs }) => deliverUs,
  'CPU of Postgres to deliver a message in µs': ({ deliverPostgresUs }) => deliverPostgresUs,
};

async function measure(load: Child<unknown>, side: Side, seed: number): Promise<Round> {
  const { key, port, engine, postgresMs } = side;
  const request: LoadRequest = {
    ...{ port, path: '/emails', key, connections: CONNECTIONS, count: MESSAGES_A_ROUND, seed },
  };
  const before = postgresMs();
  const { seconds, latenciesMs, refused } = await load.ask<LoadResult>(request);
  if (refused > 0) throw new Error(`${refused} sends were not accepted`);
  const between = postgresMs();
  const delivery = await engine.ask<SenderRound>({ ask: 'drain' });
  const perMessageUs = (ms: number) => (ms / MESSAGES_A_ROUND) * 1_000;
  return {
    acceptUs: perMessageUs(seconds * 1_000),
    acceptPostgresUs: perMessageUs(between - before),
    p99: quantile([...latenciesMs], 0.99),
    deliverUs: perMessageUs(delivery.seconds * 1_000),
    deliverPostgresUs: perMessageUs(postgresMs() - between),
  };
}
