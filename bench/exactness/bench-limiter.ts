import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';
import type { LimiterQuestion, LimiterResponse, LimiterSettings } from './limiter-process.ts';

const CONNECTIONS = 64;
const PORT = 18_155;
const RATE_LIMIT = 1_000_000;
const MANY_KEYS = 50;
const MOST_SHARE = 0.1;

/** Processor time per thousand requests. */
interface Cost {
  readonly ownMs: number;
  readonly postgresMs: number;
}

interface Round {
  readonly perSecond: number;
  readonly accept: Cost;
  readonly oneKey: Cost;
  readonly manyKeys: Cost;
}

/**
 * `pnpm bench limiter [--count N] [--rounds N]`: what the rate limit adds to an accepted send. Every key has a limit, so sends without one
 * cannot be measured. Instead it measures counting alone at the pace of the sends, minus the cost of keeping that pace without counting.
 */
export async function benchLimiter(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    return report(await measure(database, dataDir, options), options);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function measure(
  database: BenchDatabase,
  dataDir: string,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Promise<readonly Round[]> {
  const { sql, target } = database;
  const ids = createIdGenerator();
  const { accountId, key } = await createAccount(
    { sql, clock: systemClock, ids },
    { name: 'Bench', ownerEmail: 'bench@sandbox.test' },
  );
  const keyIds: string[] = [];
  for (let n = 0; n < MANY_KEYS; n += 1) {
    const named = { accountId, name: 'Bench', mode: 'live', scopes: ['full'], recipientAllowlist: null } as const;
    keyIds.push((await createKey(sql, ids, { ...named, now: new Date() })).id);
  }
  const settings: LimiterSettings = { target, accountId, keyIds, rateLimit: RATE_LIMIT };
  const limiter = await startChild<unknown>(new URL('./limiter-process.ts', import.meta.url), settings);
  const load = await startChild<unknown>(new URL('../parts/http-load.ts', import.meta.url), {});
  const server = await startChild<unknown>(new URL('../accept/postrider-process.ts', import.meta.url), {
    ...{ target, port: PORT, dataDir, roles: 'api', transport: 'capture' },
  });
  const postgresMs = await createPostgresCpu(sql);
  const measured: Round[] = [];
  for (let n = -1; n < rounds; n += 1) {
    const request = { port: PORT, path: '/emails', key, connections: CONNECTIONS, count, seed: n + 10 };
    const { perSecond, accept } = await acceptRound(server, load, request, postgresMs);
    const counted = (keys: number) => countRound(limiter, { requests: count, perSecond, keys }, postgresMs);
    const idle = await counted(0);
    const oneKey = less(await counted(1), idle);
    const manyKeys = less(await counted(MANY_KEYS), idle);
    if (n >= 0) measured.push({ perSecond, accept, oneKey, manyKeys });
  }
  for (const child of [load, server, limiter]) await child.stop();
  return measured;
}

async function acceptRound(
  server: Child<unknown>,
  load: Child<unknown>,
  request: LoadRequest,
  postgresMs: () => number,
): Promise<{ readonly perSecond: number; readonly accept: Cost }> {
  const [own, postgres] = [(await server.ask<Usage>({})).cpuMs, postgresMs()];
  const { seconds, refused } = await load.ask<LoadResult>(request);
  if (refused > 0) throw new Error(`${refused} of ${request.count} sends were not accepted`);
  const thousands = request.count / 1_000;
  return {
    perSecond: request.count / seconds,
    accept: {
      ownMs: ((await server.ask<Usage>({})).cpuMs - own) / thousands,
      postgresMs: (postgresMs() - postgres) / thousands,
    },
  };
}

async function countRound(limiter: Child<unknown>, question: LimiterQuestion, postgresMs: () => number): Promise<Cost> {
  const before = postgresMs();
  const { cpuMs, refused } = await limiter.ask<LimiterResponse>(question);
  if (refused > 0) throw new Error(`${refused} requests were refused by a limit that was not reached`);
  const thousands = question.requests / 1_000;
  return { ownMs: cpuMs / thousands, postgresMs: (postgresMs() - before) / thousands };
}

function less(cost: Cost, idle: Cost): Cost {
  return { ownMs: cost.ownMs - idle.ownMs, postgresMs: cost.postgresMs - idle.postgresMs };
}

function report(rounds: readonly Round[], { count }: { readonly count: number }): boolean {
  const of = (pick: (round: Round) => number) => median(rounds.map(pick));
  const both = ({ ownMs, postgresMs }: Cost) => ownMs + postgresMs;
  const describe = (pick: (round: Round) => Cost) =>
    `${round(
      of((one) => pick(one).ownMs),
      1,
    )} ms CPU of the process and ${round(
      of((one) => pick(one).postgresMs),
      1,
    )} of Postgres a thousand`;
  console.log(
    `\nlimiter: ${round(count)} sends a round over ${CONNECTIONS} connections, ${rounds.length} rounds, and as many requests counted at the pace of ${round(of(({ perSecond }) => perSecond))} a second (medians)`,
  );
  console.log(`an accepted send, counted: ${describe(({ accept }) => accept)}`);
  console.log(`counting the requests of one key: ${describe(({ oneKey }) => oneKey)}`);
  console.log(`counting those of ${MANY_KEYS} keys, one after the other: ${describe(({ manyKeys }) => manyKeys)}`);
  const share = (cost: (round: Round) => number, whole: (round: Round) => number) =>
    of((one) => cost(one) / (whole(one) - cost(one)));
  const added = share(
    ({ oneKey }) => oneKey.ownMs,
    ({ accept }) => accept.ownMs,
  );
  const addedWithPostgres = share(
    ({ oneKey }) => both(oneKey),
    ({ accept }) => both(accept),
  );
  console.log(judge('CPU that the limit adds to a send, as a share', added, MOST_SHARE, 'at most'));
  console.log(
    judge('the same with the CPU of Postgres on both sides, as a share', addedWithPostgres, MOST_SHARE, 'at most'),
  );
  return added <= MOST_SHARE && addedWithPostgres <= MOST_SHARE;
}
