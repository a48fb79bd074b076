import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../packages/server/src/db/client.ts';
import { createKeyRates } from '../../packages/server/src/keys/key-rates.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { openLoggedIn } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

describe('the rate limit of a key', () => {
  let first: SubmissionApp;
  let processes: readonly TestApp[];
  beforeAll(async () => {
    first = await startSubmissionApp();
    const { database } = first;
    const further = await Promise.all(
      [1, 2, 3].map(() => startTestApp({ database, settings: { POSTRIDER_ROLES: 'api' } })),
    );
    processes = [first, ...further];
  });
  afterAll(async () => {
    for (const server of processes.slice(1)) await server.close();
    await first.close();
  });

  const self = (server: TestApp, key: string) => server.call('GET', '/keys/self', { key });
  const count = (responses: readonly TestResponse[], status: number) =>
    responses.filter((one) => one.status === status).length;
  const numbers = ({ headers }: TestResponse) => ({
    policy: headers.get('ratelimit-policy'),
    r: Number(/^"key";r=(\d+);t=\d+$/.exec(headers.get('ratelimit') ?? '')?.[1] ?? Number.NaN),
    t: Number(/;t=(\d+)$/.exec(headers.get('ratelimit') ?? '')?.[1] ?? Number.NaN),
  });

  it('allows the whole minute’s requests in a burst, then rejects with `retry-after`', {
    tags: ['keys.rate-limit', 'contract-errors.429', 'limits.rate-limit'],
  }, async () => {
    const key = await first.newKey({ rateLimit: 4 });
    const responses: TestResponse[] = [];
    for (let n = 0; n < 4; n += 1) responses.push(await self(first, key));
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(responses.map((response) => numbers(response).r)).toEqual([3, 2, 1, 0]);
    const refused = await self(first, key);
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.body.retryable).toBe(true);
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThanOrEqual(1);
    expect(wait).toBeLessThanOrEqual(15);
    expect(numbers(refused)).toEqual({ policy: '"key";q=4;w=60', r: 0, t: expect.any(Number) });
    expect(numbers(refused).t).toBeGreaterThan(50);
  });

  it('is in every authenticated response, errors of every kind included', {
    tags: ['keys.rate-limit-headers'],
  }, async () => {
    const key = await first.newKey({ scopes: ['emails:read'], rateLimit: 500 });
    const asked = await Promise.all([
      self(first, key),
      first.call('GET', '/account', { key }),
      first.call('GET', '/emails/x', { key }),
      first.call('GET', '/emails?limit=0', { key }),
      first.call('POST', '/emails', { key, rawBody: 'x' }),
      first.call('POST', '/mcp', { key, body: {} }),
    ]);
    expect(asked.map(({ status }) => status).slice(0, 5)).toEqual([200, 403, 404, 422, 403]);
    for (const response of asked) {
      expect(numbers(response)).toEqual({ policy: '"key";q=500;w=60', r: expect.any(Number), t: expect.any(Number) });
      expect(numbers(response).r).toBeLessThan(500);
    }
    const anonymous = await first.call('GET', '/keys/self', { key: null });
    expect(anonymous.headers.get('ratelimit')).toBeNull();
  });

  it('is checked after the address and before the scope', { tags: ['keys.check-order-address-and-rate'] }, async () => {
    const key = await first.newKey({ scopes: ['emails:read'], rateLimit: 1 });
    await first.database.sql`UPDATE api_keys SET ip_allowlist = '{203.0.113.0/24}' WHERE last4 = ${key.slice(-4)}`;
    expectProblem(await first.call('GET', '/account', { key }), 403, 'ip_not_allowed');
    await first.database.sql`UPDATE api_keys SET ip_allowlist = NULL WHERE last4 = ${key.slice(-4)}`;
    first.clock.advance(1_000);
    expectProblem(await first.call('GET', '/account', { key }), 403, 'missing_scope');
    expectProblem(await first.call('GET', '/account', { key }), 429, 'rate_limited');
    expectProblem(await first.call('GET', '/account', { key: 'pr_live_x' }), 401, 'invalid_key');
  });

  it.each([20, 7, 113])(
    'is exact over four processes with 64 clients: %i pass and no more',
    { tags: ['keys.rate-limit'] },
    async (rateLimit) => {
      const key = await first.newKey({ rateLimit });
      const began = performance.now();
      const responses = await Promise.all(
        Array.from({ length: 64 }, async (_, client) => {
          const own: TestResponse[] = [];
          for (let n = 0; n < 4; n += 1) {
            const server = processes[(client + n) % processes.length];
            if (server !== undefined) own.push(await self(server, key));
          }
          return own;
        }),
      );
      const refilled = Math.ceil(((performance.now() - began) / 60_000) * rateLimit);
      const gone = count(responses.flat(), 200);
      // On a machine that is short of time: counted or not, no one knows.
      const unknown = count(responses.flat(), 503);
      expect(gone + unknown).toBeGreaterThanOrEqual(rateLimit);
      expect(gone).toBeLessThanOrEqual(rateLimit + refilled);
      expect(count(responses.flat(), 429)).toBe(256 - gone - unknown);
    },
  );

  it('refills a sixtieth of the minute’s allowance each second', { tags: ['keys.rate-limit'] }, async () => {
    const key = await first.newKey({ rateLimit: 60 });
    const responses = await Promise.all(Array.from({ length: 70 }, () => self(first, key)));
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('1');
    await first.database.sql`SELECT pg_sleep(1.1)`;
    expect((await self(first, key)).status).toBe(200);
  });

  it('counts each call in one JSON-RPC body, and rejects it in a way that the model sees', async () => {
    const key = await first.newKey({ rateLimit: 3 });
    const call = (id: number) => {
      return { jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'get_sending_context', arguments: {} } };
    };
    const headers = { accept: 'application/json, text/event-stream' };
    const body = Array.from({ length: 8 }, (_, id) => call(id));
    const response = await first.call('POST', '/mcp', { key, headers, body });
    expect(response.status).toBe(200);
    expect([...String(response.body).matchAll(/"code":"rate_limited"/g)]).toHaveLength(5);
    expectProblem(await self(first, key), 429, 'rate_limited');
    const later = await first.call('POST', '/mcp', { key, headers, body: call(9) });
    expect([later.status, String(later.body)]).toEqual([200, expect.stringContaining('"code":"rate_limited"')]);
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    expectProblem(await first.call('POST', '/mcp', { key, headers, body: list }), 429, 'rate_limited');
  });

  it('counts a message over SMTP as one request', async () => {
    const key = await first.newKey({ rateLimit: 2 });
    expect((await self(first, key)).status).toBe(200);
    const session = await openLoggedIn(first.smtp.tlsPort, key);
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^250 /);
    await session.say('RSET');
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^451 4\.7\.1 rate_limited: /);
    session.close();
  });

  it('is in the request log of the account when it rejects', async () => {
    const key = await first.newKey({ rateLimit: 1 });
    await self(first, key);
    const refused = await self(first, key);
    await expect
      .poll(async () => (await first.call('GET', `/requests/${refused.headers.get('x-request-id')}`)).body)
      .toMatchObject({ status: 429, code: 'rate_limited', path: '/keys/self' });
  });

  it('takes effect within a second of a change, on every process', { tags: ['keys.manage'] }, async () => {
    const key = await first.newKey({ rateLimit: 50 });
    const other = processes[1] as TestApp; // Four were started.
    const { id } = (await self(other, key)).body;
    expect((await first.call('PATCH', `/keys/${id}`, { body: { rateLimit: 1 } })).status).toBe(200);
    expectProblem(await self(first, key), 429, 'rate_limited');
    other.clock.advance(600);
    const refused = await self(other, key);
    expectProblem(refused, 429, 'rate_limited');
    expect(numbers(refused).policy).toBe('"key";q=1;w=60');
  });
});

