import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import { sampleEmail } from '../parts/sample-email.ts';

const PORT = 18_925;
/** The overhead a tool call may add to the same REST call. */
const BOUND_MS = 3;

interface Sent {
  readonly path: string;
  readonly method: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** One way to make a call: over REST, or as a tool with one of the two protocols. */
type Way = (index: number) => Sent;

/** `pnpm bench mcp [--count N] [--rounds N]`: a tool call compared with the same REST call, both over one connection, one at a time. */
export async function benchMcp(options: { readonly count: number; readonly rounds: number }): Promise<boolean> {
  const database = await openBenchDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'postrider-bench-mcp-'));
  const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
  const { key } = await createAccount(tools, { name: 'Bench', ownerEmail: 'bench@sandbox.test' });
  // A round has more requests than the default rate per minute allows.
  await database.sql`UPDATE api_keys SET rate_limit = 1000000`;
  const settings = { target: database.target, port: PORT, dataDir, roles: 'api', transport: 'capture' };
  const server = await startChild<unknown>(new URL('../accept/postrider-process.ts', import.meta.url), settings);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  try {
    console.log(describeMachine(database.settings));
    console.log(`\none connection, ${options.count} calls of each a round, ${options.rounds} alternating rounds`);
    const reached: boolean[] = [];
    for (const [name, ways] of [
      ['read: keys.self', READ],
      ['send: emails.send', SEND],
    ] as const) {
      reached.push(await compare(name, ways, { ...options, agent, key, server }));
    }
    return reached.every(Boolean);
  } finally {
    agent.destroy();
    await server.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

interface Load {
  readonly count: number;
  readonly rounds: number;
  readonly agent: Agent;
  readonly server: Child<unknown>;
  readonly key: string;
}

const READ = {
  rest: () => ({ method: 'GET', path: '/keys/self' }),
  'tool, 2025-11-25': () => toolCall('get_sending_context', {}),
  'tool, 2026-07-28': () => modernToolCall('get_sending_context', {}),
} as const satisfies Record<string, Way>;

const SEND = {
  // A tool gives every send an idempotency key, so the REST call has one too.
  rest: (index) => ({
    method: 'POST',
    path: '/emails',
    headers: { 'idempotency-key': `rest-${index}` },
    body: sampleEmail(1, index),
  }),
  'tool, 2025-11-25': (index) => toolCall('send_email', sampleEmail(2, index)),
  'tool, 2026-07-28': (index) => modernToolCall('send_email', sampleEmail(3, index)),
} as const satisfies Record<string, Way>;

async function compare(name: string, ways: Readonly<Record<string, Way>>, load: Load): Promise<boolean> {
  const measured = new Map(Object.keys(ways).map((way) => [way, { latenciesMs: [] as number[], cpuMs: 0 }]));
  let index = 0;
  // The first round warms up every way.
  for (let current = 0; current <= load.rounds; current += 1) {
    for (const [way, make] of Object.entries(ways)) {
      const before = await load.server.ask<Usage>('usage');
      const latenciesMs: number[] = [];
      for (let call = 0; call < load.count; call += 1) {
        index += 1;
        latenciesMs.push(await timeCall(make(index), load));
      }
      const { cpuMs } = await load.server.ask<Usage>('usage');
      const sum = measured.get(way);
      if (current === 0 || sum === undefined) continue;
      sum.latenciesMs.push(...latenciesMs);
      sum.cpuMs += cpuMs - before.cpuMs;
    }
  }
  return report(name, measured, load.count * load.rounds);
}

type Measured = ReadonlyMap<string, { readonly latenciesMs: readonly number[]; readonly cpuMs: number }>;

function report(name: string, measured: Measured, calls: number): boolean {
  console.log(`\n${name}`);
  const rest = median(measured.get('rest')?.latenciesMs ?? []);
  for (const [way, { latenciesMs, cpuMs }] of measured) {
    const figures = [`median ${round(median(latenciesMs), 2)} ms`, `p95 ${round(quantile(latenciesMs, 0.95), 2)} ms`];
    console.log(`  ${way.padEnd(18)} ${figures.join(', ')}, ${round(cpuMs / calls, 2)} ms CPU of the server a call`);
  }
  const added = [...measured].filter(([way]) => way !== 'rest');
  return added
    .map(([way, { latenciesMs }]) => {
      const addedMs = median(latenciesMs) - rest;
      console.log(judge(`${way} adds, in ms`, addedMs, BOUND_MS, 'at most'));
      return addedMs <= BOUND_MS;
    })
    .every(Boolean);
}

async function timeCall({ path, method, headers = {}, body }: Sent, { agent, key }: Load): Promise<number> {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const began = performance.now();
  const response = await new Promise<string>((resolve, reject) => {
    const sent = request(
      {
        ...{ host: '127.0.0.1', port: PORT, path, method, agent },
        headers: {
          authorization: `Bearer ${key}`,
          ...(payload === ''
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
          ...headers,
        },
      },
      (response) => {
        const { statusCode = 0 } = response;
        text(response).then((content) => {
          if (statusCode >= 300 || content.includes('"isError":true')) reject(new Error(`${statusCode} ${content}`));
          else resolve(content);
        }, reject);
      },
    );
    sent.once('error', reject);
    sent.end(payload);
  });
  const tookMs = performance.now() - began;
  if (response.length === 0) throw new Error('an empty response');
  return tookMs;
}

const BOTH = { accept: 'application/json, text/event-stream' };

function toolCall(name: string, given: object): Sent {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } };
  return { method: 'POST', path: '/mcp', headers: BOTH, body };
}

/** Protocol 2026-07-28 names the called method in headers and the protocol version in every request. */
function modernToolCall(name: string, given: object): Sent {
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { ...BOTH, 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': name };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given, _meta } };
  return { method: 'POST', path: '/mcp', headers, body };
}
