import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Child, startChild } from '../../bench/parts/child.ts';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import type { HostileProcessReady } from '../harness/hostile-process.ts';
import { type HostileRequest, type HostileTarget, hostileRequests } from '../harness/hostile-requests.ts';
import { callApi } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

/**
 * What others may wait for. `pnpm bench hostile` probes `/health` beside all the requests; here some of them are tried, and each turn of the
 * server's event loop is measured in its own processor time, which is the same on a machine that others use as well.
 */
const MAX_TURN_MS = 250;
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
  ...['json: many different keys to /emails', 'smtp: many headers', 'query: /emails?search= 0'],
];

describe('a server under hostile requests', () => {
  let folder: string;
  let database: TestDatabase;
  let server: Child<HostileProcessReady>;
  let target: HostileTarget;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-hostile-'));
    database = await createTestDatabase();
    const port = await freePort();
    server = await startChild<HostileProcessReady>(PROCESS, { target: database.target, dataDir: folder, port });
    const tools = { sql: database.sql, clock: systemClock, ids: createIdGenerator() };
    const { key } = await createAccount(tools, { name: 'Hostile', ownerEmail: 'ada@example.com' });
    await database.sql`UPDATE accounts SET track_opens = true, track_clicks = true`;
    const rules = { approvalMode: 'policy', holdWhen: { linkDomainNotIn: ['example.com'] } };
    const body = { name: 'held', scopes: ['sending'], ...rules };
    const held = await callApi(`http://127.0.0.1:${port}`, key, 'POST', '/keys', { body });
    target = { port, smtpsPort: server.ready.smtpsPort, key, heldKey: held.body.key };
    // What is slow once only, since nothing was compiled or connected before.
    for (const request of chosen().slice(0, 2)) await request.prepare(target)();
  }, 120_000);
  afterAll(async () => {
    await server?.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps no one waiting for longer than 250 ms, whatever the request [holes.hostile-work]', async () => {
    expect(chosen()).toHaveLength(CHOSEN.length);
    const slow: string[] = [];
    for (const { kind, name, prepare } of chosen()) {
      const send = prepare(target);
      await server.ask<number>('turn');
      const outcome = await send();
      const turnMs = await server.ask<number>('turn');
      if (turnMs > MAX_TURN_MS) slow.push(`${kind}: ${name} (${outcome}): a turn of ${turnMs.toFixed(0)} ms`);
    }
    expect(slow).toEqual([]);
  }, 300_000);
});

function chosen(): readonly HostileRequest[] {
  return hostileRequests().filter(({ kind, name }) => CHOSEN.includes(`${kind}: ${name}`));
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }; // A TCP server has no other address.
      server.close(() => resolve(port));
    });
  });
}
