import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';
import { type BenchDatabase, openBenchDatabase } from '../parts/bench-database.ts';
import { startChild } from '../parts/child.ts';
import { serverEnvironment, startServer } from '../parts/started-server.ts';

export const CLIENTS = 64;
export const PROCESSES = 4;
const FIRST_PORT = 18_151;
const MAX_CONNECTIONS = '200';

export interface TimedResponse {
  readonly status: number;
  readonly headers: Headers;
  // Responses of many operations; each part of the benchmark reads its own fields.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly body: any;
  /** How often the call was repeated because no response arrived in time. */
  readonly withoutResponse: number;
}

export interface Call {
  readonly key: string;
  readonly body?: unknown;
  readonly idempotencyKey?: string;
}

/** Servers in separate processes on one Postgres. None of them delivers, so that accepted messages stay queued. */
export interface Fleet {
  readonly sql: TaggedSql;
  readonly settings: BenchDatabase['settings'];
  newAccount(monthlyQuota?: number): Promise<{ readonly accountId: string; readonly key: string }>;
  /** Calls one of the processes, numbered from 0; higher numbers wrap around. */
  call(server: number, method: string, path: string, call: Call): Promise<TimedResponse>;
  stop(): Promise<void>;
}

/** @param isSupervised whether the processes are those of one server on one port, as `start` runs them */
export async function startFleet(isSupervised: boolean): Promise<Fleet> {
  const database = await openBenchDatabase({ max_connections: MAX_CONNECTIONS });
  const { sql, settings } = database;
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-app-'));
  const servers = isSupervised ? [await startOneServer(database, dataDir)] : await startServers(database, dataDir);
  const tools = { sql, clock: systemClock, ids: createIdGenerator() };
  return {
    sql,
    settings,
    async newAccount(monthlyQuota) {
      const account = await createAccount(tools, { name: 'Exact', ownerEmail: 'exact@sandbox.test' });
      if (monthlyQuota !== undefined) {
        await sql`UPDATE accounts SET monthly_quota = ${monthlyQuota} WHERE id = ${account.accountId}`;
      }
      return account;
    },
    call(server, method, path, given) {
      const baseUrl = servers[server % servers.length]?.baseUrl;
      return callForSure(`${baseUrl}${path}`, method, given);
    },
    async stop() {
      await Promise.all(servers.map((server) => server.stop()));
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

interface FleetServer {
  readonly baseUrl: string;
  stop(): Promise<void>;
}

async function startServers({ target }: BenchDatabase, dataDir: string): Promise<readonly FleetServer[]> {
  const script = new URL('../accept/postrider-process.ts', import.meta.url);
  const start = async (index: number) => {
    const settings = { target, port: FIRST_PORT + index, roles: 'api', transport: 'capture' };
    const own = { ...settings, dataDir: join(dataDir, String(index)) };
    const { ready, stop } = await startChild<{ readonly baseUrl: string }>(script, own);
    return { ...ready, stop };
  };
  return await Promise.all(Array.from({ length: PROCESSES }, (_, index) => start(index)));
}

async function startOneServer(database: BenchDatabase, dataDir: string): Promise<FleetServer> {
  const environment = { ...serverEnvironment(database, dataDir, FIRST_PORT), POSTRIDER_ROLES: 'api' };
  const { stop } = await startServer(PROCESSES, { ...environment, POSTRIDER_TRANSPORT: 'capture' });
  return { baseUrl: `http://127.0.0.1:${FIRST_PORT}`, stop };
}

/**
 * Repeats a call that got no response in time (503), as a caller would, because its outcome is unknown. Calls that must not run twice have
 * an idempotency key.
 */
async function callForSure(url: string, method: string, call: Call): Promise<TimedResponse> {
  for (let withoutResponse = 0; ; withoutResponse += 1) {
    const response = await callOnce(url, method, call);
    if (response.status !== 503) return { ...response, withoutResponse };
  }
}

async function callOnce(
  url: string,
  method: string,
  { key, body, idempotencyKey }: Call,
): Promise<Omit<TimedResponse, 'withoutResponse'>> {
  const response = await fetch(url, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Runs the same work in all clients at once. Returns their results. */
export async function eachClient<Result>(work: (client: number) => Promise<Result>): Promise<readonly Result[]> {
  return await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
}

/** A message to this many recipients outside the installation, each of which costs one unit of the quota. */
export function messageTo(recipients: number, subject: string) {
  const to = Array.from({ length: recipients }, (_, n) => `customer-${n}@example.com`);
  return { from: 'orders@sandbox.test', to, subject, text: 'Hello' };
}
