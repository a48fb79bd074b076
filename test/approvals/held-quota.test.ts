import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { decide, decidingKey, holdingKey, quotaUsed } from './approving.ts';

describe('the quota that held sends may reserve', () => {
  let server: TestApp;
  let keys: readonly string[];
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_MONTHLY_QUOTA: '100' } });
    keys = [(await holdingKey(server)).key, (await holdingKey(server)).key];
  });
  afterAll(() => server.close());

  const send = (key: string, more = {}) => server.send({ to: 'a@example.com', ...more }, { key });

  it('is a fifth of the monthly quota, exactly, and leaves the rest to others', {
    tags: ['holes.held-quota'],
  }, async () => {
    const responses = await Promise.all(Array.from({ length: 64 }, (_, n) => send(keys[n % 2] ?? '')));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(20);
    const refused = responses.filter(({ status }) => status !== 202);
    for (const response of refused) expectProblem(response, 429, 'too_many_held');
    expect(refused[0]?.body.detail).toContain('20 recipients');
    expect(refused[0]?.body.fix).toContain('cancel');
    expect(await quotaUsed(server)).toBe(20);
    const many = Array.from({ length: 40 }, (_, n) => `n${n}@example.com`);
    for (const to of [many, many]) expect((await server.send({ to })).status).toBe(202);
    expect(await quotaUsed(server)).toBe(100);
    expectProblem(await server.send({ to: 'one@example.com' }), 402, 'quota_exceeded');
  });

  it('is reported by a dry run, over MCP and for each send of a batch', { tags: ['holes.held-quota'] }, async () => {
    await server.database.sql`UPDATE quota_usage SET used = 20 WHERE account_id = ${server.accountId}`;
    const [key = ''] = keys;
    const { body: dry } = await send(key, { dry_run: true });
    expect(dry).toMatchObject({ ok: false, approvalRequired: true });
    expect(dry.checks).toContainEqual(expect.objectContaining({ name: 'quota', ok: false, code: 'too_many_held' }));
    const tools = await connectTo(server, '', key);
    const email = { from: 'ada@sandbox.test', to: ['b@example.com'], subject: 'Hi', text: 'Hi' };
    const sent = await tools.call('send_email', email);
    await tools.close();
    expect([sent.isError, sent.record.error.code]).toEqual([true, 'too_many_held']);
    const emails = [email, { ...email, to: ['delivered@sandbox.test'] }];
    const { body: batch } = await server.call('POST', '/emails/batch', { key, body: { emails } });
    expect(batch.results).toMatchObject([{ ok: false, error: { code: 'too_many_held' } }, { ok: true }]);
  });

  it('does not count the sandbox or test keys, and is free again after a decision', {
    tags: ['holes.held-quota'],
  }, async () => {
    const [key = ''] = keys;
    expect((await server.send({}, { key })).body.status).toBe('pending_approval');
    const tester = await holdingKey(server, { mode: 'test' });
    expect((await send(tester.key)).body.status).toBe('pending_approval');
    const [pending] = await server.database.sql<{ id: string }[]>`
      SELECT id FROM approvals WHERE account_id = ${server.accountId} AND status = 'pending' AND charged > 0 LIMIT 1`;
    await decide(server, await decidingKey(server), pending?.id ?? '', { decision: 'reject' });
    expect((await send(key)).body.status).toBe('pending_approval');
    expectProblem(await send(key), 429, 'too_many_held');
  });
});
