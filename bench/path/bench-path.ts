import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { generateDkimKey } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import type { LoadRequest, LoadResult } from '../parts/http-load.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { compareRates, describeMachine, judge, median, round } from '../parts/report.ts';

const CONNECTIONS = 64;
const PORT = { postrider: 18_135, usual: 18_136 } as const;
const LOOK_EVERY_MS = 10;
/** The required bound. */
const LEAST_RATIO = 10;

export interface BenchPathOptions {
  /** Messages per round and server. */
  readonly count: number;
  readonly rounds: number;
}

interface Round {
  readonly perSecond: number;
  readonly cpuUs: number;
  readonly postgresUs: number;
  readonly rssMb: number;
}

/** A server of the comparison. `isDone` is true once every accepted message is recorded as sent. */
interface Contestant {
  readonly server: Child<unknown>;
  readonly port: number;
  readonly isDone: () => Promise<boolean>;
}

/** `pnpm bench path`: from the request to the recorded delivery, compared with the usual design of such a service. */
export async function benchPath({ count, rounds }: BenchPathOptions): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `\npath: ${CONNECTIONS} connections, ${count} messages of 3 KB a round, ${rounds} alternating rounds, DKIM rsa-2048, all roles in one process, until every delivery is recorded`,
    );
    return await runRounds(database, dataDir, { count, rounds });
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runRounds(
  database: BenchDatabase,
  dataDir: string,
  { count, rounds }: BenchPathOptions,
): Promise<boolean> {
  const { sql, target } = database;
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Bench', ownerEmail: 'bench@sandbox.test' });
  await sql`CREATE TABLE usual_messages (id uuid PRIMARY KEY, from_address text, to_address text, subject text, html text, text text, status text)`;
  await sql`CREATE INDEX usual_waiting ON usual_messages (id) WHERE status = 'queued'`;
  const { privateKeyPem } = await generateDkimKey();
  const start = <Ready>(name: string, settings: unknown) => startChild<Ready>(new URL(name, import.meta.url), settings);
  const load = await start<unknown>('../parts/http-load.ts', {});
  const sink = await start<{ port: number }>('../deliver/sink-process.ts', {});
  const sinkPort = sink.ready.port;
  const transport = `smtp://127.0.0.1:${sinkPort}?tls=none`;
  const ours: Contestant = {
    port: PORT.postrider,
    server: await start('../accept/postrider-process.ts', {
      ...{ target, dataDir, transport, port: PORT.postrider, roles: 'api,worker' },
    }),
    isDone: async () => {
      const [row] = await sql<{ done: boolean }[]>`SELECT NOT EXISTS (SELECT FROM deliveries) AS done`;
      return row?.done === true;
    },
  };
  const usual: Contestant = {
    port: PORT.usual,
    server: await start('./usual-process.ts', { target, sinkPort, privateKeyPem, port: PORT.usual }),
    isDone: async () => {
      const [row] = await sql<{ done: boolean }[]>`
        SELECT NOT EXISTS (SELECT FROM usual_messages WHERE status = 'queued') AS done`;
      return row?.done === true;
    },
  };
  const postgresCpuMs = await createPostgresCpu(sql);
  let seed = 0;
  const measure = async ({ server, port, isDone }: Contestant, size: number): Promise<Round> => {
    seed += 1;
    await sink.ask({ ask: 'forget' });
    const before = await server.ask<Usage>({});
    const postgresBefore = postgresCpuMs();
    const request: LoadRequest = { port, path: '/emails', key, connections: CONNECTIONS, count: size, seed };
    const { seconds, refused } = await load.ask<LoadResult>(request);
    const acceptedAtMs = performance.now();
    if (refused > 0) throw new Error(`${refused} of ${size} sends were not accepted`);
    while (!(await isDone())) await pause(LOOK_EVERY_MS);
    const total = seconds + (performance.now() - acceptedAtMs) / 1_000;
    const postgresUs = ((postgresCpuMs() - postgresBefore) / size) * 1_000;
    const after = await server.ask<Usage>({});
    const { messages } = await sink.ask<{ messages: number }>({ ask: 'count' });
    if (messages !== size) throw new Error(`${messages} of ${size} messages arrived`);
    const cpuUs = ((after.cpuMs - before.cpuMs) / size) * 1_000;
    return { perSecond: size / total, cpuUs, postgresUs, rssMb: after.rssMb };
  };
  const rates: { readonly ours: Round[]; readonly usual: Round[] } = { ours: [], usual: [] };
  // The first round warms up the compilers and is not counted.
  for (let n = 0; n <= rounds; n += 1) {
    const [own, other] = [await measure(ours, count), await measure(usual, Math.ceil(count / 5))];
    if (n === 0) continue;
    rates.ours.push(own);
    rates.usual.push(other);
  }
  for (const child of [ours.server, usual.server, load, sink]) await child.stop();
  print('postrider', rates.ours);
  print('one transaction and one job per message, nodemailer', rates.usual);
  const rateOf = (all: readonly Round[]) => median(all.map(({ perSecond }) => perSecond));
  compareRates('from the request to the recorded delivery', {
    Postrider: rateOf(rates.ours),
    'graphile-worker with one job per message, and nodemailer': rateOf(rates.usual),
  });
  const ratio = median(rates.ours.map(({ perSecond }, n) => perSecond / (rates.usual[n]?.perSecond ?? perSecond)));
  console.log(judge('messages/s, ratio to the usual shape', ratio, LEAST_RATIO, 'at least'));
  return ratio >= LEAST_RATIO;
}

function print(name: string, rounds: readonly Round[]): void {
  const of = (pick: (measured: Round) => number) => round(median(rounds.map(pick)));
  console.log(
    `${name}: ${of((r) => r.perSecond)} messages/s, ${of((r) => r.cpuUs)} µs CPU each, Postgres ${of((r) => r.postgresUs)} µs CPU each, ${of((r) => r.rssMb)} MB (medians)`,
  );
}
