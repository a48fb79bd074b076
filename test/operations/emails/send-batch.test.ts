import { randomUUID } from 'node:crypto';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { DEFAULT_SEND, startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('POST /emails/batch', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const sendBatch = (emails: unknown, options: { key?: string; headers?: Record<string, string> } = {}) =>
    server.call('POST', '/emails/batch', { ...options, body: { emails } });
  const item = (given: Readonly<Record<string, unknown>> = {}) => ({ ...DEFAULT_SEND, ...given });
  const suppress = async (email: string, accountId = server.accountId) => {
    await server.database.sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${accountId}, ${randomUUID()}, ${email}, 'manual', now())`;
  };

  /** An item's problem in the one shape that every refusal has. */
  const problem = (response: TestResponse, status: number, code: string) => {
    const words = expect.stringMatching(/\S/);
    return {
      ...{ type: expect.stringMatching(new RegExp(`#error-${code}$`)), title: words, status, detail: words, code },
      ...{ fix: words, retryable: expect.any(Boolean), requestId: response.headers.get('x-request-id') },
    };
  };

  it('returns 207 with one accepted item an entry, in order', {
    tags: [
      'emails-batch.request',
      'emails-batch.response',
      'batch-response.accepted',
      'batch-response.refused',
      'batch-response.total',
      'batch-response.results',
      'batch-response.index',
      'batch-response.ok',
      'batch-response.id',
      'batch-response.status',
      'states.batch-item-accepted',
    ],
  }, async () => {
    const response = await sendBatch([item({ subject: 'One' }), item({ subject: 'Two' }), item({ subject: 'Three' })]);
    expect(response.status).toBe(207);
    expect(response.body).toEqual({
      accepted: 3,
      refused: 0,
      total: 3,
      results: [0, 1, 2].map((index) => ({ index, ok: true, id: UUID, status: 'queued' })),
    });
    const reads = await Promise.all(response.body.results.map(({ id }: { id: string }) => server.settled(id)));
    expect(reads.map(({ body }) => [body.subject, body.status])).toEqual([
      ['One', 'delivered'],
      ['Two', 'delivered'],
      ['Three', 'delivered'],
    ]);
  });

  it('judges each item by itself: a rejected item fails no other, whatever the reason', {
    tags: [
      'emails-batch.independent',
      'errors.batch',
      'errors.batch-reasons',
      'service.check-batch',
      'batch-response.refused-item',
      'contract-errors.batch',
    ],
  }, async () => {
    const { accountId, key: full } = await server.newAccount();
    await server.database.sql`UPDATE accounts SET monthly_quota = 2 WHERE id = ${accountId}`;
    await suppress('gone@example.com', accountId);
    const key = await server.newKey({ accountId, recipientAllowlist: ['@example.com', '@sandbox.test'] });
    const response = await sendBatch(
      [
        item({ to: 'a@example.com' }),
        item({ to: 'Gone@Example.com' }),
        item({ bcc: 'a@example.org' }),
        item({ from: 'a@nowhere.example' }),
        item({ to: ['b@example.com', 'c@example.com'] }),
        item({ to: 'd@example.com' }),
        item({ to: 'e@example.com' }),
        item(),
      ],
      { key },
    );
    expect(response.status).toBe(207);
    expect(response.body).toMatchObject({ accepted: 3, refused: 5, total: 8 });
    const refused = (index: number, status: number, code: string, more = {}) => ({
      index,
      ok: false,
      error: { ...problem(response, status, code), ...more },
    });
    expect(response.body.results).toEqual([
      { index: 0, ok: true, id: UUID, status: 'queued' },
      refused(1, 422, 'recipient_suppressed', {
        recipients: [{ email: 'Gone@example.com', kind: 'to', code: 'recipient_suppressed' }],
      }),
      refused(2, 403, 'recipient_not_allowed', {
        recipients: [{ email: 'a@example.org', kind: 'bcc', code: 'recipient_not_allowed' }],
      }),
      refused(3, 403, 'domain_not_verified'),
      refused(4, 402, 'quota_exceeded'),
      { index: 5, ok: true, id: UUID, status: 'queued' },
      refused(6, 402, 'quota_exceeded'),
      { index: 7, ok: true, id: UUID, status: 'queued' },
    ]);
    expect((await server.call('GET', '/keys/self', { key: full })).body.quota).toMatchObject({ used: 2, remaining: 0 });
  });

  it('rejects an invalid item by its own paths, also one that is not an object', {
    tags: ['contract-batch.invalid-item'],
  }, async () => {
    const response = await sendBatch([
      item({ to: 'nobody', subject: '' }),
      null,
      'a string',
      [],
      7,
      {},
      item({ unknown: 1 }),
      item({ tags: Array.from({ length: 11 }, (_, index) => `t${index}`) }),
      item(),
    ]);
    expect(response.status).toBe(207);
    expect(response.body).toMatchObject({ accepted: 1, refused: 8, total: 9 });
    for (const result of response.body.results.slice(0, 8)) {
      expect(result).toEqual({
        index: result.index,
        ok: false,
        error: { ...problem(response, 422, 'validation_failed'), errors: expect.any(Array) },
      });
    }
    const pathsOf = (index: number) =>
      response.body.results[index].error.errors.map(({ path, code }: { path: string; code: string }) => [path, code]);
    expect(pathsOf(0)).toEqual(
      expect.arrayContaining([
        ['to', 'invalid_email'],
        ['subject', 'too_short'],
      ]),
    );
    for (const index of [1, 2, 3, 4]) expect(pathsOf(index)).toEqual([['body', 'invalid_type']]);
    expect(pathsOf(5)).toEqual(
      expect.arrayContaining([
        ['from', 'required'],
        ['to', 'required'],
      ]),
    );
    expect(pathsOf(6)).toEqual([['unknown', 'unknown_field']]);
    expect(pathsOf(7)).toEqual([['tags', 'too_many']]);
  });

  it('rejects an item whose text no database can store, and no other', async () => {
    const response = await server.call('POST', '/emails/batch', {
      rawBody: `{"emails":[${JSON.stringify(item())},{"from":"a@sandbox.test","to":"b@sandbox.test","subject":"x","text":"a\\u0000b"},{"subject":"\\ud800"},{"from":"a@sandbox.test","to":"b@sandbox.test","subject":"x","text":"y","metadata":{"__proto__":"z"}},${JSON.stringify(item())}]}`,
    });
    expect(response.status).toBe(207);
    expect(response.body.results.map(({ ok }: { ok: boolean }) => ok)).toEqual([true, false, false, false, true]);
    expect(response.body.results[1].error.errors).toMatchObject([{ path: 'text', code: 'invalid_unicode' }]);
    expect(response.body.results[2].error.errors).toMatchObject([{ path: 'subject', code: 'invalid_unicode' }]);
    expect(response.body.results[3].error.errors).toMatchObject([
      { path: 'metadata.__proto__', code: 'invalid_value' },
    ]);
  });

  it('accepts 100 items and rejects the call with 101, with none, and with anything but a list', {
    tags: ['limits.batch', 'emails-batch.request', 'contract-batch.whole-call'],
  }, async () => {
    const hundred = await sendBatch(Array.from({ length: 100 }, (_, index) => item({ subject: `${index}` })));
    expect([hundred.status, hundred.body.accepted, hundred.body.total]).toEqual([207, 100, 100]);
    expectInvalid(await sendBatch(Array.from({ length: 101 }, () => item())), ['emails', 'too_many']);
    expectInvalid(await sendBatch([]), ['emails', 'too_few']);
    expectInvalid(await sendBatch(undefined), ['emails', 'required']);
    for (const wrong of [null, {}, 'x', 1]) expectInvalid(await sendBatch(wrong), ['emails', 'invalid_type']);
    for (const rawBody of ['[]', 'null', '"x"', '7']) {
      const response = await server.call('POST', '/emails/batch', { rawBody });
      expectInvalid(response, ['emails', 'invalid_type']);
      expect(response.body.errors[0].message).toBe('must be in an object: send `{"emails": […]}`');
    }
  });

  it('reports an item that is no object with the path of a body, relative to the item', async () => {
    const { body } = await sendBatch(['x', null, item()]);
    expect(body).toMatchObject({ accepted: 1, refused: 2 });
    expect(body.results[0].error.errors).toEqual([
      { path: 'body', code: 'invalid_type', message: 'must be an object' },
    ]);
    expect(body.results[1].error.errors).toMatchObject([{ path: 'body', code: 'invalid_type' }]);
  });

  it('rejects the call for an unknown field beside the items, and for any error of the call itself', {
    tags: ['contract-batch.whole-call'],
  }, async () => {
    const unknown = await server.call('POST', '/emails/batch', { body: { emails: [item()], dry_run: true } });
    expectInvalid(unknown, ['dry_run', 'unknown_field']);
    expectInvalid(await server.call('POST', '/emails/batch?dry_run=true', { body: { emails: [item()] } }), 'dry_run');
    expectProblem(await sendBatch([item()], { key: 'pr_live_x' }), 401, 'invalid_key');
    const reader = await server.newKey({ scopes: ['emails:read'] });
    expectProblem(await sendBatch([item()], { key: reader }), 403, 'missing_scope');
    expectProblem(await server.call('POST', '/emails/batch', { rawBody: '{' }), 400, 'invalid_json');
    expectProblem(await server.call('GET', '/emails/batch'), 405, 'method_not_allowed');
    expect((await server.call('POST', '/v1/emails/batch', { body: { emails: [item()] } })).status).toBe(207);
  });

  it('returns the quota after the call', { tags: ['contract-quota.headers'] }, async () => {
    const { key } = await server.newAccount();
    const response = await sendBatch(
      [item({ to: ['a@example.com', 'b@example.com'] }), item({ to: 'c@example.com' }), {}],
      { key },
    );
    expect(response.headers.get('x-quota-limit')).toBe('100000');
    expect(response.headers.get('x-quota-remaining')).toBe('99997');
    expect(response.headers.get('idempotency-replayed')).toBeNull();
  });

  it('keeps the provenance of each item, with the headers for those without one', {
    tags: ['emails-batch.provenance'],
  }, async () => {
    const headers = { 'x-service-agent': 'herald', 'x-service-source': 'automation' };
    const response = await sendBatch(
      [item({ agent_name: 'own', source: 'system', channel: 'sdk' }), item({ source: 'agent' }), item()],
      { headers },
    );
    const reads = await Promise.all(
      response.body.results.map(async ({ id }: { id: string }) => (await server.call('GET', `/emails/${id}`)).body),
    );
    expect(reads.map(({ channel, source, agentName }) => [channel, source, agentName])).toEqual([
      ['sdk', 'system', 'own'],
      ['api', 'agent', 'herald'],
      ['api', 'automation', 'herald'],
    ]);
  });

  describe('with an idempotency key', () => {
    it('replays accepted items and retries rejected ones', {
      tags: [
        'emails-batch.idempotency-key',
        'emails-batch.item-keys',
        'contract-idempotency.batch',
        'send-request.idempotency-key-batch',
      ],
    }, async () => {
      const { accountId, key } = await server.newAccount();
      await suppress('back@example.com', accountId);
      const headers = { 'idempotency-key': 'monday' };
      const emails = [item({ to: 'a@example.com' }), item({ to: 'back@example.com' }), item({ to: 'b@example.com' })];
      const first = await sendBatch(emails, { key, headers });
      expect(first.body).toMatchObject({ accepted: 2, refused: 1 });
      await server.database.sql`DELETE FROM suppressions WHERE account_id = ${accountId}`;
      const second = await sendBatch(emails, { key, headers });
      expect(second.headers.get('idempotency-replayed')).toBe('true');
      expect(second.body).toMatchObject({ accepted: 3, refused: 0 });
      expect(second.body.results[0]).toEqual(first.body.results[0]);
      expect(second.body.results[2]).toEqual(first.body.results[2]);
      expect((await sendBatch(emails, { key, headers })).body).toEqual(second.body);
      expect((await server.call('GET', '/emails', { key })).body.total).toBe(3);
      expect((await server.call('GET', '/keys/self', { key })).body.quota.used).toBe(3);
      const stored = await server.database
        .sql`SELECT key FROM idempotency_keys WHERE account_id = ${accountId} ORDER BY key`;
      expect(stored.map((row) => row['key'])).toEqual(['monday:0', 'monday:1', 'monday:2']);
    });

    it('rejects the item whose body has changed, and is shared with single sends of that key', {
      tags: ['contract-idempotency.batch'],
    }, async () => {
      const headers = { 'idempotency-key': 'shared' };
      const first = await sendBatch([item(), item({ subject: 'Second' })], { headers });
      const changed = await sendBatch([item(), item({ subject: 'Changed' })], { headers });
      expect(changed.body.results[0]).toEqual(first.body.results[0]);
      expect(changed.body.results[1]).toMatchObject({
        ok: false,
        error: { code: 'idempotency_key_reused', status: 422 },
      });
      const single = await server.send({}, { headers: { 'idempotency-key': 'shared:0' } });
      expect([single.body.id, single.headers.get('idempotency-replayed')]).toEqual([first.body.results[0].id, 'true']);
    });

    it('accepts keys of 1 to 255 characters, as every send does', async () => {
      const emails = Array.from({ length: 11 }, () => item());
      const withKey = (length: number) => ({ headers: { 'idempotency-key': 'k'.repeat(length) } });
      const first = await sendBatch(emails, withKey(255));
      const again = await sendBatch(emails, withKey(255));
      expect([first.status, again.body.results]).toEqual([207, first.body.results]);
      expectInvalid(await sendBatch([item()], withKey(256)), ['idempotency-key', 'too_long']);
      expectInvalid(await sendBatch([item()], { headers: { 'idempotency-key': '' } }), 'idempotency-key');
    });

    it('creates one message an item from 20 parallel calls', async () => {
      const { key } = await server.newAccount();
      const emails = Array.from({ length: 5 }, (_, index) => item({ subject: `${index}` }));
      const headers = { 'idempotency-key': 'race' };
      const responses = await Promise.all(Array.from({ length: 20 }, () => sendBatch(emails, { key, headers })));
      const results = responses.flatMap(({ body }) => body.results);
      const ids = new Set(results.flatMap(({ id }: { id?: string }) => (id === undefined ? [] : [id])));
      expect(ids.size).toBe(5);
      for (const { ok, error } of results) if (!ok) expect(error.code).toBe('idempotency_in_progress');
      expect((await server.call('GET', '/emails', { key })).body.total).toBe(5);
    });
  });

  it('checks an item with `dry_run` and sends the others', { tags: ['contract-dry-run.batch-item'] }, async () => {
    const { key } = await server.newAccount();
    const response = await sendBatch(
      [item({ dry_run: true }), item(), item({ dry_run: true, from: 'a@nowhere.example' }), { dry_run: true }],
      { key, headers: { 'idempotency-key': 'partly' } },
    );
    expect(response.body).toMatchObject({ accepted: 2, refused: 2, total: 4 });
    expect(response.body.results).toEqual([
      { index: 0, ok: true, dryRun: true, result: expect.objectContaining({ dryRun: true, ok: true }) },
      { index: 1, ok: true, id: UUID, status: 'queued' },
      { index: 2, ok: false, dryRun: true, result: expect.objectContaining({ dryRun: true, ok: false }) },
      { index: 3, ok: false, error: expect.objectContaining({ code: 'validation_failed' }) },
    ]);
    expect((await server.call('GET', '/emails', { key })).body.total).toBe(1);
  });

  it('gives every test address its outcome, with labels and in any case', {
    tags: ['contract-test-addresses.whole-pipeline'],
  }, async () => {
    const outcomes = {
      delivered: ['delivered', null],
      'Deferred+x': ['delivered', null],
      'bounced+Label.1': ['bounced', 'hard'],
      SOFT: ['bounced', 'soft'],
      'blocked+a+b': ['bounced', 'block'],
      complained: ['complained', 'spam'],
    };
    const { key } = await server.newAccount();
    const locals = Object.keys(outcomes);
    const response = await sendBatch(
      locals.map((local) => item({ to: `${local}@Sandbox.Test` })),
      { key },
    );
    const reads = await Promise.all(
      response.body.results.map(
        async ({ id }: { id: string }) => (await server.call('GET', `/emails/${id}?wait=10`, { key })).body,
      ),
    );
    expect(reads.map(({ status, events }) => [status, events.at(-1).classification])).toEqual(Object.values(outcomes));
    expect((await server.call('GET', '/keys/self', { key })).body.quota.used).toBe(0);
    const suppressed = await server.database.sql`SELECT email FROM suppressions WHERE email LIKE '%@sandbox.test'`;
    expect(suppressed).toHaveLength(0);
  });

  it('is `emails.sendBatch` of the SDK, with the channel `sdk` by default', {
    tags: ['contract-surfaces.sdk-send-batch', 'contract-sending.channel-clients'],
  }, async () => {
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const outcome = await client.emails.sendBatch({
      emails: [item(), item({ channel: 'smtp' }), item({ to: 'nobody' })],
    });
    expect(outcome).toMatchObject({ accepted: 2, refused: 1, total: 3 });
    const channels = await Promise.all(
      outcome.results.slice(0, 2).map(async ({ id = '' }) => (await client.emails.get(id)).channel),
    );
    expect(channels).toEqual(['sdk', 'smtp']);
    expect(outcome.results[2]?.error?.code).toBe('validation_failed');
  });
});
