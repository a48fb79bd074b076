import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const outside = (count: number) => Array.from({ length: count }, (_, index) => `r${index}@example.com`);

describe('the monthly quota', () => {
  let server: TestApp;
  let small: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
    small = await startTestApp({ database: server.database, settings: { POSTRIDER_MONTHLY_QUOTA: '5' } });
  });
  afterAll(async () => {
    await small.close();
    await server.close();
  });

  const quotaOf = async (app: TestApp, key = app.key) => (await app.call('GET', '/keys/self', { key })).body.quota;
  const headersOf = ({ headers }: { headers: Headers }) => [
    headers.get('x-quota-limit'),
    headers.get('x-quota-remaining'),
  ];

  it('is 100,000 by default, and otherwise the value of the setting or the account', {
    tags: ['limits.quota-default', 'limits.quota-value', 'contract-settings.monthly-quota'],
  }, async () => {
    expect(await quotaOf(server)).toMatchObject({ limit: 100_000, used: 0, remaining: 100_000 });
    expect(await quotaOf(small)).toMatchObject({ limit: 5, used: 0, remaining: 5 });
    const own = await server.newAccount('With a quota of its own');
    await server.database.sql`UPDATE accounts SET monthly_quota = 7 WHERE id = ${own.accountId}`;
    expect(await quotaOf(server, own.key)).toMatchObject({ limit: 7, remaining: 7 });
  });

  it('counts each to, cc and bcc recipient once, and no reply_to', {
    tags: ['limits.quota', 'contract-quota.unit', 'send-request.cc', 'send-request.bcc', 'send-request.reply-to'],
  }, async () => {
    const { key } = await server.newAccount();
    const sent = await server.send(
      {
        to: ['a@example.com', 'A@example.com'],
        cc: ['a@example.com', 'b@example.com'],
        bcc: ['c@example.com', 'B@example.com'],
        reply_to: 'd@example.com',
      },
      { key },
    );
    expect(sent.status).toBe(202);
    expect(await quotaOf(server, key)).toMatchObject({ used: 3, remaining: 99_997 });
  });

  it('is counted at acceptance and returned in headers', {
    tags: ['contract-quota.headers', 'contract-quota.unit'],
  }, async () => {
    const { key } = await server.newAccount();
    const first = await server.send({ to: outside(2) }, { key });
    expect(headersOf(first)).toEqual(['100000', '99998']);
    expect((await quotaOf(server, key)).used).toBe(2);
    const headers = { 'idempotency-key': 'quota' };
    expect(headersOf(await server.send({ to: outside(3) }, { key, headers }))).toEqual(['100000', '99995']);
    expect(headersOf(await server.send({ to: outside(3) }, { key, headers }))).toEqual(['100000', '99995']);
  });

  it('accepts the last recipient and rejects one more, without charging the rejected send', {
    tags: ['service.check-quota'],
  }, async () => {
    const { key } = await small.newAccount();
    expect((await small.send({ to: outside(3) }, { key })).status).toBe(202);
    const refused = await small.send({ to: outside(3) }, { key });
    expectProblem(refused, 402, 'quota_exceeded');
    expect(headersOf(refused)).toEqual(['5', '2']);
    expect(refused.body.detail).toContain('2 of the 5');
    expect(headersOf(await small.send({ to: outside(2) }, { key }))).toEqual(['5', '0']);
    for (const kind of ['to', 'cc', 'bcc']) {
      expectProblem(await small.send({ [kind]: outside(1) }, { key }), 402, 'quota_exceeded');
    }
    expect((await small.send({ reply_to: 'r@example.com' }, { key })).status).toBe(202);
    expect(await quotaOf(small, key)).toMatchObject({ limit: 5, used: 5, remaining: 0 });
  });

  it('charges nothing for test addresses, because nothing leaves', {
    tags: ['contract-quota.test-addresses-free'],
  }, async () => {
    const { key } = await small.newAccount();
    await small.send({ to: outside(5) }, { key });
    const free = await small.send({ to: ['delivered@sandbox.test', 'bounced+x@sandbox.test'] }, { key });
    expect([free.status, ...headersOf(free)]).toEqual([202, '5', '0']);
    const { key: fresh } = await small.newAccount();
    const mixed = await small.send({ to: [...outside(1), 'delivered@sandbox.test'] }, { key: fresh });
    expect(headersOf(mixed)).toEqual(['5', '4']);
  });

  it('counts each account by itself', async () => {
    const [one, two] = [await small.newAccount(), await small.newAccount()];
    await small.send({ to: outside(5) }, { key: one.key });
    expect((await small.send({ to: outside(5) }, { key: two.key })).status).toBe(202);
  });

  it('is exact to the last unit under 64 parallel senders in two processes', {
    tags: ['contract-quota.exact'],
  }, async () => {
    const { key, accountId } = await server.newAccount();
    await server.database.sql`UPDATE accounts SET monthly_quota = 50 WHERE id = ${accountId}`;
    const responses = await Promise.all(
      Array.from({ length: 64 }, (_, index) => (index % 2 ? server : small).send({ to: outside(3) }, { key })),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(16);
    for (const response of responses.filter(({ status }) => status !== 202))
      expectProblem(response, 402, 'quota_exceeded');
    expect(await quotaOf(server, key)).toMatchObject({ limit: 50, used: 48, remaining: 2 });
    expect((await server.send({ to: outside(2) }, { key })).status).toBe(202);
    const accepted = responses.filter(({ status }) => status === 202);
    const left = accepted.map((response) => Number(headersOf(response)[1]));
    expect(left.sort((a, b) => a - b)).toEqual(Array.from({ length: 16 }, (_, index) => 2 + 3 * index));
  });

  it('counts what is accepted and not canceled, also while cancels run beside sends', {
    tags: ['contract-quota.exact'],
  }, async () => {
    const { key, accountId } = await server.newAccount();
    await server.database.sql`UPDATE accounts SET monthly_quota = 30 WHERE id = ${accountId}`;
    // Queued until then, so that it can be canceled.
    const send = async (app: TestApp) => await app.send({ to: outside(1), scheduled_at: 'PT1H' }, { key });
    const both = (count: number) => Array.from({ length: count }, (_, index) => (index % 2 ? server : small));
    const first = await Promise.all(both(40).map(send));
    const ids = first.flatMap(({ status, body }) => (status === 202 ? [body.id as string] : []));
    expect(ids).toHaveLength(30);
    const cancels = ids
      .slice(0, 15)
      .map((id, index) => (index % 2 ? small : server).call('DELETE', `/emails/${id}`, { key }));
    const beside = await Promise.all(both(30).map(send));
    for (const { status } of await Promise.all(cancels)) expect(status).toBe(200);
    const after = await Promise.all(both(20).map(send));
    const further = [...beside, ...after].filter(({ status }) => status === 202);
    expect(further).toHaveLength(15);
    expect(await quotaOf(server, key)).toMatchObject({ limit: 30, used: 30, remaining: 0 });
    const [charged] = await server.database
      .sql`SELECT sum(charged)::int AS sum FROM messages WHERE account_id = ${accountId}`;
    expect(charged?.['sum']).toBe(30);
  });

  it('starts again with each UTC month', { tags: ['contract-quota.months'] }, async () => {
    const { key } = await small.newAccount();
    await small.send({ to: outside(5) }, { key });
    const { resetsAt } = await quotaOf(small, key);
    expect(resetsAt).toMatch(/^\d{4}-\d{2}-01T00:00:00\.000Z$/);
    small.clock.advance(Date.parse(resetsAt) - small.clock.now().getTime() - 5_000);
    expectProblem(await small.send({ to: outside(1) }, { key }), 402, 'quota_exceeded');
    small.clock.advance(10_000);
    expect(await quotaOf(small, key)).toMatchObject({ used: 0, remaining: 5 });
    expect((await small.send({ to: outside(5) }, { key })).status).toBe(202);
  });
});
