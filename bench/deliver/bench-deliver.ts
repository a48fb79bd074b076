import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dkimRecordValue } from '../../packages/server/src/sending-domains/dkim-key.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import { findPostmaster, postgresCpuOf } from '../parts/postgres-cpu.ts';
import { compareRates, describeMachine, judge, median, round } from '../parts/report.ts';
import type { DrainRound } from './engine-process.ts';
import type { SenderRound } from './sender-round.ts';
import { openShop, type Shop } from './shop.ts';
import type { SinkCount, SinkVerdict } from './sink-process.ts';

const CONNECTIONS = 20;
const SIGNATURES_A_ROUND = 1_000;
/** The required bounds, and the targets. */
const LEAST_RATIO = 5;
const LEAST_OF_RSA = 0.75;
const MOST_POSTGRES_US = 120;
const MAX_RSS_MB = 300;

export interface BenchDeliverOptions {
  /** Messages per round and sender. */
  readonly count: number;
  readonly rounds: number;
}

/** The parts of a round: the senders, the receiver, and the counters. */
interface Stage {
  readonly shop: Shop;
  readonly sink: Child<{ readonly port: number }>;
  readonly engine: Child<unknown>;
  readonly nodemailer: Child<unknown>;
  readonly bare: Child<unknown>;
  readonly rsa: Child<unknown>;
  readonly postmaster: number;
}

interface Measured extends SenderRound {
  readonly postgresMs: number;
  /** CPU time of Postgres before the clock started: to forget the last messages and accept these. No part of `postgresMs`. */
  readonly preparingMs: number;
}

interface Rounds {
  readonly ours: Measured[];
  readonly theirs: Measured[];
  readonly bare: Measured[];
  readonly signaturesPerCpuSecond: number[];
}

/**
 * `pnpm bench deliver [--count N] [--rounds N]`: the delivery engine compared with nodemailer's pool, with a loop that only signs and sends, and
 * with signing alone.
 */
