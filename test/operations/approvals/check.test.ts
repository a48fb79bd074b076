import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey, holdingKey, quotaUsed } from '../../approvals/approving.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('GET /keys/approvals/:id/check', { tags: ['approvals.check'] }, () => {
  let server: TestApp;
  let agent: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server));
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const hold = async (body: Readonly<Record<string, unknown>> = {}, key = agent) =>
    (await server.send({ to: 'bob@receiver.example', ...body }, { key })).body as { id: string; approvalId: string };
  const check = async (id: string, key = decider, query = '') =>
    await server.call('GET', `/keys/approvals/${id}/check${query}`, { key });
  const suppress = async (email: string) => await server.call('POST', '/suppressions', { body: { email } });
  const failed = (body: { readonly checks: readonly { readonly name: string; readonly ok: boolean }[] }) =>
    body.checks.filter(({ ok }) => !ok).map(({ name }) => name);
  const change = async (id: string, column: string, value: unknown) => {
    await server.database.sql`UPDATE api_keys SET ${server.database.sql(column)} = ${value as string} WHERE id = ${id}`;
    server.app.services.callers.forget();
  };

  it('passes every check of a send that would be sent, and changes nothing', async () => {
    const held = await hold();
    const before = await quotaUsed(server);
    const { status, body } = await check(held.approvalId);
    expect(status).toBe(200);
    expect(body).toMatchObject({ ok: true, refusal: null, checkedAt: expect.stringMatching(/Z$/) });
    expect(body.checks).toEqual(
      ['caller', 'hold', 'key', 'account', 'domain', 'allowlist', 'suppression', 'quota'].map((name) => ({
        ...{ name, ok: true },
      })),
    );
    expect(await quotaUsed(server)).toBe(before);
    const { body: record } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: decider });
    expect(record).toMatchObject({ status: 'pending', revision: 1 });
  });

  it('foresees exactly what the approval then returns', async () => {
    const later = await hold({ to: 'later@receiver.example' });
    await suppress('later@receiver.example');
    const { body } = await check(later.approvalId);
    expect(failed(body)).toEqual(['suppression']);
    const { body: decided } = await decide(server, decider, later.approvalId);
    const { requestId: _foreseen, ...foreseen } = body.refusal;
    const { requestId: _decided, ...problem } = decided.problem;
    expect(foreseen).toEqual(problem);
    expect(failed((await check(later.approvalId)).body)).toContain('hold');
    expect((await check(later.approvalId)).body.refusal).toMatchObject({ code: 'approval_already_decided' });
  });

  it('checks the recipients after edits instead of those of the message', async () => {
    const held = await hold({ to: 'other@receiver.example' });
    await suppress('other@receiver.example');
    await suppress('added@receiver.example');
    expect((await check(held.approvalId)).body.ok).toBe(false);
    const fine = await check(held.approvalId, decider, '?recipients=Ada%20<ada@receiver.example>,ann@receiver.example');
    expect(fine.body).toMatchObject({ ok: true });
    const added = await check(held.approvalId, decider, '?recipients=ada@receiver.example,added@receiver.example');
    expect(added.body.refusal).toMatchObject({ code: 'recipient_suppressed' });
    expectInvalid(await check(held.approvalId, decider, '?recipients=nobody'), 'recipients');
    expectInvalid(await check(held.approvalId, decider, '?recipients=,'), 'recipients');
    const many = Array.from({ length: 51 }, (_, n) => `r${n}@x.example`).join(',');
    expectInvalid(await check(held.approvalId, decider, `?recipients=${many}`), 'recipients');
    // Or it would be a way to look up the suppression list.
    const reader = await server.newKey({ scopes: ['approvals:read'] });
    expectProblem(await check(held.approvalId, reader, '?recipients=added@receiver.example'), 403, 'missing_scope');
  });

  it('names a pause, a narrower allowlist and a revoked key', async () => {
    const { key, id } = await holdingKey(server, { name: 'Changing' });
    const held = await hold({}, key);
    await change(id, 'paused_at', new Date().toISOString());
    expect(failed((await check(held.approvalId)).body)).toEqual(['account']);
    await change(id, 'paused_at', null);
    await change(id, 'recipient_allowlist', ['@elsewhere.example']);
    expect((await check(held.approvalId)).body.refusal).toMatchObject({ code: 'recipient_not_allowed' });
    await change(id, 'recipient_allowlist', null);
    await change(id, 'revoked_at', new Date().toISOString());
    expect((await check(held.approvalId)).body.refusal).toMatchObject({ code: 'issuing_key_revoked' });
  });

  it('names what the deciding key may not approve, and counts no approval', async () => {
    const held = await hold();
    const key = await server.newKey({ scopes: ['approvals:decide', 'approvals:read', 'emails:read'] });
    const { body: self } = await server.call('GET', '/keys/self', { key });
    await change(self.id, 'recipient_allowlist', ['@elsewhere.example']);
    const beyond = await check(held.approvalId, key);
    expect(failed(beyond.body)).toEqual(['caller']);
    expect(beyond.body.refusal).toMatchObject({ status: 403, code: 'recipient_not_allowed' });
    await change(self.id, 'recipient_allowlist', null);
    await change(self.id, 'hourly_sends', 1);
    for (let round = 0; round < 3; round += 1) expect((await check(held.approvalId, key)).body.ok).toBe(true);
    expect((await decide(server, key, held.approvalId)).status).toBe(200);
    const next = await hold();
    const limited = await check(next.approvalId, key);
    expect(limited.body.refusal).toMatchObject({ code: 'send_limit_reached' });
    expect((await decide(server, key, next.approvalId)).body.detail).toBe(limited.body.refusal.detail);
  });

  it('says that the sender and readers cannot decide', async () => {
    const held = await hold();
    expect((await check(held.approvalId, agent)).body.refusal).toMatchObject({ code: 'self_approval_forbidden' });
    const reader = await server.newKey({ scopes: ['approvals:read'] });
    expect((await check(held.approvalId, reader)).body.refusal).toMatchObject({ code: 'missing_scope' });
  });

  it('names no blind recipient to a key that may not see it', async () => {
    const held = await hold({ bcc: 'secret@blind.example' });
    await suppress('secret@blind.example');
    const reader = await server.newKey({ scopes: ['approvals:read', 'approvals:decide'] });
    const { body } = await check(held.approvalId, reader);
    expect(body.ok).toBe(false);
    expect(JSON.stringify(body)).not.toContain('secret@blind.example');
  });

  it('returns 404 for a hold of another key or account, or none, and 401 without a key', async () => {
    const held = await hold();
    const other = await holdingKey(server, { name: 'Other', scopes: ['emails:send'] });
    expectProblem(await check(held.approvalId, other.key), 404, 'not_found');
    expectProblem(await check('no-id'), 404, 'not_found');
    expectProblem(await check('01936a2e-0000-7000-8000-000000000001'), 404, 'not_found');
    expect((await server.call('GET', `/keys/approvals/${held.approvalId}/check`, { key: '' })).status).toBe(401);
    const account = await server.newAccount();
    expectProblem(await check(held.approvalId, account.key), 404, 'not_found');
  });
});
