import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DatabaseProxy, startDatabaseProxy } from '../../harness/database-proxy.ts';
import { startSmtpSink } from '../../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../../harness/test-database.ts';

const ok = { status: 'ok', reason: null };
const failing = { status: 'failing', reason: expect.stringMatching(/\S/) };

describe('health', () => {
  let database: TestDatabase;
  let proxy: DatabaseProxy;
  let server: TestApp;
  beforeAll(async () => {
    database = await createTestDatabase();
    proxy = await startDatabaseProxy(database);
    server = await startTestApp({ database: proxy.database });
  });
  afterAll(async () => {
    await server.close();
    await proxy.close();
    await database.drop();
  });

  const read = (app: TestApp, path: string) => app.call('GET', path, { key: null });

  it('GET /health returns status and version', { tags: ['health.liveness', 'health.liveness-fields'] }, async () => {
    const { version } = JSON.parse(readFileSync('packages/server/package.json', 'utf8')) as { version: string };
    const { status, headers, body } = await read(server, '/health');
    expect([status, body]).toEqual([200, { status: 'ok', version }]);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
  });

  it('GET /health/ready returns 200 and a check each for database, queue and transport', {
    tags: ['health.readiness', 'health.readiness-fields'],
  }, async () => {
    const { status, body } = await read(server, '/health/ready');
    expect([status, body]).toEqual([200, { status: 'ok', checks: { database: ok, queue: ok, transport: ok } }]);
  });

  it('GET /health/ready returns 503 with the reason while the database is down, and /health 200', {
    tags: ['health.liveness', 'health.readiness', 'health.readiness-fields'],
  }, async () => {
    await proxy.down();
    const beganMs = performance.now();
    const { status, headers, body } = await read(server, '/health/ready');
    expect(performance.now() - beganMs).toBeLessThan(2_500);
    expect([status, body]).toEqual([
      503,
      { status: 'unavailable', checks: { database: failing, queue: failing, transport: ok } },
    ]);
    expect(headers.get('retry-after')).toBe('1');
    expect(body.checks.database.reason).toContain('database');
    expect((await read(server, '/health')).status).toBe(200);
    await proxy.up();
    await expect
      .poll(async () => (await read(server, '/health/ready')).status, { timeout: 15_000, interval: 50 })
      .toBe(200);
  });

  it('GET /health/ready returns 503 with the reason while no relay responds', {
    tags: ['health.readiness', 'health.readiness-fields'],
  }, async () => {
    const sink = await startSmtpSink();
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` };
    await sink.close();
    const relayed = await startTestApp({ database, settings });
    const { status, body } = await read(relayed, '/health/ready');
    expect([status, body]).toEqual([
      503,
      { status: 'unavailable', checks: { database: ok, queue: ok, transport: failing } },
    ]);
    expect(JSON.stringify(body)).not.toContain('.ts:');
    await relayed.close();
  });

  it('GET /health/ready is 200 with a relay that responds', async () => {
    const sink = await startSmtpSink();
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none`, POSTRIDER_ROLES: 'api' };
    const relayed = await startTestApp({ database, settings });
    expect((await read(relayed, '/health/ready')).body.checks.transport).toEqual(ok);
    await relayed.close();
    await sink.close();
  });
});
