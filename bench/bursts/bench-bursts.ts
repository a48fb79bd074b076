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
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import type { ClientsRequest, ClientsResult, IdleRequest } from './clients-process.ts';

const PORT = 18_170;
const ACCOUNTS = 8;
const STEADY_CLIENTS = 64;
const FLOOD_CLIENTS = 256;
/** Long enough that p99 is not decided by two or three pauses of PostgreSQL, each of which delays the sends of all clients. */
const SECONDS = 8;
const FLOOD_SECONDS = SECONDS + 2;
const BURST_CLIENTS = 50 * STEADY_CLIENTS;
/** One address may open 1,500 connections. */
const ADDRESSES = 8;
const IDLE_CONNECTIONS = 10_000;
const MAX = { floodRatio: 1.5, responseSeconds: 10, memoryMb: 500, idleRatio: 1.5 };

interface Stage {
  readonly database: BenchDatabase;
  readonly server: Child<unknown>;
  /** Two load generators, because each runs one request at a time. */
  readonly clients: Child<unknown>;
  readonly others: Child<unknown>;
  /** One for each account; the first belongs to the account that floods. */
  readonly keys: readonly string[];
}

/**
 * `pnpm bench bursts [--rounds N]`: the server under overload, from fifty times the usual number of clients, from one account that floods,
 * and from thousands of idle connections. Other accounts must hardly be affected, memory must stay bounded, and no accepted message may be
 * lost.
 */
