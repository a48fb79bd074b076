import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { acceptMessages } from '../../packages/server/src/sending/accept-messages.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { startDnsServer, type TestDnsServer } from '../../test/harness/dns-server.ts';
import { plainSend } from '../../test/harness/plain-send.ts';
import { type TaggedPool, tagged } from '../../test/harness/tagged.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { shopEmail } from './shop-email.ts';
import type { SinkCount } from './sink-process.ts';
import { copyMessage } from './waiting-messages.ts';

/** The bounds. */
const MOST_DELAY_SECONDS = 2;
const LEAST_RATIO = 0.95;

const FRESH_MESSAGES = 20;
const FRESH_EVERY_MS = 500;
const LOOK_EVERY_MS = 10;
const HEALTHY_DOMAINS = 20;
const DEAD_DOMAINS = 10;
const LONGEST_ROUND_MS = 600_000;

export interface BenchFairnessOptions {
  /** Messages of the account with a backlog. A throughput round delivers a hundredth of them, but at least 2,000. */
  readonly count: number;
  readonly rounds: number;
}

/** What both parts need: receivers, a DNS server, queued messages and a sender. */
interface Stage {
  readonly database: BenchDatabase;
  readonly sql: TaggedPool;
  readonly dns: TestDnsServer;
  readonly sink: Child<{ readonly port: number }>;
  readonly dataDir: string;
  /** Accepts one message of an account and returns its id. */
  accept(account: Sender, to: string): Promise<string>;
  readonly sender: Sender;
  readonly other: Sender;
}

interface Sender {
  readonly accountId: string;
  readonly keyId: string;
}

/**
 * `pnpm bench fairness [--count N] [--rounds N]`: how long a new message of one account waits while another has a backlog, and how much
 * throughput a healthy destination loses to dead ones.
 */
export async function benchFairness(options: BenchFairnessOptions): Promise<boolean> {
  const stage = await setStage();
  const silent = await startSilentServer(stage.sink.ready.port);
  try {
    console.log(describeMachine(stage.database.settings));
    const isFair = await measureDelay(stage, options.count);
    const isApart = await measureRatio(stage, Math.max(2_000, Math.ceil(options.count / 100)), options.rounds);
    return isFair && isApart;
  } finally {
    silent.close();
    await stage.sink.stop();
    await stage.dns.close();
    await stage.sql.end({ timeout: 1 });
    await stage.database.close();
    await rm(stage.dataDir, { recursive: true, force: true });
  }
}

async function setStage(): Promise<Stage> {
  const database = await openBenchDatabase();
  const sql = tagged(openDatabase({ target: database.target, maxConnections: 4, applicationName: 'bench-fairness' }));
  const ids = createIdGenerator();
  const tools = { sql, clock: systemClock, ids };
  const makeSender = async (name: string): Promise<Sender> => {
    const { accountId } = await createAccount(tools, { name, ownerEmail: 'owner@sandbox.test' });
    return { accountId, keyId: ids.next(new Date()) };
  };
  const options = { ...tools, sandboxDomain: 'sandbox.test', monthlyQuota: 2_000_000_000, byDomain: true };
  const dns = await startDnsServer();
  const name = (domain: string, address: string) => {
    dns.set(domain, 'MX', [`10 mx.${domain}`], { ttl: 3_600 });
    dns.set(`mx.${domain}`, 'A', [address], { ttl: 3_600 });
  };
  for (const domain of [...healthyDomains(), 'backlog.example', 'fresh.example']) name(domain, '127.0.0.1');
  // Nothing listens at the first address, and the server at the second never responds.
  for (const [n, domain] of deadDomains().entries()) name(domain, n % 2 === 0 ? '127.0.0.2' : '127.0.0.3');
  return {
    ...{ database, sql, dns },
    sink: await startChild(new URL('./sink-process.ts', import.meta.url), {}),
    dataDir: await mkdtemp(join(tmpdir(), 'postrider-bench-app-')),
    sender: await makeSender('Backlog'),
    other: await makeSender('Other'),
    async accept(account, to) {
      const content = { ...shopEmail(1, 1, 'sandbox.test'), to };
      const { verdicts } = await acceptMessages(options, [plainSend(account, content)]);
      const [verdict] = verdicts;
      if (verdict?.kind !== 'accepted') throw new Error('a message was not accepted');
      return verdict.id;
    },
  };
}

function healthyDomains(): readonly string[] {
  return Array.from({ length: HEALTHY_DOMAINS }, (_, n) => `healthy${n}.example`);
}

function deadDomains(): readonly string[] {
  return Array.from({ length: DEAD_DOMAINS }, (_, n) => `dead${n}.example`);
}

/** Accepts connections and never responds, like a host behind a firewall that drops packets. */
function startSilentServer(port: number): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket)));
  });
  const close = server.close.bind(server);
  server.close = (callback) => {
    for (const socket of sockets) socket.destroy();
    return close(callback);
  };
  return new Promise((resolve) => server.listen(port, '127.0.0.3', () => resolve(server)));
}

