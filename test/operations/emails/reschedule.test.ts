import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const HOUR_MS = 3_600_000;

describe('PATCH /emails/:id', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const reschedule = (id: string, scheduled_at: unknown, options = {}) =>
    server.call('PATCH', `/emails/${id}`, { ...options, body: { scheduled_at } });
  const scheduled = async (at = 'PT1H', body = {}) =>
    (await server.send({ ...body, scheduled_at: at })).body.id as string;
  const ahead = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString();
  const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;

  it('moves the time of a queued message, which is delivered at the new one', {
    tags: ['contract-sending.reschedule', 'contract-messages.trail-types-scheduling'],
  }, async () => {
    const id = await scheduled();
    const at = ahead(5 * HOUR_MS);
    const response = await reschedule(id, at);
    expect([response.status, response.body]).toEqual([200, { id, status: 'queued', scheduledAt: at }]);
    const message = await read(id);
    expect(message.scheduledAt).toBe(at);
    expect(message.events.map(({ type, seq }: { type: string; seq: number }) => [seq, type])).toEqual([
      [1, 'queued'],
      [2, 'scheduled'],
      [3, 'rescheduled'],
    ]);
    expect(message.events[2].detail).toBe(at);
    server.clock.advance(2 * HOUR_MS);
    await server.pump();
    expect((await read(id)).status).toBe('queued');
    server.clock.advance(3 * HOUR_MS + 1_000);
    await server.pump();
    expect((await server.settled(id)).body.status).toBe('delivered');
  });

  it('moves the end of the retries with it', async () => {
    const id = await scheduled('PT1H', { to: 'a@example.com' });
    await reschedule(id, 'P20D');
    const [row] = await server.database.sql`
      SELECT extract(epoch FROM expires_at - next_at)::int AS s FROM deliveries WHERE message_id = ${id}`;
    expect(row?.['s']).toBe(24 * 3_600);
  });

  it('sends a message immediately when the time is now', async () => {
    const id = await scheduled('P3D');
    const response = await reschedule(id, 'PT0S');
    expect(Math.abs(Date.parse(response.body.scheduledAt) - server.clock.now().getTime())).toBeLessThan(5_000);
    await server.pump();
    expect((await server.settled(id)).body.status).toBe('delivered');
  });

  it('is rejected for a message that was sent or canceled, and returns its status', {
    tags: ['contract-errors.409-cancel-and-resend'],
  }, async () => {
    const { body } = await server.send();
    await server.settled(body.id);
    const late = await reschedule(body.id, 'PT1H');
    expectProblem(late, 409, 'message_not_queued');
    expect(late.body.currentStatus).toBe('delivered');
    const id = await scheduled();
    await server.call('DELETE', `/emails/${id}`);
    expect((await reschedule(id, 'PT1H')).body).toMatchObject({
      code: 'message_not_queued',
      currentStatus: 'canceled',
    });
  });

  it('accepts the times that a send accepts, and nothing else', async () => {
    const id = await scheduled();
    for (const wrong of ['P31D', ahead(-120_000)])
      expectInvalid(await reschedule(id, wrong), ['scheduled_at', 'out_of_range']);
    expectInvalid(await reschedule(id, '2030-01-31T09:00:00'), ['scheduled_at', 'invalid_format']);
    expectInvalid(await reschedule(id, undefined), ['scheduled_at', 'required']);
    expectInvalid(await reschedule(id, null), ['scheduled_at', 'invalid_type']);
    const more = await server.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'PT1H', subject: 'New' } });
    expectInvalid(more, ['subject', 'unknown_field']);
    expect((await read(id)).events).toHaveLength(2);
  });

  it('needs a key with `emails:cancel`, and finds only the account’s messages', async () => {
    const id = await scheduled();
    expectProblem(await reschedule(id, 'PT2H', { key: null }), 401, 'missing_key');
    const sender = await server.newKey({ scopes: ['emails:send', 'emails:read'] });
    expectProblem(await reschedule(id, 'PT2H', { key: sender }), 403, 'missing_scope');
    const { key } = await server.newAccount();
    expectProblem(await reschedule(id, 'PT2H', { key }), 404, 'not_found');
    for (const unknown of ['00000000-0000-7000-8000-000000000000', 'x', '%20']) {
      expectProblem(await reschedule(unknown, 'PT2H'), 404, 'not_found');
    }
    expect((await read(id)).events).toHaveLength(2);
  });

  it('is `emails.reschedule` of the SDK', { tags: ['contract-surfaces.sdk-reschedule'] }, async () => {
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const id = await scheduled();
    const at = ahead(4 * HOUR_MS);
    expect(await client.emails.reschedule(id, { scheduled_at: at })).toEqual({ id, status: 'queued', scheduledAt: at });
  });
});
