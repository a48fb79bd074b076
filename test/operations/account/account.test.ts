import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the account', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const read = async (key: string) => (await server.call('GET', '/account', { key })).body;
  const change = (key: string, body: unknown) => server.call('PATCH', '/account', { key, body });

  it('GET /account returns exactly its fields, with their defaults', {
    tags: [
      'account.read',
      'account.record-fields',
      'account.plan',
      'account-and-statistics.account-read',
      'account-and-statistics.tracking-flags',
    ],
  }, async () => {
    const { accountId, key } = await server.newAccount('Fresh');
    const response = await server.call('GET', '/account', { key });
    expect(response.status).toBe(200);
    expect(response.body).toEqual({
      id: accountId,
      name: 'Fresh',
      plan: 'self_hosted',
      monthlyQuota: 100_000,
      monthlyUsed: 0,
      quotaResetsAt: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
      domains: { used: 0, limit: 50 },
      seats: { used: 1, limit: 25 },
      reputationLevel: 'good',
      pausedAt: null,
      retentionDays: 30,
      trackOpens: false,
      trackClicks: false,
      approvers: { requirePasskey: false, count: 1 },
      deletionScheduledAt: null,
      sandboxDomain: 'sandbox.test',
    });
  });

  it('counts recipients, domains and members together', async () => {
    const { accountId, key } = await server.newAccount();
    await server.addDomain('shop.test', accountId);
    await server.addDomain('gone.test', accountId);
    await server.database
      .sql`UPDATE sending_domains SET status = 'removed' WHERE account_id = ${accountId} AND name = 'gone.test'`;
    await server.database.sql`
      INSERT INTO members (account_id, id, email, role, status, joined_at)
      VALUES (${accountId}, gen_random_uuid(), 'new@shop.test', 'developer', 'invited', now())`;
    await server.database.sql`UPDATE accounts SET monthly_quota = 10, plan = 'large' WHERE id = ${accountId}`;
    await server.send({ to: ['a@example.com', 'b@example.com', 'delivered@sandbox.test'] }, { key });
    expect(await read(key)).toMatchObject({
      plan: 'large',
      monthlyQuota: 10,
      monthlyUsed: 2,
      domains: { used: 1 },
      seats: { used: 2 },
    });
  });

  it('PATCH /account changes the fields in the request and leaves the rest', {
    tags: ['account.update', 'account.update-fields'],
  }, async () => {
    const { key } = await server.newAccount();
    const first = await change(key, { trackOpens: true });
    expect(first.status).toBe(200);
    expect(first.body).toMatchObject({ name: 'Other', trackOpens: true, trackClicks: false });
    expect((await change(key, { name: 'Acme Ltd', trackClicks: true })).body).toMatchObject({ name: 'Acme Ltd' });
    expect((await change(key, { trackOpens: false })).body).toEqual(await read(key));
    expect(await read(key)).toMatchObject({ name: 'Acme Ltd', trackOpens: false, trackClicks: true });
    expect((await change(key, {})).body).toEqual(await read(key));
    expect((await server.call('GET', '/keys/self', { key })).body.account.name).toBe('Acme Ltd');
  });

  it('has every change in the audit log', async () => {
    const { key } = await server.newAccount();
    await change(key, { name: 'Acme Ltd', trackClicks: true });
    await change(key, { name: 'Acme Ltd', trackClicks: true });
    await change(key, { trackOpens: false });
    await change(key, {});
    await change(key, { trackClicks: false });
    const { entries } = (await server.call('GET', '/audit?action=account', { key })).body;
    const actor = (await server.call('GET', '/keys/self', { key })).body.id;
    expect(entries).toMatchObject([
      { action: 'account.updated', actor, targetId: null, details: { trackClicks: false } },
      { action: 'account.updated', actor, targetId: null, details: { name: 'Acme Ltd', trackClicks: true } },
    ]);
    expect(entries).toHaveLength(2);
  });

  it('accepts `cancelDeletion: true`, which changes nothing without a scheduled deletion', {
    tags: ['account.update-fields'],
  }, async () => {
    const { key } = await server.newAccount();
    const { status, body } = await change(key, { cancelDeletion: true });
    expect([status, body.deletionScheduledAt]).toEqual([200, null]);
    expectInvalid(await change(key, { cancelDeletion: false }), 'cancelDeletion');
  });

  it.each([
    [{ trackOpens: 'true' }, ['trackOpens', 'invalid_type']],
    [{ trackClicks: null }, ['trackClicks', 'invalid_type']],
    [{ name: '' }, ['name', 'too_short']],
    [{ name: 'x'.repeat(101) }, ['name', 'too_long']],
    [{ name: 'a\nb' }, ['name', 'forbidden_character']],
    [{ name: ' a' }, ['name', 'invalid_format']],
    [{ plan: 'large' }, ['plan', 'unknown_field']],
    [{ id: 'x' }, ['id', 'unknown_field']],
    [{ deletionScheduledAt: null }, ['deletionScheduledAt', 'unknown_field']],
  ] as const)('rejects %j, and changes nothing', async (body, field) => {
    const before = await read(server.key);
    expectInvalid(await change(server.key, { trackOpens: true, ...body }), field);
    expect(await read(server.key)).toEqual(before);
  });

  it('needs account:read to be read and account:write to be changed', async () => {
    const reader = await server.newKey({ scopes: ['account:read'] });
    const writer = await server.newKey({ scopes: ['account:write'] });
    expect((await server.call('GET', '/account', { key: reader })).status).toBe(200);
    expectProblem(await server.call('GET', '/account', { key: writer }), 403, 'missing_scope');
    expectProblem(await change(reader, { trackOpens: true }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/account', { key: null }), 401, 'missing_key');
  });

  it('is the calling key’s own, and no other', async () => {
    const [one, other] = [await server.newAccount('One'), await server.newAccount('Two')];
    await change(one.key, { name: 'Uno', trackOpens: true });
    expect(await read(other.key)).toMatchObject({ id: other.accountId, name: 'Two', trackOpens: false });
  });

  it('is the same over the SDK and the CLI', { tags: ['contract-surfaces.sdk-account'] }, async () => {
    const { key } = await server.newAccount();
    const { account } = new Postrider({ apiKey: key, baseUrl: server.baseUrl });
    expect(await account.get()).toEqual(await read(key));
    expect(await account.update({ trackClicks: true })).toMatchObject({ trackClicks: true });
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl };
    const updated = await runInProcess(['account', 'update', '--track-opens', '--no-track-clicks', '--json'], { env });
    expect(JSON.parse(updated.stdout)).toMatchObject({ trackOpens: true, trackClicks: false });
    const shown = await runInProcess(['account', 'get', '--json'], { env });
    expect(JSON.parse(shown.stdout)).toEqual(await read(key));
  });
});