async function withEngine<Result>(
  stage: Stage,
  transport: 'direct' | 'relay',
  work: () => Promise<Result>,
): Promise<Result> {
  const port = stage.sink.ready.port;
  const direct = {
    POSTRIDER_TRANSPORT: 'direct',
    POSTRIDER_MX_PORT: String(port),
    POSTRIDER_DNS_SERVERS: stage.dns.address,
    POSTRIDER_HELO_NAME: 'bench.example',
  };
  const engine = await startChild(new URL('./engine-process.ts', import.meta.url), {
    ...{ target: stage.database.target, dataDir: stage.dataDir, sinkPort: port },
    settings: transport === 'direct' ? direct : {},
  });
  try {
    await engine.ask({ ask: 'start' });
    const result = await work();
    await engine.ask({ ask: 'stop' });
    return result;
  } finally {
    await engine.stop();
  }
}

async function measureDelay(stage: Stage, count: number): Promise<boolean> {
  let isFair = true;
  for (const transport of ['relay', 'direct'] as const) {
    await forgetMessages(stage.sql);
    const template = await stage.accept(stage.sender, 'customer-0@backlog.example');
    await copyMessage(stage.sql, template, { count, domains: ['backlog.example'], agoMs: 3_600_000 });
    const delays = await withEngine(stage, transport, () => sendFresh(stage));
    const [waiting] = await stage.sql<{ n: number }[]>`SELECT count(*)::int AS n FROM deliveries`;
    const worst = Math.max(...delays);
    console.log(
      `\nfairness over ${transport}: ${round(count)} messages of one account wait, ${round(waiting?.n ?? 0)} still did at the end; ${FRESH_MESSAGES} fresh ones of another: ${round(quantile(delays, 0.5), 3)} s to their delivery (median)`,
    );
    console.log(
      judge(`delay of a fresh message over ${transport} in seconds, the worst`, worst, MOST_DELAY_SECONDS, 'at most'),
    );
    isFair &&= worst <= MOST_DELAY_SECONDS;
  }
  return isFair;
}

/** Seconds from accepting each new message to its recorded delivery attempt. */
async function sendFresh(stage: Stage): Promise<readonly number[]> {
  await pause(1_000);
  const delays: number[] = [];
  for (let n = 0; n < FRESH_MESSAGES; n += 1) {
    const beganMs = performance.now();
    const id = await stage.accept(stage.other, `customer-${n}@fresh.example`);
    await untilTrue(async () => {
      const [row] = await stage.sql<{ status: string }[]>`
        SELECT status FROM messages WHERE account_id = ${stage.other.accountId} AND id = ${id}`;
      return row?.status === 'sent' || row?.status === 'delivered';
    });
    delays.push((performance.now() - beganMs) / 1_000);
    await pause(FRESH_EVERY_MS);
  }
  return delays;
}

async function measureRatio(stage: Stage, count: number, rounds: number): Promise<boolean> {
  const alone: number[] = [];
  const beside: number[] = [];
  // The first round warms up and is not counted. After that, the sides alternate in starting first.
  for (let n = 0; n <= rounds; n += 1) {
    const sides = [
      async () => alone.push(await measureHealthy(stage, count, 0)),
      async () => beside.push(await measureHealthy(stage, count, count)),
    ];
    for (const side of n % 2 === 0 ? sides : sides.reverse()) await side();
    if (n === 0) {
      alone.pop();
      beside.pop();
    }
  }
  const ratio = median(beside.map((seconds, n) => (alone[n] ?? seconds) / seconds));
  const rate = (seconds: readonly number[]) => round(median(seconds.map((each) => count / each)));
  console.log(
    `\ndead destinations: ${round(count)} messages to ${HEALTHY_DOMAINS} healthy domains, alone and with ${round(count)} older ones to ${DEAD_DOMAINS} dead domains (half refuse, half never respond), ${rounds} alternating rounds`,
  );
  console.log(`healthy messages/s: ${rate(alone)} alone, ${rate(beside)} with dead ones (medians)`);
  console.log(judge('throughput of healthy destinations with dead ones, ratio', ratio, LEAST_RATIO, 'at least'));
  return ratio >= LEAST_RATIO;
}

/** Seconds from the engine's start until all healthy messages have arrived. */
async function measureHealthy(stage: Stage, count: number, dead: number): Promise<number> {
  await forgetMessages(stage.sql);
  const template = await stage.accept(stage.sender, 'customer-0@healthy0.example');
  if (dead > 0) await copyMessage(stage.sql, template, { count: dead, domains: deadDomains(), agoMs: 3_600_000 });
  await copyMessage(stage.sql, template, { count: count - 1, domains: healthyDomains(), agoMs: 1_000 });
  await stage.sink.ask<SinkCount>({ ask: 'forget' });
  return await withEngine(stage, 'direct', async () => {
    // Starting a process and its pools is the same for both sides, so it is not measured.
    const arrived = async () => (await stage.sink.ask<SinkCount>({ ask: 'count' })).messages;
    await untilTrue(async () => (await arrived()) > 0);
    const beganMs = performance.now();
    await untilTrue(async () => (await arrived()) >= count);
    return (performance.now() - beganMs) / 1_000;
  });
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + LONGEST_ROUND_MS;
  while (!(await isTrue())) {
    if (performance.now() > endsAtMs) throw new Error('the round did not end');
    await pause(LOOK_EVERY_MS);
  }
}

async function forgetMessages(sql: TaggedPool): Promise<void> {
  await sql`TRUNCATE deliveries, messages, message_bodies, message_recipients, message_events`;
}
