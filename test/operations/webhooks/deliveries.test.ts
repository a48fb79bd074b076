import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts';

const UNKNOWN = '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a';
const HOUR_MS = 3_600_000;

interface Delivery {
  readonly id: string;
  readonly eventId: string;
  readonly eventType: string;
  readonly attempt: number;
  readonly status: string;
  readonly nextAttemptAt: string | null;
}

/** Of `GET /webhooks/:id/deliveries`, `POST /webhooks/:id/test`, `POST /webhooks/:id/replay` and `POST /webhooks/:id/deliveries/:deliveryId/retry`. */
describe('the deliveries of an endpoint', () => {
  let server: TestApp;
  let receiver: WebhookReceiver;
  let id: string;
  beforeAll(async () => {
    server = await startTestApp();
    receiver = await startWebhookReceiver();
    id = (await server.call('POST', '/webhooks', { body: { url: receiver.url, events: ['suppression.added'] } })).body
      .id;
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  const list = async (query = '') => (await server.call('GET', `/webhooks/${id}/deliveries${query}`)).body;
  const rows = async (query = ''): Promise<Delivery[]> => (await list(query)).deliveries;
  const retry = (deliveryId: string) => server.call('POST', `/webhooks/${id}/deliveries/${deliveryId}/retry`);
  const replay = (body: unknown) => server.call('POST', `/webhooks/${id}/replay`, { body });
  const test = async (): Promise<string> => (await server.call('POST', `/webhooks/${id}/test`)).body.eventId;

  /** Asks until the list is as it should be: an attempt is written down a moment after the response of the receiver. */
  async function until(query: string, isThere: (found: Delivery[]) => boolean): Promise<Delivery[]> {
    for (;;) {
      const found = await rows(query);
      if (isThere(found)) return found;
    }
  }

  /** Tests an endpoint with this response, and returns the attempts once so many were made. */
  async function attempted(status: number, made = 1): Promise<Delivery[]> {
    receiver.respond(status);
    const eventId = await test();
    return await until(
      `?event_id=${eventId}`,
      (found) => found.filter((row) => row.status !== 'pending').length >= made,
    );
  }

  it('show a success with its response', {
    tags: ['webhooks.deliveries', 'webhooks.delivery-fields', 'webhooks.test-answer', 'webhooks.test', 'events.test'],
  }, async () => {
    const response = await server.call('POST', `/webhooks/${id}/test`);
    expect([response.status, response.body]).toEqual([202, { eventId: expect.any(String) }]);
    const { eventId } = response.body;
    const [row, ...others] = await until(`?event_id=${eventId}`, (found) => found[0]?.status === 'succeeded');
    expect(others).toEqual([]);
    expect(row).toEqual({
      ...{
        id: expect.any(String),
        eventId,
        eventType: 'webhook.test',
        attempt: 1,
        status: 'succeeded',
        statusCode: 200,
      },
      ...{ error: null, durationMs: expect.any(Number), responseBody: 'noted', createdAt: expect.any(String) },
      nextAttemptAt: null,
    });
    const event = await receiver.first(({ event: { id: received } }) => received === eventId);
    expect(event.event).toMatchObject({ type: 'webhook.test', data: { id, url: receiver.url, status: 'enabled' } });
    expect(event.event.data).not.toHaveProperty('secret');
  });

  it('show a failure, and when it is retried', {
    tags: ['webhooks.delivery-fields', 'events.attempts-recorded'],
  }, async () => {
    const [waiting, failed] = await attempted(500);
    expect(failed).toMatchObject({
      attempt: 1,
      status: 'failed',
      statusCode: 500,
      error: 'The endpoint responded with 500.',
    });
    expect(waiting).toMatchObject({
      attempt: 2,
      status: 'pending',
      statusCode: null,
      durationMs: null,
      responseBody: null,
    });
    expect(waiting?.nextAttemptAt).toBe(failed?.nextAttemptAt);
    await expect.poll(async () => (await server.call('GET', `/webhooks/${id}`)).body.failingSince).not.toBeNull();
    receiver.respond(200);
    server.clock.advance(7_000);
    const [second] = await until(`?event_id=${failed?.eventId}`, (found) => found[0]?.status === 'succeeded');
    expect(second).toMatchObject({ attempt: 2, eventId: failed?.eventId });
    expect((await rows(`?event_id=${failed?.eventId}&status=failed`))[0]?.nextAttemptAt).toBeNull();
    while ((await server.call('GET', `/webhooks/${id}`)).body.failingSince !== null);
  });

  it('are filtered by status, type, event and time, and paged', {
    tags: ['webhooks.delivery-fields', 'webhooks.list-shape'],
  }, async () => {
    receiver.respond(200);
    const page = await list('?limit=1');
    expect(Object.keys(page).sort()).toEqual(['deliveries', 'nextCursor', 'total', 'totalIsEstimate']);
    const all = await rows();
    const next = await list(`?limit=1&cursor=${page.nextCursor}`);
    expect([page.deliveries[0].id, next.deliveries[0].id]).toEqual([all[0]?.id, all[1]?.id]);
    expect(page.total).toBe(all.length);
    expectProblem(
      await server.call('GET', `/webhooks/${id}/deliveries?status=failed&cursor=${page.nextCursor}`),
      422,
      'invalid_cursor',
    );
    expect((await rows('?status=failed')).every(({ status }) => status === 'failed')).toBe(true);
    expect(await rows('?event_type=email.sent')).toEqual([]);
    expect((await rows('?event_type=webhook.test')).length).toBe(all.length);
    expect(await rows(`?event_id=${UNKNOWN}`)).toEqual([]);
    expect(await rows('?since=2030-01-01')).toEqual([]);
    expect((await rows('?until=2030-01-01&since=2026-01-01')).length).toBe(all.length);
    const get = (query: string) => server.call('GET', `/webhooks/${id}/deliveries${query}`);
    expectInvalid(await get('?status=done'), 'status');
    expectInvalid(await get('?event_type=email.eaten'), 'event_type');
    expectInvalid(await get('?event_id=7'), 'event_id');
    expectInvalid(await get('?since=2026-01-02&until=2026-01-01'), ['until', 'out_of_range']);
  });

  it('are repeated one by one', { tags: ['webhooks.delivery-retry'] }, async () => {
    const [, failed] = await attempted(500);
    receiver.respond(200);
    const again = await retry(failed?.id ?? '');
    expect([again.status, again.body]).toEqual([202, { queued: 1 }]);
    const [second] = await until(`?event_id=${failed?.eventId}`, (found) => found[0]?.status === 'succeeded');
    expect(second?.attempt).toBe(2);
    expect((await retry(second?.id ?? '')).body).toEqual({ queued: 1 });
    const [third] = await until(`?event_id=${failed?.eventId}&status=succeeded`, (found) => found.length === 2);
    expect(third?.attempt).toBe(3);
    const bodies = receiver.received.filter(({ event }) => event.id === failed?.eventId).map(({ body }) => body);
    expect([bodies.length, new Set(bodies).size]).toEqual([3, 1]);
    expectProblem(await retry(UNKNOWN), 404, 'not_found');
    expectProblem(await retry('7'), 404, 'not_found');
  });

  it('are replayed from a window, by type, id and status, or only counted', {
    tags: ['webhooks.replay', 'webhooks.replay-fields', 'events.replay', 'events.payload-fields'],
  }, async () => {
    receiver.respond(200);
    const since = server.clock.now().toISOString();
    const add = (emails: string[]) => server.call('POST', '/suppressions', { body: { emails } });
    await add(['a@example.com', 'b@example.com', 'c@example.com']);
    await until(`?since=${since}&event_type=suppression.added&status=succeeded`, (found) => found.length === 3);
    const [failed] = await attempted(500);
    const dry = async (body: object) => (await replay({ since, dryRun: true, ...body })).body;
    expect(await dry({})).toEqual({ wouldQueue: 4 });
    expect(await dry({ events: ['suppression.added'] })).toEqual({ wouldQueue: 3 });
    expect(await dry({ events: ['email.sent'] })).toEqual({ wouldQueue: 0 });
    expect(await dry({ status: 'failed' })).toEqual({ wouldQueue: 1 });
    expect(await dry({ status: 'succeeded' })).toEqual({ wouldQueue: 3 });
    expect(await dry({ ids: [failed?.eventId, UNKNOWN] })).toEqual({ wouldQueue: 1 });
    expect(await dry({ until: since })).toEqual({ wouldQueue: 0 });
    expect((await replay({ since, dryRun: true })).status).toBe(200);
    receiver.respond(200);
    const before = receiver.received.length;
    const queued = await replay({ since });
    expect([queued.status, queued.body]).toEqual([202, { queued: 4 }]);
    await receiver.count(before + 4);
    const counts = Map.groupBy(receiver.received, ({ event }) => event.id);
    expect([...counts.values()].every((same) => new Set(same.map(({ body }) => body)).size === 1)).toBe(true);
    expect(await until(`?event_id=${failed?.eventId}`, (found) => found[0]?.status === 'succeeded')).toHaveLength(2);
  });

  it('are not replayed over more than seven days, nor out of order', { tags: ['limits.replay-window'] }, async () => {
    const now = server.clock.now().getTime();
    const ago = (ms: number) => new Date(now - ms).toISOString();
    expectProblem(await replay({ since: ago(7 * 24 * HOUR_MS + 60_000) }), 422, 'window_too_large');
    expectProblem(await replay({ since: '2026-01-01', until: '2026-01-09' }), 422, 'window_too_large');
    expect((await replay({ since: '2026-01-01', until: '2026-01-08', dryRun: true })).status).toBe(200);
    expectInvalid(await replay({ since: ago(0), until: ago(HOUR_MS) }), ['until', 'out_of_range']);
    expectInvalid(await replay({ since: '2099-01-01' }), ['since', 'out_of_range']);
    expectInvalid(await replay({ since: '2099-01-01', until: '2099-01-02' }), ['since', 'out_of_range']);
    expectInvalid(await replay({}), 'since');
    expectInvalid(await replay({ since: ago(1), events: ['email.eaten'] }), 'events.0');
    expectInvalid(await replay({ since: ago(1), status: 'pending' }), 'status');
    expectInvalid(await replay({ since: ago(1), ids: ['7'] }), 'ids.0');
    expectInvalid(await replay({ since: ago(1), dry_run: true }), 'dry_run');
  });

  it('of a disabled endpoint are not tested, replayed or retried, and queued ones are dropped', {
    tags: ['contract-errors.409-webhooks', 'states.webhook-replay', 'errors.replay'],
  }, async () => {
    const [, failed] = await attempted(500);
    await server.call('PATCH', `/webhooks/${id}`, { body: { status: 'disabled' } });
    expect(await rows('?status=pending')).toEqual([]);
    expect((await rows(`?event_id=${failed?.eventId}`))[0]?.nextAttemptAt).toBeNull();
    expectProblem(await server.call('POST', `/webhooks/${id}/test`), 409, 'webhook_disabled');
    expectProblem(await replay({ since: server.clock.now().toISOString() }), 409, 'webhook_disabled');
    expectProblem(await retry(failed?.id ?? ''), 409, 'webhook_disabled');
    // Queued by a process that had still seen it enabled.
    await server.database.sql`
      INSERT INTO webhook_deliveries (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
      SELECT account_id, endpoint_id, event_id, gen_random_uuid(), event_type, attempt + 1, 1, now() + interval '1 hour', now()
      FROM webhook_attempts WHERE id = ${failed?.id ?? null}`;
    expect(await rows('?status=pending')).toHaveLength(1);
    // What happens meanwhile is stored, so that a replay brings it.
    const since = server.clock.now().toISOString();
    await server.call('POST', '/suppressions', { body: { email: 'meanwhile@example.com' } });
    await server.call('PATCH', `/webhooks/${id}`, { body: { status: 'enabled' } });
    expect(await rows('?status=pending')).toEqual([]);
    receiver.respond(200);
    expect((await replay({ since, status: 'failed' })).body).toEqual({ queued: 1 });
    await receiver.first(({ event }) => event.data.email === 'meanwhile@example.com');
  });
});
