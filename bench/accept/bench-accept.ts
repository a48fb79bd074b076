import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { compareRates, describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { createBareTable } from './bare-table.ts';
import { benchBatches } from './bench-batches.ts';

const CONNECTIONS = 64;
const LEAST_RATIO = 1.3;
const MOST_NODE_US = 150;
const MOST_POSTGRES_US = 110;
const MAX_RSS_MB = 300;
const PORT = { postrider: 18_125, bare: 18_126, grouping: 18_128 } as const;
/** Pool sizes at which the bare handler was fastest; the better result is the upper bound. */
const BARE_POOLS = [8, 16];

interface Round {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly cpuMsPerThousand: number;
  readonly postgresCpuMsPerThousand: number;
  readonly rssMb: number;
}

/**
 * `pnpm bench accept [--count N] [--rounds N]`: single sends and batches, compared with inserts into the same Postgres without any rules.
 */
export async function benchAccept(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    await createBareTable(database.sql);
    const singles = await benchSingles(database, dataDir, options);
    const batches = await benchBatches(database, options.rounds);
    return singles && batches;
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function benchSingles(
  database: BenchDatabase,
  dataDir: string,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<boolean> {
  const account = await createAccount(
    { sql: database.sql, clock: systemClock, ids: createIdGenerator() },
    { name: 'Bench', ownerEmail: 'bench@sandbox.test' },
  );
  const load = await startChild(new URL('../parts/http-load.ts', import.meta.url), {});
  const server = await startChild<unknown>(new URL('./postrider-process.ts', import.meta.url), {
    target: database.target,
    port: PORT.postrider,
    dataDir,
    roles: 'api',
    transport: 'capture',
  });
  const pools = await Promise.all(
    BARE_POOLS.map((connections, index) =>
      startChild<unknown>(new URL('./bare-process.ts', import.meta.url), {
        target: database.target,
        port: PORT.bare + index,
        connections,
      }),
    ),
  );
  const grouping = await startChild<unknown>(new URL('./grouping-process.ts', import.meta.url), {
    target: database.target,
    port: PORT.grouping,
    connections: 2,
  });
  console.log(
    `\nsingle sends: ${CONNECTIONS} connections, ${count} messages a round, ${rounds} alternating rounds, every message its own`,
  );
  let seed = 0;
  const measure = async (target: Child<unknown>, port: number, n: number): Promise<Round> => {
    seed += 1;
    const request: LoadRequest = { port, path: '/emails', key: account.key, connections: CONNECTIONS, count: n, seed };
    return await measureRound(database, target, () => load.ask<LoadResult>(request), n);
  };
  // A round of each that is not counted: compilers need tens of thousands of requests to finish.
  await measure(server, PORT.postrider, count);
  await measure(grouping, PORT.grouping, count);
  const bareRates = [];
  for (const [index, pool] of pools.entries())
    bareRates.push((await measure(pool, PORT.bare + index, count)).perSecond);
  const best = bareRates.indexOf(Math.max(...bareRates));
  const bare = pools[best];
  if (bare === undefined) throw new Error('no bare handler was measured');
  const ours: Round[] = [];
  const theirs: Round[] = [];
  const limit: Round[] = [];
  for (let n = 0; n < rounds; n += 1) {
    ours.push(await measure(server, PORT.postrider, count));
    theirs.push(await measure(bare, PORT.bare + best, count));
    limit.push(await measure(grouping, PORT.grouping, count));
  }
  for (const child of [load, server, ...pools, grouping]) await child.stop();
  printRounds('postrider, every rule', ours);
  printRounds(`bare handler, one INSERT, pool of ${BARE_POOLS[best]}`, theirs);
  printRounds('one INSERT for all that wait, no framework, no rules', limit);
  const rateOf = (rounds: readonly Round[]) => median(rounds.map(({ perSecond }) => perSecond));
  compareRates('accept single sends', {
    Postrider: rateOf(ours),
    'bare handler, one INSERT': rateOf(theirs),
    'one INSERT for all that wait, no framework, no rules': rateOf(limit),
  });
  const ratio = median(ours.map(({ perSecond }, n) => perSecond / (theirs[n]?.perSecond ?? 1)));
  const tail = median(ours.map(({ p99 }, n) => p99 / (theirs[n]?.p99 ?? 1)));
  const memory = Math.max(...ours.map(({ rssMb }) => rssMb));
  console.log(judge('throughput, ratio to the bare handler', ratio, LEAST_RATIO, 'at least'));
  console.log(judge('p99, ratio to the bare handler', tail, 1, 'at most'));
  const nodeUs = median(ours.map(({ cpuMsPerThousand }) => cpuMsPerThousand));
  const postgresUs = median(ours.map(({ postgresCpuMsPerThousand }) => postgresCpuMsPerThousand));
  console.log(judge('CPU of the server per message in µs', nodeUs, MOST_NODE_US, 'at most'));
  console.log(judge('CPU of Postgres per message in µs', postgresUs, MOST_POSTGRES_US, 'at most'));
  console.log(judge('memory of the server in MB', memory, MAX_RSS_MB, 'at most'));
  const isCheap = nodeUs <= MOST_NODE_US && postgresUs <= MOST_POSTGRES_US;
  return ratio >= LEAST_RATIO && tail <= 1 && isCheap && memory <= MAX_RSS_MB;
}

async function measureRound(
  database: BenchDatabase,
  target: Child<unknown>,
  load: () => Promise<LoadResult>,
  count: number,
): Promise<Round> {
  const before = await target.ask<Usage>({});
  const postgresCpuMs = await createPostgresCpu(database.sql);
  const postgresBefore = postgresCpuMs();
  const { seconds, latenciesMs, refused } = await load();
  const postgresAfter = postgresCpuMs();
  const after = await target.ask<Usage>({});
  if (refused > 0) throw new Error(`${refused} of ${count} sends were not accepted`);
  return {
    perSecond: count / seconds,
    p50: quantile([...latenciesMs], 0.5),
    p99: quantile([...latenciesMs], 0.99),
    cpuMsPerThousand: ((after.cpuMs - before.cpuMs) / count) * 1_000,
    postgresCpuMsPerThousand: ((postgresAfter - postgresBefore) / count) * 1_000,
    rssMb: after.rssMb,
  };
}

function printRounds(name: string, rounds: readonly Round[]): void {
  const of = (pick: (round: Round) => number, digits = 0) => round(median(rounds.map(pick)), digits);
  console.log(
    `${name}: ${of((r) => r.perSecond)} messages/s, p50 ${of((r) => r.p50, 1)} ms, p99 ${of((r) => r.p99, 1)} ms, ${of((r) => r.cpuMsPerThousand)} ms CPU of the server and ${of((r) => r.postgresCpuMsPerThousand)} ms of Postgres a thousand, ${of((r) => r.rssMb)} MB (medians)`,
  );
}
