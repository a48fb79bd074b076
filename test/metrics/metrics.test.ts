import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { createWebhookMetrics } from '../../packages/server/src/webhooks/webhook-metrics.ts';
import { openEventStream } from '../harness/event-stream.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { tagged } from '../harness/tagged.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { startWebhookReceiver } from '../harness/webhook-receiver.ts';

/** Every line of the text format: a comment of one of two kinds, or a name with labels and a number. */
const LINE =
  /^(# (HELP|TYPE) [a-z_0-9]+ .+|[a-z_0-9]+(\{[a-z_]+="[^"\n]*"(,[a-z_]+="[^"\n]*")*\})? ([\d.e+-]+|Na[nN]))$/;

/** The samples of a response, by name and labels. */
function read(text: string): Record<string, number> {
  expect(text.endsWith('\n')).toBe(true);
  const lines = text.trimEnd().split(/\n+/);
  for (const line of lines) expect(line).toMatch(LINE);
  const samples = lines.filter((line) => !line.startsWith('#')).map((line) => line.split(/ (?=[^ ]+$)/));
  return Object.fromEntries(samples.map(([name, value]) => [name, Number(value)]));
}

describe('GET /metrics', () => {
  let server: TestApp;
  let url: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_METRICS_PORT: '0' } });
    url = `http://127.0.0.1:${server.app.metricsPort}/metrics`;
  });
  afterAll(() => server.close());

  it('reports attempts, queues, endpoints and streams', async () => {
    const receiver = await startWebhookReceiver((_event, response, count) => {
      // No further attempt, however long this test takes.
      response.writeHead(count === 1 ? 200 : 503, { 'retry-after': '3600' }).end();
    });
    const ids: string[] = [];
    for (const path of ['', '/manual', '/gone']) {
      const { body } = await server.call('POST', '/webhooks', {
        body: { url: `${receiver.url}${path}`, events: ['domain.failed'] },
      });
      ids.push(body.id);
    }
    const [id, manual, gone] = ids;
    await server.call('PATCH', `/webhooks/${manual}`, { body: { status: 'disabled' } });
    await server.database.sql`
      UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'gone' WHERE id = ${gone ?? ''}`;
    const stream = await openEventStream(server);
    await stream.next();
    await server.call('POST', `/webhooks/${id}/test`);
    await receiver.count(1);
    await server.call('POST', `/webhooks/${id}/test`);
    await receiver.count(2);
    // Written down, so that the endpoint is known to fail.
    await expect
      .poll(async () => (await server.call('GET', `/webhooks/${id}`)).body.failingSince, { timeout: 10_000 })
      .not.toBeNull();
    const response = await fetch(url);
    expect([response.status, response.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    const samples = read(await response.text());
    expect(samples).toMatchObject({
      'postrider_webhook_attempts_total{result="2xx"}': 1,
      'postrider_webhook_attempts_total{result="5xx"}': 1,
      'postrider_webhook_attempts_total{result="none"}': 0,
      'postrider_webhook_attempt_duration_seconds_bucket{le="15"}': 2,
      'postrider_webhook_attempt_duration_seconds_bucket{le="+Inf"}': 2,
      postrider_webhook_attempt_duration_seconds_count: 2,
      postrider_webhook_in_flight: 0,
      postrider_webhook_taken: 0,
      postrider_webhook_streams_open: 1,
      postrider_database_up: 1,
      process_resident_memory_bytes: expect.any(Number),
      nodejs_eventloop_lag_p99_seconds: expect.any(Number),
      postrider_webhook_backlog: 0,
      'postrider_webhook_deliveries{state="due"}': 0,
      'postrider_webhook_deliveries{state="retrying"}': 1,
      postrider_webhook_oldest_due_seconds: 0,
      'postrider_webhook_endpoints{status="working"}': 0,
      'postrider_webhook_endpoints{status="failing"}': 1,
      'postrider_webhook_endpoints{status="disabled_manual"}': 1,
      'postrider_webhook_endpoints{status="disabled_gone"}': 1,
      'postrider_webhook_endpoints{status="disabled_failing"}': 0,
    });
    expect(samples['postrider_webhook_oldest_event_seconds']).toBeGreaterThan(0);
    stream.close();
    await receiver.close();
  });

  it('is the only path on its port, and the API’s port does not serve it', async () => {
    expect((await fetch(new URL('/', url))).status).toBe(404);
    expect((await fetch(new URL('/emails', url))).status).toBe(404);
    const post = await fetch(url, { method: 'POST' });
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(404);
  });

  it('is served by a process without an API too, and by none without a port for it', async () => {
    const settings = { POSTRIDER_METRICS_PORT: '0', POSTRIDER_ROLES: 'smtp' };
    const other = await startTestApp({ database: server.database, settings });
    const samples = read(await (await fetch(`http://127.0.0.1:${other.app.metricsPort}/metrics`)).text());
    expect(samples).toMatchObject({ postrider_webhook_streams_open: 0, postrider_database_up: 1 });
    await other.close();
    const without = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    expect(without.app.metricsPort).toBeNull();
    await without.close();
  });
});

