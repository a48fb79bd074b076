import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../../bench/parts/child.ts';
import { MALLOC_SETTINGS } from '../../packages/server/src/malloc.ts';
import type { HostileProcessReady } from '../harness/hostile-process.ts';
import type { HostileRequest, HostileTarget } from '../harness/hostile-request.ts';
import { hostileRequests } from '../harness/hostile-requests.ts';
import { openHostileTarget } from '../harness/hostile-target.ts';
import { residentMegabytes } from '../harness/resident-memory.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * What others may wait for. `pnpm bench hostile` probes `/health` beside all the requests; here some of them are tried, and each blocking of the
 * server's event loop is measured in its own processor time, which is the same on a machine that others use as well.
 */
const MAX_BLOCKED_MS = 100;
/**
 * What the server's memory may grow by, from when it has just started. The benchmark allows 200 MB for one request at a time on a machine that
 * does nothing else; here they follow each other at once, and where others use the machine the collector is late.
 */
const MAX_GROWTH_MB = 350;
/** And what of it may be left a moment later. */
const MAX_KEPT_MB = 200;
const PROCESS = new URL('../harness/hostile-process.ts', import.meta.url);

/** Some of each kind, and of those the ones that once took longest. */
const CHOSEN = [
  ...['batch: letters', 'batch: links without quotes', 'batch: named reference without end', 'batch: lists that close'],
  ...['batch: cells', 'batch: href with quote', '19 dry runs: letters'],
  ...['19 dry runs: cells', 'send: carriage returns', 'send: line breaks', 'send: unsubscribe placeholders'],
  ...[
    'send: base64 with a blank between all letters',
    'line: commas, in all that may be',
    'list: a million recipients',
  ],
  ...['template: loops in loops', 'template: many tags', 'mcp: send_email of letters', 'anonymous: 40 MB to /nowhere'],
  ...['held: page of less-than signs', 'held: page of href without value', 'held: html of nested lists'],
  ...['held: reading carriage returns', 'held: approving carriage returns', 'held: editing carriage returns'],
  ...['held: editing nested lists', 'held: rendering links without quotes', 'held: 19 sends', 'held: 19 held sends'],
  ...['held: a large file', 'tool: placement of empty lines', 'smtp: many headers in all parts'],
  ...['smtp: delimiters within lines of nested parts', 'smtp: almost boundaries of nested parts'],
  ...['json: many different keys to /emails', 'smtp: many headers', 'query: /emails?search= 0'],
];

/** What most memory is needed for. */
const LARGE = ['19 dry runs: letters', '19 dry runs: cells', 'send: line breaks', 'send: unsubscribe placeholders'];

/** What anyone may be the first to ask for. */
const FIRST_USES = ['document: openapi.yaml', 'tool: placement of nested parts'];

/** Kinds whose work is done only where the request is accepted. */
const DOING = ['held', 'document', 'tool'];

describe('a server under hostile requests', () => {
  let folder: string;
  let database: TestDatabase;
  let server: Child<HostileProcessReady>;
  let target: HostileTarget;
  let baseMb: number;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-hostile-'));
    database = await createTestDatabase();
    const port = await freePort();
    server = await startChild<HostileProcessReady>(
      PROCESS,
      { target: database.target, dataDir: folder, port },
      MALLOC_SETTINGS,
    );
    target = await openHostileTarget(database.sql, port, server.ready);
    baseMb = memoryOf(server);
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('loads and renders in the background what the first request needs', {
    tags: ['holes.hostile-work'],
    timeout: 60_000,
  }, async () => {
    const first = named(FIRST_USES);
    expect(first).toHaveLength(FIRST_USES.length);
    expect(await findSlow(first)).toEqual([]);
  });

  it('delays no one for longer than 100 ms, whatever the request', {
    tags: ['holes.hostile-work'],
    timeout: 300_000,
  }, async () => {
    const chosen = named(CHOSEN);
    expect(chosen).toHaveLength(CHOSEN.length);
    // What is slow once only, since nothing was compiled before.
    for (const request of chosen.slice(0, 2)) await (await request.prepare(target))();
    expect(await findSlow(chosen)).toEqual([]);
  });

  it('needs bounded memory for large requests, however many, and releases it', {
    tags: ['holes.hostile-work'],
    timeout: 300_000,
  }, async () => {
    const large = named(LARGE);
    expect(large).toHaveLength(LARGE.length);
    const sendAll = async () => {
      for (const { prepare } of large) expect(await (await prepare(target))()).toMatch(/^20[27]$/);
    };
    await sendAll();
    let mostMb = 0;
    const look = setInterval(() => {
      mostMb = Math.max(mostMb, memoryOf(server));
    }, 20);
    for (let round = 0; round < 3; round += 1) await sendAll();
    clearInterval(look);
    expect(mostMb - baseMb).toBeLessThan(MAX_GROWTH_MB);
    await expect.poll(() => memoryOf(server) - baseMb, { timeout: 20_000, interval: 500 }).toBeLessThan(MAX_KEPT_MB);
  });

  /** Requests that took too long, or that did not do the work they are here for. */
  async function findSlow(requests: readonly HostileRequest[]): Promise<readonly string[]> {
    const slow: string[] = [];
    for (const { kind, name, prepare } of requests) {
      const send = await prepare(target);
      await server.ask<number>('blocked');
      const outcome = await send();
      const blockedMs = await server.ask<number>('blocked');
      const isDone = !DOING.includes(kind) || outcome.startsWith('2');
      if (blockedMs > MAX_BLOCKED_MS || !isDone)
        slow.push(`${kind}: ${name} (${outcome}): blocked for ${blockedMs.toFixed(0)} ms`);
    }
    return slow;
  }
});

function named(names: readonly string[]): readonly HostileRequest[] {
  return hostileRequests().filter(({ kind, name }) => names.includes(`${kind}: ${name}`));
}

/** Infinity where the system does not say: there is no other measure. */
function memoryOf({ ready }: Child<HostileProcessReady>): number {
  return residentMegabytes(ready.pid) ?? Number.POSITIVE_INFINITY;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }; // A TCP server has no other address.
      server.close(() => resolve(port));
    });
  });
}
