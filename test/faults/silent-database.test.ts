import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { DEFAULT_SEND, startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const WITHIN_MS = 2_000;
const BACK_WITHIN = { timeout: 15_000, interval: 50 };

describe('an API whose database stops responding', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
    server = await startTestApp({ database: proxy.database, settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterEach(bringBack);
  afterAll(async () => {
    await server.close();
    await proxy.close();
    await database.drop();
  });

  /** Ends the silence, and waits until the app both reads and writes again: its connections come back one by one. */
  async function bringBack(): Promise<void> {
    await proxy.up();
    await expect.poll(async () => (await server.call('GET', '/emails')).status, BACK_WITHIN).toBe(200);
    await expect.poll(async () => (await server.send()).status, BACK_WITHIN).toBe(202);
  }

  const sendOnce = (key: string) => server.send({ subject: key }, { headers: { 'idempotency-key': key } });

  async function expectUnavailable(call: () => Promise<TestResponse>): Promise<void> {
    const beganMs = performance.now();
    const response = await call();
    expect(performance.now() - beganMs).toBeLessThan(WITHIN_MS);
    expectProblem(response, 503, 'unavailable');
    expect(response.headers.get('retry-after')).toBe('1');
  }

  it('rejects reads, sends and keys within two seconds, and accepts the same sends once when it is back', async () => {
    expect((await sendOnce('before')).status).toBe(202);
    const strangers = await server.newKey();
    proxy.silence();
    for (const round of [1, 2]) {
      await Promise.all([
        expectUnavailable(() => server.call('GET', '/emails')),
        expectUnavailable(() => server.call('GET', '/emails?q=hello')),
        expectUnavailable(() => server.call('GET', '/keys/self', { key: strangers })),
        ...[1, 2, 3].map((n) => expectUnavailable(() => sendOnce(`${round} ${n}`))),
      ]);
    }
    await proxy.up();
    await expect.poll(async () => (await server.call('GET', '/emails')).status, BACK_WITHIN).toBe(200);
    for (const key of ['before', '1 1', '1 2', '1 3', '2 1', '2 2', '2 3']) {
      // What was on its way when the silence fell may be written now, and its key is held until then.
      await expect.poll(async () => (await sendOnce(key)).status, BACK_WITHIN).toBe(202);
    }
    const { messages } = (await server.call('GET', '/emails?limit=100')).body;
    const subjects = messages.map(({ subject }: { subject: string }) => subject).sort();
    expect(subjects).toEqual(['1 1', '1 2', '1 3', '2 1', '2 2', '2 3', 'before']);
  });

  it('rejects requests queued behind a stuck statement as soon as the stuck one', async () => {
    await server.send();
    proxy.silence();
    // The first goes out alone, the others are behind it, and one comes when half of its time is over.
    const first = expectUnavailable(() => sendOnce('first'));
    const behind = [1, 2, 3].map((n) => expectUnavailable(() => sendOnce(`behind ${n}`)));
    await new Promise((resolve) => setTimeout(resolve, 700));
    await Promise.all([first, ...behind, expectUnavailable(() => sendOnce('late'))]);
  });

  it('reports the same to callers over MCP', async () => {
    // The key is cached for half a second, so that the send is the first to use the silent database.
    expect((await server.call('GET', '/keys/self')).status).toBe(200);
    proxy.silence();
    const beganMs = performance.now();
    const { status, body } = await server.call('POST', '/mcp', {
      headers: { accept: 'application/json, text/event-stream' },
      body: {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: { name: 'send_email', arguments: { ...DEFAULT_SEND, to: ['delivered@sandbox.test'] } },
      },
    });
    expect(performance.now() - beganMs).toBeLessThan(WITHIN_MS);
    expect([status, String(body)]).toEqual([200, expect.stringContaining('"code":"unavailable"')]);
  });

  it('continues a wait through the silence, for as long as the caller asked', async () => {
    const { status: accepted, body } = await server.send();
    expect(accepted).toBe(202);
    const looks = proxy.count(body.id);
    const beganMs = performance.now();
    const waiting = server.call('GET', `/emails/${body.id}?wait=4`);
    // The read of the message names it first, and then each look at its status does.
    await expect.poll(looks, { timeout: 3_000 }).toBeGreaterThan(1);
    proxy.silence();
    await expectUnavailable(() => server.call('GET', '/emails'));
    await proxy.up();
    const { status, body: read } = await waiting;
    expect([status, read.status]).toEqual([200, 'queued']);
    expect(performance.now() - beganMs).toBeGreaterThanOrEqual(3_900);
  });

  it('writes the request log once it is back', async () => {
    proxy.silence();
    await expectUnavailable(() => server.call('GET', '/emails', { headers: { 'x-request-id': 'in-the-dark' } }));
    await proxy.up();
    await expect.poll(async () => (await server.call('GET', '/emails')).status, BACK_WITHIN).toBe(200);
    await server.call('GET', '/emails', { headers: { 'x-request-id': 'after-it' } });
    await expect.poll(async () => (await server.call('GET', '/requests/after-it')).status, BACK_WITHIN).toBe(200);
  });
});
