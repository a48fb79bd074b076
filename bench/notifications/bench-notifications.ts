import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createKey } from '../../packages/server/src/keys/create-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, COLLECTING, startChild, type Usage } from '../parts/child.ts';
import { makeHolds, newHeldKey } from '../parts/holds.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { describeMachine, judge, quantile, round } from '../parts/report.ts';
import { addBareHolds, createBareHolds } from '../receipts/bare-holds.ts';
import type { ClientsQuestion, Sent } from './clients-process.ts';
import { approve, type Group, subscribeSessions } from './mcp-sessions.ts';

const PORT = { postrider: 18_175, bare: 18_176 } as const;
/** As many streams as an account may have in one process. */
const SESSIONS_PER_ACCOUNT = 100;
/** The watcher looks every 250 ms, so decisions are made at random times of this interval. */
const SPREAD_MS = 400;
const IDLE_MS = 5_000;

/**
 * In those of the bare notification in the same run. The watcher looks every 250 to 650 ms, and LISTEN reports at once: 48 to 76 at p50, and
 * 16 to 36 at p99. A session keeps its caller and what it watches: up to 5 times the memory of an event stream.
 */
const MOST = { p50: 130, p99: 80, memory: 10 } as const;
/** A decision is notified within a second. */
const MOST_MS = 1_000;

interface Measured {
  readonly latenciesMs: readonly number[];
  /** Of one open stream. */
  readonly memoryKb: number;
  /** CPU time of the server and of Postgres without any decision, as a share of one processor. */
  readonly idleShare: number;
}

/**
 * `pnpm bench notifications [--count N] [--rounds N]`: the time from a decision to its notification in each of the sessions that subscribed
 * to the hold, while `count` sessions are open. Compared with LISTEN and NOTIFY on the same Postgres and a write to as many event streams.
 */