export async function benchBursts({ rounds }: { readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const start = (script: string, settings: unknown) => startChild<unknown>(new URL(script, import.meta.url), settings);
  const server = await start('../accept/postrider-process.ts', {
    ...{ target: database.target, port: PORT, dataDir, roles: 'api', transport: 'capture' },
  });
  const [clients, others] = [await start('./clients-process.ts', {}), await start('./clients-process.ts', {})];
  try {
    console.log(describeMachine(database.settings));
    const stage: Stage = { database, server, clients, others, keys: await createAccounts(database) };
    await sendFrom(clients, stage.keys, { seconds: 2 });
    const judgements = [
      ...(await measureFlood(stage, rounds)),
      ...(await measureBursts(stage)),
      ...(await idle(stage)),
    ];
    for (const { what, value, bound, goal } of judgements) console.log(judge(what, value, bound, goal));
    return judgements.every(isReached);
  } finally {
    for (const child of [clients, others, server]) await child.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function createAccounts({ sql }: BenchDatabase): Promise<readonly string[]> {
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const create = (_: unknown, n: number) =>
    createAccount(tools, { name: `Account ${n}`, ownerEmail: `owner-${n}@sandbox.test` });
  return (await Promise.all(Array.from({ length: ACCOUNTS + 1 }, create))).map(({ key }) => key);
}

function sendFrom(
  child: Child<unknown>,
  keys: readonly string[],
  given: Partial<ClientsRequest>,
): Promise<ClientsResult> {
  const request: ClientsRequest = {
    ...{ ask: 'send', port: PORT, keys, clients: STEADY_CLIENTS, addresses: ADDRESSES },
    ...{ requests: Number.MAX_SAFE_INTEGER, seconds: 3, batch: 1 },
    ...given,
  };
  return child.ask<ClientsResult>(request);
}

/** Measures the latency of the other accounts with and without the flood, in alternation. */
async function measureFlood({ clients, others, keys }: Stage, rounds: number): Promise<readonly Judgement[]> {
  const [flooding = '', ...steady] = keys;
  const judgements: Judgement[] = [];
  for (const [name, flood] of [
    ['single sends', { clients: FLOOD_CLIENTS, batch: 1 }],
    ['batches of 100', { clients: 32, batch: 100 }],
  ] as const) {
    const quiet: number[] = [];
    const flooded: number[] = [];
    const accepted: number[] = [];
    for (let n = 0; n < rounds; n += 1) {
      quiet.push(p99Of(await sendFrom(clients, steady, { seconds: SECONDS })));
      const storm = sendFrom(others, [flooding], { ...flood, seconds: FLOOD_SECONDS });
      await pause(1_000);
      flooded.push(p99Of(await sendFrom(clients, steady, { seconds: SECONDS })));
      accepted.push((await storm).accepted / FLOOD_SECONDS);
    }
    const ratio = median(flooded.map((p99, n) => p99 / (quiet[n] ?? p99)));
    console.log(
      `a flood of ${name}: p99 of ${ACCOUNTS} other accounts with ${STEADY_CLIENTS} clients ${round(median(quiet), 1)} ms before and ${round(median(flooded), 1)} ms during it; ${round(median(accepted))} messages/s of the flood were accepted, including ${FLOOD_SECONDS - SECONDS} of ${FLOOD_SECONDS} s in which it was alone`,
    );
    const what = `p99 of other accounts beside a flood of ${name}, ratio to before`;
    judgements.push({ kind: 'bound', what, value: ratio, bound: MAX.floodRatio, goal: 'at most' });
  }
  return judgements;
}

function p99Of({ latenciesMs, refused, others }: ClientsResult): number {
  if (refused > 0 || Object.keys(others).length > 0) {
    throw new Error(`sends of other accounts were refused: ${refused}, ${JSON.stringify(others)}`);
  }
  return quantile([...latenciesMs], 0.99);
}

/** Fifty times the clients at once: each send is soon accepted, or refused with 503, and every accepted one is stored. */
async function measureBursts(stage: Stage): Promise<readonly Judgement[]> {
  const [, ...keys] = stage.keys;
  const judgements: Judgement[] = [];
  for (const [name, burst] of [
    ['single sends', { clients: BURST_CLIENTS, requests: 5 }],
    ['batches of 100', { clients: 400, requests: 2, batch: 100 }],
  ] as const) {
    const before = await countMessages(stage);
    const result = await sendFrom(stage.clients, keys, { ...burst, seconds: 60 });
    const lost = result.accepted - ((await countMessages(stage)) - before);
    const { rssMb } = await stage.server.ask<Usage>({});
    const longest = result.latenciesMs.reduce((most, ms) => Math.max(most, ms), 0) / 1_000;
    console.log(
      `a burst of ${name} from ${round(burst.clients)} clients: ${round(result.accepted)} messages accepted, ${round(result.refused)} requests refused with 503, ${JSON.stringify(result.others)} others, p50 ${round(quantile([...result.latenciesMs], 0.5))} ms, longest ${round(longest, 1)} s, ${round(rssMb)} MB`,
    );
    const rows: readonly (readonly [string, number, number])[] = [
      ['accepted messages that are not stored', Math.abs(lost), 0],
      ['requests without 202 or 503 with retry-after', Object.values(result.others).reduce((sum, n) => sum + n, 0), 0],
      ['longest response in s', longest, MAX.responseSeconds],
      ['memory of the server in MB', rssMb, MAX.memoryMb],
    ];
    judgements.push(
      ...rows.map(([what, value, bound]) =>
        atMost(`burst of ${name} from 50 times the clients: ${what}`, value, bound),
      ),
    );
  }
  return judgements;
}

function atMost(what: string, value: number, bound: number): Judgement {
  return { kind: 'bound', what, value, bound, goal: 'at most' };
}

async function countMessages({ database }: Stage): Promise<number> {
  const [row] = await database.sql<{ count: number }[]>`SELECT count(*)::int AS count FROM messages`;
  return row?.count ?? 0;
}

/** Opens more idle connections than the server keeps. */
async function idle({ clients, others, keys, server }: Stage): Promise<readonly Judgement[]> {
  const [, ...steady] = keys;
  const quiet = p99Of(await sendFrom(clients, steady, {}));
  const before = await server.ask<Usage>({});
  const request: IdleRequest = { ask: 'idle', port: PORT, connections: IDLE_CONNECTIONS, addresses: ADDRESSES };
  const open = await others.ask<number>(request);
  await pause(1_500);
  const result = await sendFrom(clients, steady, {});
  const after = await server.ask<Usage>({});
  await others.ask<number>({ ...request, ask: 'release' });
  const unserved = result.refused + Object.values(result.others).reduce((sum, n) => sum + n, 0);
  console.log(
    `${round(IDLE_CONNECTIONS)} idle connections, of which ${round(open)} stayed open: p99 ${round(quiet, 1)} ms before and ${round(quantile([...result.latenciesMs], 0.99), 1)} ms with them, ${JSON.stringify(result.others)}`,
  );
  return [
    atMost('clients that are not served beside 10,000 idle connections', unserved, 0),
    atMost(
      'p99 beside 10,000 idle connections, ratio to before',
      quantile([...result.latenciesMs], 0.99) / quiet,
      MAX.idleRatio,
    ),
    atMost('memory that 10,000 idle connections need in MB', after.rssMb - before.rssMb, 200),
  ];
}