export async function benchDeliver(options: BenchDeliverOptions): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  try {
    console.log(describeMachine(database.settings));
    console.log(
      `\ndeliver: ${options.count} messages of 3 KB a round, every one its own, DKIM rsa-2048, ${CONNECTIONS} connections, ${options.rounds} alternating rounds`,
    );
    return await runRounds(database, dataDir, options);
  } finally {
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function runRounds(
  database: BenchDatabase,
  dataDir: string,
  { count, rounds }: BenchDeliverOptions,
): Promise<boolean> {
  const stage = await setStage(database, dataDir);
  const measured: Rounds = { ours: [], theirs: [], bare: [], signaturesPerCpuSecond: [] };
  // The first round warms up the compilers and is not counted.
  for (let n = 0; n <= rounds; n += 1) {
    const size = n === 0 ? Math.ceil(count / 2) : count;
    const ours = await measure(stage, size, () => deliverOurs(stage, 3 * n, size));
    const theirs = await measure(stage, size, () =>
      stage.nodemailer.ask<SenderRound>({ seed: 3 * n + 1, count: size }),
    );
    const bare = await measure(stage, size, () => stage.bare.ask<SenderRound>({ seed: 3 * n + 2, count: size }));
    const signatures = await stage.rsa.ask<number>({ count: SIGNATURES_A_ROUND });
    if (n === 0) continue;
    measured.ours.push(ours);
    measured.theirs.push(theirs);
    measured.bare.push(bare);
    measured.signaturesPerCpuSecond.push(signatures);
  }
  for (const child of [stage.engine, stage.nodemailer, stage.bare, stage.rsa, stage.sink]) await child.stop();
  await stage.shop.close();
  return report(measured, count);
}

async function setStage(database: BenchDatabase, dataDir: string): Promise<Stage> {
  const shop = await openShop(database);
  const start = <Ready>(name: string, settings: unknown) => startChild<Ready>(new URL(name, import.meta.url), settings);
  const sink = await start<{ port: number }>('./sink-process.ts', {});
  const sinkPort = sink.ready.port;
  const engine = await start('./engine-process.ts', { target: database.target, dataDir, sinkPort });
  const nodemailer = await start('./nodemailer-process.ts', { sinkPort, connections: CONNECTIONS, key: shop.key });
  const bare = await start('./bare-process.ts', { sinkPort, connections: CONNECTIONS, key: shop.key });
  const rsa = await start('./rsa-process.ts', shop.key);
  // A worker runs for days. Its start, its connections, and their first plans and pages are not part of a message's cost.
  await engine.ask({ ask: 'rest' });
  return { shop, sink, engine, nodemailer, bare, rsa, postmaster: await findPostmaster(database.sql) };
}

/** Seeding is not part of the round: the clock starts in the engine's process, with its first claim. */
async function deliverOurs({ shop, engine, postmaster }: Stage, seed: number, count: number): Promise<DrainRound> {
  await shop.forgetMessages();
  await shop.accept(seed, count);
  const round = await engine.ask<DrainRound>({ ask: 'drain', postmaster });
  const statuses = await shop.countByStatus();
  if (statuses['sent'] !== count) throw new Error(`not every message is recorded as sent: ${JSON.stringify(statuses)}`);
  return round;
}

async function measure(
  stage: Stage,
  count: number,
  send: () => Promise<SenderRound & Partial<DrainRound>>,
): Promise<Measured> {
  await stage.sink.ask<SinkCount>({ ask: 'forget' });
  const postgresCpuMs = postgresCpuOf(stage.postmaster);
  const before = postgresCpuMs();
  const round = await send();
  const wholeMs = postgresCpuMs() - before;
  await assertArrived(stage, count);
  const { postgresMs = wholeMs } = round;
  return { ...round, postgresMs, preparingMs: wholeMs - postgresMs };
}

/** Checks that every message arrived once, unchanged and with its own signature. Verifies the signature of one in a hundred. */
async function assertArrived({ sink, shop }: Stage, count: number): Promise<void> {
  const arrived = await sink.ask<SinkCount>({ ask: 'count' });
  const { messages, recipients, messageIds, signatures, mixedUp } = arrived;
  if ([messages, recipients, messageIds, signatures].some((n) => n !== count) || mixedUp > 0) {
    throw new Error(`of ${count} messages did not each arrive once as its own: ${JSON.stringify(arrived)}`);
  }
  const record = dkimRecordValue(shop.key.publicKeyBase64);
  const { verified, failed } = await sink.ask<SinkVerdict>({ ask: 'verify', record });
  if (failed.length > 0)
    throw new Error(`${failed.length} of ${verified + failed.length} signatures are bad: ${failed[0]}`);
}

function report({ ours, theirs, bare, signaturesPerCpuSecond }: Rounds, count: number): boolean {
  const signatures = median(signaturesPerCpuSecond);
  console.log(`rsa-2048 alone: ${round(signatures)} signatures per CPU-second`);
  print('postrider', ours, count);
  print('nodemailer, pooled', theirs, count);
  print('a loop that only signs and sends, and records nothing', bare, count);
  const perCpu = ({ cpuMs }: SenderRound) => count / (cpuMs / 1_000);
  const ratio = median(ours.map((own, n) => perCpu(own) / perCpu(theirs[n] ?? own)));
  const wall = median(ours.map((own, n) => (theirs[n] ?? own).seconds / own.seconds));
  const toRsa = (rounds: readonly Measured[]) =>
    median(rounds.map((own, n) => perCpu(own) / (signaturesPerCpuSecond[n] ?? signatures)));
  const ofRsa = toRsa(ours);
  console.log(`messages per CPU-second of that loop, ratio to rsa-2048 alone: ${round(toRsa(bare), 2)}`);
  const rateOf = (rounds: readonly Measured[]) => median(rounds.map(({ seconds }) => count / seconds));
  compareRates('deliver 3 KB, signed', {
    Postrider: rateOf(ours),
    'nodemailer, pooled': rateOf(theirs),
    'a loop that only signs and sends': rateOf(bare),
  });
  const memory = Math.max(...ours.map(({ rssMb }) => rssMb));
  console.log(`messages/s, ratio to nodemailer: ${round(wall, 2)}`);
  const preparingUs = median(ours.map(({ preparingMs }) => (preparingMs / count) * 1_000));
  console.log(
    `CPU of Postgres to accept these messages beforehand, not in the value below: ${round(preparingUs)} µs each`,
  );
  const postgresUs = median(ours.map(({ postgresMs }) => (postgresMs / count) * 1_000));
  console.log(judge('messages per CPU-second, ratio to rsa-2048 alone', ofRsa, LEAST_OF_RSA, 'at least'));
  console.log(judge('CPU of Postgres per message in µs', postgresUs, MOST_POSTGRES_US, 'at most'));
  console.log(judge('messages per CPU-second, ratio to nodemailer', ratio, LEAST_RATIO, 'at least'));
  console.log(judge('memory of the worker in MB', memory, MAX_RSS_MB, 'at most'));
  const isCheap = ofRsa >= LEAST_OF_RSA && postgresUs <= MOST_POSTGRES_US;
  return isCheap && ratio >= LEAST_RATIO && memory <= MAX_RSS_MB;
}

function print(name: string, rounds: readonly Measured[], count: number): void {
  const of = (pick: (measured: Measured) => number, digits = 0) => round(median(rounds.map(pick)), digits);
  const perMessageUs = (ms: number) => (ms / count) * 1_000;
  console.log(
    `${name}: ${of(({ seconds }) => count / seconds)} messages/s, ${of(({ cpuMs }) => count / (cpuMs / 1_000))} per CPU-second (${of(({ cpuMs }) => perMessageUs(cpuMs))} µs each), Postgres ${of(({ postgresMs }) => perMessageUs(postgresMs))} µs CPU each, ${of(({ rssMb }) => rssMb)} MB (medians)`,
  );
}