export async function benchNotifications(options: {
  readonly count: number;
  readonly rounds: number;
}): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const started: Child<unknown>[] = [];
  const start = async (script: string, settings: unknown) => {
    const child = await startChild<unknown>(new URL(script, import.meta.url), settings, COLLECTING);
    started.push(child);
    return child;
  };
  try {
    console.log(describeMachine(database.settings));
    const { target } = database;
    const postgresMs = await createPostgresCpu(database.sql);
    const at = { target, dataDir, roles: 'api', transport: 'capture' };
    const server = await start('../accept/postrider-process.ts', { ...at, port: PORT.postrider });
    const own = await measureSessions(database, server, await start('./clients-process.ts', {}), postgresMs, options);
    await createBareHolds(database.sql);
    const bareServer = await start('./bare-notify-process.ts', { target, port: PORT.bare });
    const bare = await measureBare(database, bareServer, await start('./clients-process.ts', {}), postgresMs, options);
    return report(own, bare, options.count);
  } finally {
    for (const child of started) await child.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Size {
  readonly count: number;
  readonly rounds: number;
}

/** How many groups of sessions there are, and how many decisions each gets: enough for a p99 over many phases of the watcher. */
function sizeOf({ count, rounds }: Size) {
  const each = Math.min(count, SESSIONS_PER_ACCOUNT);
  return { each, groups: Math.ceil(count / each), decisions: rounds * 2 };
}

async function measureSessions(
  database: BenchDatabase,
  server: Child<unknown>,
  clients: Child<unknown>,
  postgresMs: () => number,
  size: Size,
): Promise<Measured> {
  const { each, groups: groupCount, decisions } = sizeOf(size);
  const groups: Group[] = [];
  for (let n = 0; n < groupCount; n += 1) groups.push(await addGroup(database, n, decisions));
  const streams = await subscribeSessions(clients, PORT.postrider, groups, each);
  return await measure(server, clients, postgresMs, streams, { each }, (n) =>
    groups.flatMap((group) =>
      group.holds.slice(n, n + 1).map((id) => ({ id, sent: approve(PORT.postrider, group, id) })),
    ),
  );
}

async function addGroup({ sql }: BenchDatabase, n: number, holds: number): Promise<Group> {
  const baseUrl = `http://127.0.0.1:${PORT.postrider}`;
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const { accountId, key } = await createAccount(tools, { name: 'Bench', ownerEmail: `bench-${n}@sandbox.test` });
  const agentKey = await newHeldKey(baseUrl, key);
  const deciding = { name: 'Decider', mode: 'live', scopes: ['approvals:decide', 'approvals:read'] } as const;
  const decider = await createKey(sql, tools.ids, {
    ...deciding,
    accountId,
    recipientAllowlist: null,
    now: new Date(),
  });
  await sql`UPDATE api_keys SET rate_limit = 1000000 WHERE account_id = ${accountId}`;
  return { agentKey, deciderKey: decider.secret, holds: await makeHolds(baseUrl, agentKey, holds, n) };
}

async function measureBare(
  { sql }: BenchDatabase,
  server: Child<unknown>,
  clients: Child<unknown>,
  postgresMs: () => number,
  size: Size,
): Promise<Measured> {
  const { each, groups, decisions } = sizeOf(size);
  const ids = await addBareHolds(sql, groups * decisions);
  const at = { port: PORT.bare, headers: {} };
  const streams = Array.from({ length: groups * each }, (_, index): Sent => {
    return { ...at, method: 'GET', path: `/stream/${Math.floor(index / each)}` };
  });
  return await measure(server, clients, postgresMs, streams, { each }, (n) =>
    ids.slice(n * groups, (n + 1) * groups).map((id, group) => {
      return { id, sent: { ...at, method: 'POST', path: `/decide/${group}/${id}` } };
    }),
  );
}

type Decision = { readonly id: string; readonly sent: Sent };

async function measure(
  server: Child<unknown>,
  clients: Child<unknown>,
  postgresMs: () => number,
  streams: readonly Sent[],
  { each }: { readonly each: number },
  decisionsOf: (round: number) => readonly Decision[],
): Promise<Measured> {
  const before = await server.ask<Usage>({});
  await clients.ask({ kind: 'open', sent: streams } satisfies ClientsQuestion);
  await sleep(1_000); // The server reads the rows of new streams.
  const [open, postgresBefore] = [await server.ask<Usage>({}), postgresMs()];
  await sleep(IDLE_MS);
  const idle = (await server.ask<Usage>({})).cpuMs - open.cpuMs + postgresMs() - postgresBefore;
  const latenciesMs: number[] = [];
  for (let n = 0; ; n += 1) {
    const decisions = decisionsOf(n);
    if (decisions.length === 0) break;
    for (const { id, sent } of decisions) {
      await sleep(Math.random() * SPREAD_MS);
      const question: ClientsQuestion = { kind: 'decide', sent, id, streams: each };
      latenciesMs.push(...(await clients.ask<Float64Array>(question)));
    }
  }
  const memoryKb = ((open.usedMb - before.usedMb) * 1_024) / streams.length;
  return { latenciesMs, memoryKb, idleShare: idle / IDLE_MS };
}

function report(own: Measured, bare: Measured, count: number): boolean {
  console.log(`\nnotifications: ${round(count)} open sessions, each notified of every decision that it subscribed to`);
  for (const [name, { latenciesMs, memoryKb, idleShare }] of Object.entries({ 'MCP sessions': own, bare })) {
    const [p50, p99] = [0.5, 0.99].map((share) => round(quantile(latenciesMs, share), 1));
    console.log(
      `  ${name}: ${round(latenciesMs.length)} notifications, p50 ${p50} ms, p99 ${p99} ms after the request, ${round(memoryKb)} KB a stream, ${round(idleShare * 100, 1)} % of a processor while nothing is decided`,
    );
  }
  const ratio = (share: number) => quantile(own.latenciesMs, share) / quantile(bare.latenciesMs, share);
  const values = [
    ['from a decision to its notification, p50, in bare notifications', ratio(0.5), MOST.p50],
    ['from a decision to its notification, p99, in bare notifications', ratio(0.99), MOST.p99],
    ['from a decision to its notification, p99 in ms', quantile(own.latenciesMs, 0.99), MOST_MS],
    ['memory of a session with its stream, in bare event streams', own.memoryKb / bare.memoryKb, MOST.memory],
  ] as const;
  for (const [what, value, bound] of values) console.log(judge(what, value, bound, 'at most'));
  return values.every(([, value, bound]) => value <= bound);
}