describe('the webhook metrics', () => {
  const clock = createFakeClock();

  it('leave out values from the database while it is down', async () => {
    const sql = tagged(
      openDatabase({
        target: { kind: 'url', url: 'postgres://127.0.0.1:1/away' },
        maxConnections: 1,
        applicationName: 'away',
      }),
    );
    const load = () => ({ underWay: 3, taken: 2, unwritten: 1 });
    const page = createWebhookMetrics({ sql, clock, load, streamsOpen: () => 4 });
    page.observe({ statusCode: null, durationMs: 15_000 });
    const samples = read(await page.render());
    expect(samples).toMatchObject({
      'postrider_webhook_attempts_total{result="none"}': 1,
      postrider_webhook_in_flight: 3,
      postrider_webhook_taken: 2,
      postrider_webhook_attempts_unwritten: 1,
      postrider_webhook_streams_open: 4,
      postrider_database_up: 0,
    });
    expect(Object.keys(samples).filter((name) => name.startsWith('postrider_webhook_endpoints'))).toEqual([]);
    await sql.end({ timeout: 0 });
  });

  it('contain the age of the oldest item: due at a working endpoint, and of any event', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = server.database;
    const make = async () =>
      (await server.call('POST', '/webhooks', { body: { url: 'http://127.0.0.1:9/' } })).body.id as string;
    const [works, fails] = [await make(), await make()];
    await sql`UPDATE webhook_endpoints SET failing_since = now() WHERE id = ${fails}`;
    const now = server.clock.now();
    const ago = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
    for (const [endpoint, event, due] of [
      [works, 50, 40],
      [works, 30, 20],
      [works, 90, -10],
      [fails, 20, 5_000],
    ] as const)
      await sql`
        INSERT INTO webhook_deliveries (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
        VALUES (${server.accountId}, ${endpoint}, uuid_v7(${ago(event)}), uuid_v7(${now}), 'domain.failed', 1, 0, ${ago(due)}, ${now})`;
    const fixed = { now: () => now };
    const collect = createWebhookMetrics({ sql, clock: fixed, load: () => null, streamsOpen: () => 0 });
    expect(read(await collect.render())).toMatchObject({
      'postrider_webhook_deliveries{state="due"}': 3,
      'postrider_webhook_deliveries{state="retrying"}': 1,
      postrider_webhook_oldest_due_seconds: 40,
      postrider_webhook_oldest_event_seconds: 90,
    });
    // Without a worker no one stores what happens to messages.
    await server.send();
    await sql`UPDATE message_events SET created_at = ${ago(600)}`;
    const again = createWebhookMetrics({ sql, clock: fixed, load: () => null, streamsOpen: () => 0 });
    expect(read(await again.render())).toMatchObject({
      postrider_webhook_backlog: 1,
      postrider_webhook_oldest_event_seconds: 600,
    });
    await server.close();
  });
});
