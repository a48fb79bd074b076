import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const HOUR_MS = 3_600_000;
const SPELLINGS = [
  ['POST', '/cancel'],
  ['DELETE', ''],
] as const;

describe.each(SPELLINGS)('%s /emails/:id%s', (method, suffix) => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const cancel = (id: string, options = {}) => server.call(method, `/emails/${id}${suffix}`, options);
  const scheduled = async (body = {}, options = {}) =>
    (await server.send({ scheduled_at: 'PT1H', ...body }, options)).body.id as string;
  const read = async (id: string, key = server.key) => (await server.call('GET', `/emails/${id}`, { key })).body;

  it('cancels a queued message: no copy leaves, and the log keeps its row', {
    tags: [
      'emails-cancel.post',
      'emails-cancel.delete',
      'states.removed',
      'errors.cancel',
      'contract-resend-and-cancel.canceled',
      'contract-messages.status-canceled',
      'contract-messages.trail-type-canceled',
    ],
  }, async () => {
    const subject = `Taken back by ${method}`;
    const to = ['delivered@sandbox.test', 'a@example.com'];
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }];
    const id = await scheduled({ subject, to, html: '<p>Hi</p>', headers: { 'X-A': 'b' }, attachments });
    const response = await cancel(id);
    expect([response.status, response.body]).toEqual([200, { id, status: 'canceled' }]);
    const message = await read(id);
    expect(message).toMatchObject({
      id,
      status: 'canceled',
      subject,
      html: null,
      text: null,
      headers: null,
      bodyExpired: true,
    });
    expect(message.recipients.map(({ status }: { status: string }) => status)).toEqual(['canceled', 'canceled']);
    expect(message.events.map(({ type, seq }: { type: string; seq: number }) => [seq, type])).toEqual([
      [1, 'queued'],
      [2, 'scheduled'],
      [3, 'canceled'],
    ]);
    server.clock.advance(2 * HOUR_MS);
    await server.pump();
    expect(await readCaptured(server, subject)).toEqual([]);
    expect((await read(id)).status).toBe('canceled');
    for (const table of ['deliveries', 'message_bodies', 'message_attachments', 'message_tracking']) {
      const [row] = await server.database.sql.unsafe(`SELECT count(*)::int AS n FROM ${table} WHERE message_id = $1`, [
        id,
      ]);
      expect([table, row?.['n']]).toEqual([table, 0]);
    }
    const listed = await server.call('GET', '/emails?status=canceled');
    expect(listed.body.messages.map((row: { id: string }) => row.id)).toContain(id);
  });

  it('returns the quota to the month it was taken from', { tags: ['contract-quota.given-back'] }, async () => {
    const { key, accountId } = await server.newAccount();
    const quota = async () => (await server.call('GET', '/keys/self', { key })).body.quota;
    const to = ['a@example.com', 'b@example.com', 'delivered@sandbox.test'];
    const { resetsAt } = await quota();
    server.clock.advance(Date.parse(resetsAt) - server.clock.now().getTime() - 60_000);
    const id = await scheduled({ to, scheduled_at: 'P2D' }, { key });
    expect((await quota()).used).toBe(2);
    server.clock.advance(120_000);
    await scheduled({ to: 'c@example.com', scheduled_at: 'P2D' }, { key });
    expect((await quota()).used).toBe(1);
    expect((await cancel(id, { key })).status).toBe(200);
    expect((await quota()).used).toBe(1);
    const months = await server.database
      .sql`SELECT used FROM quota_usage WHERE account_id = ${accountId} ORDER BY month`;
    expect(months.map((row) => row['used'])).toEqual([0, 1]);
    const [charged] = await server.database
      .sql`SELECT sum(charged)::int AS n FROM messages WHERE account_id = ${accountId}`;
    expect(charged?.['n']).toBe(1);
  });

  it('is too late for a message that is no longer queued, and returns its status', {
    tags: ['contract-resend-and-cancel.too-late', 'contract-errors.409-cancel-and-resend'],
  }, async () => {
    const id = await scheduled();
    await cancel(id);
    const second = await cancel(id);
    expectProblem(second, 409, 'message_not_queued');
    expect(second.body.currentStatus).toBe('canceled');
    for (const [to, status] of [
      ['delivered@sandbox.test', 'delivered'],
      ['bounced@sandbox.test', 'bounced'],
    ]) {
      const { body } = await server.send({ to });
      await server.settled(body.id);
      const late = await cancel(body.id);
      expectProblem(late, 409, 'message_not_queued');
      expect(late.body).toMatchObject({ currentStatus: status, detail: expect.stringContaining(`\`${status}\``) });
    }
    expect((await read(id)).events).toHaveLength(3);
  });

  it('is too late once a worker has claimed it, also before that shows', async () => {
    const id = await scheduled();
    await server.database.sql`UPDATE deliveries SET lease_id = gen_random_uuid() WHERE message_id = ${id}`;
    const late = await cancel(id);
    expectProblem(late, 409, 'message_not_queued');
    expect(late.body.currentStatus).toBe('sending');
    await server.database.sql`UPDATE deliveries SET lease_id = NULL WHERE message_id = ${id}`;
    expect((await cancel(id)).status).toBe(200);
  });

  it('is too late when one of several recipients was attempted', async () => {
    const id = await scheduled({ to: ['delivered@sandbox.test', 'a@example.com'] });
    await server.database.sql`
      UPDATE message_recipients SET status = 'delivered' WHERE message_id = ${id} AND email = 'delivered@sandbox.test'`;
    expect((await cancel(id)).body).toMatchObject({ code: 'message_not_queued', currentStatus: 'sending' });
  });

  it('finds deliveries that were created long after their message', async () => {
    const id = await scheduled();
    const later = server.app.services.database.ids.next(new Date(server.clock.now().getTime() + HOUR_MS));
    await server.database.sql`UPDATE deliveries SET id = ${later} WHERE message_id = ${id}`;
    expect((await cancel(id)).status).toBe(200);
    expect(await server.database.sql`SELECT 1 FROM deliveries WHERE message_id = ${id}`).toHaveLength(0);
  });

  it('ends a wait for the outcome', { tags: ['contract-messages.wait-canceled'] }, async () => {
    const id = await scheduled();
    const waiting = server.call('GET', `/emails/${id}?wait=20`);
    const beganMs = performance.now();
    await cancel(id);
    expect((await waiting).body.status).toBe('canceled');
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  });

  it('keeps the idempotency key with the message', async () => {
    const options = { headers: { 'idempotency-key': `kept ${method}` } };
    const id = await scheduled({ scheduled_at: 'P2D', subject: 'Kept' }, options);
    await cancel(id);
    const again = await server.send({ scheduled_at: 'P2D', subject: 'Kept' }, options);
    expect([again.body.id, again.headers.get('idempotency-replayed')]).toEqual([id, 'true']);
    expect((await read(id)).status).toBe('canceled');
  });

  it('needs a key with `emails:cancel`, accepts no fields, and finds only the account’s messages', async () => {
    const id = await scheduled();
    expectProblem(await cancel(id, { key: null }), 401, 'missing_key');
    const sender = await server.newKey({ scopes: ['emails:send', 'emails:read'] });
    expectProblem(await cancel(id, { key: sender }), 403, 'missing_scope');
    const { key } = await server.newAccount();
    expectProblem(await cancel(id, { key }), 404, 'not_found');
    for (const unknown of ['00000000-0000-7000-8000-000000000000', 'x']) {
      expectProblem(await cancel(unknown), 404, 'not_found');
    }
    expectInvalid(await server.call(method, `/emails/${id}${suffix}?force=true`), 'force');
    expect((await read(id)).status).toBe('queued');
    expect((await server.call(method, `/v1/emails/${id.toUpperCase()}${suffix}`)).body).toEqual({
      id,
      status: 'canceled',
    });
  });
});

describe('emails.cancel of the SDK', () => {
  it('is the one method for both spellings', { tags: ['contract-surfaces.sdk-cancel-and-resend'] }, async () => {
    const server = await startTestApp();
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const { id } = await client.emails.send({
      from: 'a@sandbox.test',
      to: 'b@example.com',
      subject: 'x',
      text: 'y',
      scheduled_at: 'PT1H',
    });
    expect(await client.emails.cancel(id)).toEqual({ id, status: 'canceled' });
    expect('delete' in client.emails).toBe(false);
    await expect(client.emails.cancel(id)).rejects.toMatchObject({
      code: 'message_not_queued',
      status: 409,
      body: { currentStatus: 'canceled' },
    });
    await server.close();
  });
});