describe('a process that counts requests of a key', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const callerOf = async (rateLimit: number) => {
    const { body } = await server.call('GET', '/keys/self', { key: await server.newKey({ rateLimit }) });
    return { accountId: server.accountId, keyId: body.id as string, rateLimit };
  };

  it('takes many tokens from the database in one query, and returns unused ones', async () => {
    const { sql } = server.database;
    const caller = await callerOf(100_000);
    const before = async () =>
      Number((await sql`SELECT used FROM key_rates WHERE key_id = ${caller.keyId}`)[0]?.['used']);
    const rates = createKeyRates(sql);
    const kinds: string[] = [];
    for (let n = 0; n < 400; n += 1) {
      const verdict = rates.take(caller);
      kinds.push(verdict instanceof Promise ? 'asked' : 'lent');
      expect((await verdict).ok).toBe(true);
    }
    expect(kinds.filter((kind) => kind === 'asked').length).toBeLessThan(100);
    await rates.close();
    // One was counted when the key was read; the bucket runs out meanwhile, so that it can only hold less.
    expect(await before()).toBeLessThanOrEqual(401.001);
  });

  it('is lent nothing while the database responds late, since it would be late to give it back', async () => {
    const { sql } = server.database;
    const caller = { ...(await callerOf(1_000)), rateLimit: 1_000 };
    const late: Sql = {
      ...sql,
      run: async <Row>(text: string, parameters?: readonly unknown[]) => {
        await pause(140);
        return await sql.run<Row>(text, parameters);
      },
    };
    const rates = createKeyRates(late);
    const burst = () => Promise.all(Array.from({ length: 20 }, () => rates.take(caller)));
    for (let n = 0; n < 4; n += 1) {
      expect((await burst()).every(({ ok }) => ok)).toBe(true);
      const next = rates.take(caller);
      expect(next).toBeInstanceOf(Promise);
      expect((await next).ok).toBe(true);
    }
    await rates.close();
  });

  it('lets another one wait for the tokens that it may return, rather than reject', {
    tags: ['keys.rate-limit'],
  }, async () => {
    const { sql } = server.database;
    const caller = { ...(await callerOf(40)), rateLimit: 40 };
    const [busy, other] = [createKeyRates(sql), createKeyRates(sql)];
    // Until something is lent to the busy one: the first it has and has not used.
    let gone = 1;
    for (let lent = false; !lent; gone += 1) {
      const verdict = busy.take(caller);
      lent = !(verdict instanceof Promise);
      expect((await verdict).ok).toBe(true);
    }
    const verdicts = await Promise.all(Array.from({ length: 60 }, () => other.take(caller)));
    gone += verdicts.filter(({ ok }) => ok).length;
    expect(gone).toBeGreaterThanOrEqual(40);
    expect(gone).toBeLessThanOrEqual(41);
    await Promise.all([busy.close(), other.close()]);
  });

  it('returns 503 while the database is down, and rejects no one permanently', async () => {
    const { sql } = server.database;
    const caller = await callerOf(10);
    await sql`ALTER TABLE key_rates RENAME TO key_rates_gone`;
    const rates = createKeyRates(sql);
    await expect(rates.take(caller)).rejects.toThrow();
    await sql`ALTER TABLE key_rates_gone RENAME TO key_rates`;
    expect((await rates.take(caller)).ok).toBe(true);
    await rates.close();
  });
});
