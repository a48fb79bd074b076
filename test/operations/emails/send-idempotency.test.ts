import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('an idempotency key on a single send', () => {
  let server: TestApp;
  let serial = 0;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const fresh = () => {
    serial += 1;
    return `key-${serial}`;
  };
  const sendUnder = (key: string, body: Readonly<Record<string, unknown>> = {}, apiKey = server.key) =>
    server.send(body, { key: apiKey, headers: { 'idempotency-key': key } });
  const total = async () => (await server.call('GET', '/emails')).body.total;

  it('returns the first response again and sends nothing twice', {
    tags: ['contract-idempotency.single', 'contract-idempotency.replayed', 'send-request.idempotency-key'],
  }, async () => {
    const key = fresh();
    const first = await sendUnder(key, { to: 'a@example.com' });
    const before = [await total(), (await server.call('GET', '/keys/self')).body.quota.used];
    const second = await sendUnder(key, { to: 'a@example.com' });
    expect([second.status, second.body]).toEqual([202, first.body]);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect([await total(), (await server.call('GET', '/keys/self')).body.quota.used]).toEqual(before);
    const read = await server.settled(first.body.id);
    expect(read.body.status).toBe('delivered');
    expect((await sendUnder(key, { to: 'a@example.com' })).body).toEqual(first.body);
  });

  it('compares bodies by their content, not by the order of their fields', async () => {
    const key = fresh();
    const first = await sendUnder(key, { metadata: { a: '1', b: '2' } });
    const reordered = { metadata: { b: '2', a: '1' } };
    expect((await sendUnder(key, reordered)).headers.get('idempotency-replayed')).toBe('true');
    expectProblem(await sendUnder(key, { metadata: { a: '1', b: '3' } }), 422, 'idempotency_key_reused');
    expect((await sendUnder(key, reordered)).body).toEqual(first.body);
  });

  it('rejects another body under the same key, and distinguishes it from an invalid one', {
    tags: ['contract-idempotency.reused'],
  }, async () => {
    const key = fresh();
    await sendUnder(key);
    const response = await sendUnder(key, { subject: 'Other' });
    expectProblem(response, 422, 'idempotency_key_reused');
    expect(response.body.retryable).toBe(false);
    expectInvalid(await sendUnder(key, { subject: '' }), 'subject');
  });

  it.each(['k', 'x'.repeat(255), 'with space and ~!@#$%^&*()"\\', '0'])(
    'may be %j',
    { tags: ['contract-idempotency.form'] },
    async (key) => {
      const first = await sendUnder(key);
      expect(first.status).toBe(202);
      expect((await sendUnder(key)).body.id).toBe(first.body.id);
    },
  );

  it.each(['', 'x'.repeat(256), 'tab\there', 'ümlaut'])(
    'is rejected as %j',
    { tags: ['contract-idempotency.form'] },
    async (key) => {
      expectInvalid(await sendUnder(key), 'idempotency-key');
    },
  );

  it('belongs to the API key: no other key of the account can stall or replay it', {
    tags: ['contract-idempotency.form', 'holes.idempotency-scope'],
  }, async () => {
    const key = fresh();
    const first = await sendUnder(key);
    const other = await server.newAccount();
    const theirs = await sendUnder(key, {}, other.key);
    expect(theirs.body.id).not.toBe(first.body.id);
    expect(theirs.headers.get('idempotency-replayed')).toBeNull();
    const sibling = await server.newKey();
    const own = await sendUnder(key, { subject: 'Another body' }, sibling);
    expect([own.status, own.headers.get('idempotency-replayed')]).toEqual([202, null]);
    expect(own.body.id).not.toBe(first.body.id);
    expect((await sendUnder(key)).body.id).toBe(first.body.id);
    expect((await sendUnder(key, { subject: 'Another body' }, sibling)).body.id).toBe(own.body.id);
  });

  it('is released by a rejected send, which may be corrected and sent under the same key', {
    tags: ['contract-idempotency.refusals'],
  }, async () => {
    const key = fresh();
    const narrow = await server.newKey({ recipientAllowlist: ['@example.com'] });
    expectInvalid(await sendUnder(key, { subject: '' }), 'subject');
    expectProblem(await sendUnder(key, { from: 'a@nowhere.example' }), 403, 'domain_not_verified');
    expectProblem(await sendUnder(key, { to: 'a@example.org' }, narrow), 403, 'recipient_not_allowed');
    const sent = await sendUnder(key, { to: 'a@example.com' }, narrow);
    expect(sent.status).toBe(202);
    expect(sent.headers.get('idempotency-replayed')).toBeNull();
  });

  it('creates one message from 50 parallel requests; the others get the same response or a 409', {
    tags: ['contract-idempotency.in-progress'],
  }, async () => {
    const key = fresh();
    const before = await total();
    const responses = await Promise.all(Array.from({ length: 50 }, () => sendUnder(key)));
    const accepted = responses.filter(({ status }) => status === 202);
    const running = responses.filter(({ status }) => status === 409);
    expect(accepted.length + running.length).toBe(50);
    expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1);
    expect(accepted.filter(({ headers }) => headers.get('idempotency-replayed') === null)).toHaveLength(1);
    for (const response of running) {
      expectProblem(response, 409, 'idempotency_in_progress');
      expect(response.headers.get('retry-after')).toBe('1');
    }
    expect(await total()).toBe(before + 1);
    expect((await sendUnder(key)).headers.get('idempotency-replayed')).toBe('true');
  });

  it('is kept for 24 hours and no longer', { tags: ['contract-idempotency.form'] }, async () => {
    const key = fresh();
    const first = await sendUnder(key);
    server.clock.advance(24 * 3_600_000 - 60_000);
    expect((await sendUnder(key)).body.id).toBe(first.body.id);
    server.clock.advance(120_000);
    const later = await sendUnder(key, { subject: 'Another body, a day later' });
    expect(later.status).toBe(202);
    expect(later.body.id).not.toBe(first.body.id);
    expect((await sendUnder(key, { subject: 'Another body, a day later' })).body.id).toBe(later.body.id);
  });
});
