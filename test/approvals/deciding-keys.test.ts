import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { decide, holdingKey } from './approving.ts';

describe('a restricted key that decides', () => {
  let server: TestApp;
  let agent: string;
  beforeAll(async () => {
    server = await startTestApp();
    agent = (await holdingKey(server)).key;
  });
  afterAll(() => server.close());

  const approve = { decision: 'approve' };
  const hold = async (body: Readonly<Record<string, unknown>> = {}, key = agent) =>
    (await server.send({ to: 'ann@receiver.example', ...body }, { key })).body as { id: string; approvalId: string };
  const decider = async (fields: Readonly<Record<string, unknown>>) => {
    const id = await server.newKey({ name: 'Decider', scopes: ['approvals:decide', 'emails:read', 'keys:write'] });
    const { body } = await server.call('GET', '/keys/self', { key: id });
    const { sql } = server.database;
    for (const [column, value] of Object.entries(fields)) {
      await sql`UPDATE api_keys SET ${sql(column)} = ${value as string} WHERE id = ${body.id}`;
    }
    server.app.services.callers.forget();
    return { key: id, id: body.id as string };
  };
  const aLockIsAwaited = () =>
    expect
      .poll(
        async () =>
          (
            await server.database.sql`
              SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`
          ).length,
        { interval: 5 },
      )
      .toBeGreaterThan(0);
  const statusOf = async (id: string) => (await server.call('GET', `/emails/${id}`)).body.status;

  it('cannot add a recipient outside its own allowlist, nor approve one; the send stays held', {
    tags: ['holes.deciding-keys'],
  }, async () => {
    const { key } = await decider({ recipient_allowlist: ['@receiver.example'] });
    for (const field of ['to', 'cc', 'bcc']) {
      const held = await hold();
      const edits = { [field]: ['ann@receiver.example', 'spy@elsewhere.example'] };
      const refused = await decide(server, key, held.approvalId, { ...approve, edits });
      expectProblem(refused, 403, 'recipient_not_allowed');
      expect(refused.body.recipients).toEqual([
        { email: 'spy@elsewhere.example', kind: field, code: 'recipient_not_allowed' },
      ]);
      expect(await statusOf(held.id)).toBe('pending_approval');
      expect((await decide(server, key, held.approvalId, { ...approve, edits: { subject: 'Hello' } })).status).toBe(
        200,
      );
    }
    const beyond = await hold({ to: 'bob@elsewhere.example' });
    const alone = await decide(server, key, beyond.approvalId);
    expectProblem(alone, 403, 'recipient_not_allowed');
    // It may not read the hold, so the refusal does not name its recipients.
    expect(JSON.stringify(alone.body)).not.toContain('bob@');
    const { body } = await server.call('POST', '/keys/approvals', {
      key,
      body: { ids: [beyond.approvalId], ...approve },
    });
    expect(body.results[0]).toMatchObject({ ok: false, error: { code: 'recipient_not_allowed' } });
    expect(await statusOf(beyond.id)).toBe('pending_approval');
    expect((await decide(server, key, beyond.approvalId, { decision: 'reject' })).status).toBe(200);
  });

  it('without `approvals:read` changes no recipients, and its allowlist tells it nothing about blind ones', {
    tags: ['holes.sight', 'holes.deciding-keys'],
  }, async () => {
    const { key } = await decider({});
    const held = await hold({ bcc: 'hidden@elsewhere.example' });
    const many = Array.from({ length: 49 }, (_, n) => `cc${n}@receiver.example`);
    const edits = [{ to: ['me@evil.example'] }, { bcc: ['hidden@elsewhere.example'] }, { cc: many }];
    for (const edit of edits) {
      const refused = await decide(server, key, held.approvalId, { ...approve, edits: edit });
      expectProblem(refused, 403, 'missing_scope');
      expect(refused.body.fix).toContain('approvals:read');
    }
    const responses = await Promise.all(
      [['@receiver.example'], ['@receiver.example', 'hidden@elsewhere.example']].map(async (allowlist) => {
        const limited = await decider({ recipient_allowlist: allowlist });
        const { body } = await decide(server, limited.key, held.approvalId);
        const all = { key: limited.key, body: { ids: [held.approvalId], ...approve } };
        const many = (await server.call('POST', '/keys/approvals', all)).body.results[0];
        return [
          { ...body, requestId: null },
          { ...many.error, requestId: null },
        ];
      }),
    );
    expect(responses[0]).toEqual(responses[1]);
    expect(responses[0]).toEqual(Array(2).fill(expect.objectContaining({ code: 'missing_scope' })));
    expect(await statusOf(held.id)).toBe('pending_approval');
    const reading = await decider({ scopes: ['approvals:decide', 'approvals:read'] });
    const moved = { ...approve, edits: { bcc: ['other@elsewhere.example'] } };
    expect((await decide(server, reading.key, held.approvalId, moved)).body.edited).toEqual(['bcc']);
    expect((await decide(server, key, (await hold()).approvalId)).status).toBe(200);
  });

  it('approves exactly up to its send limit and leaves the rest held', {
    tags: ['holes.deciding-keys'],
  }, async () => {
    const { key } = await decider({ hourly_sends: '2', daily_sends: '9' });
    const held = await Promise.all(Array.from({ length: 6 }, () => hold()));
    const responses = await Promise.all(held.map(({ approvalId }) => decide(server, key, approvalId)));
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 429, 429, 429, 429]);
    const refused = responses.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ code: 'send_limit_reached' });
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0);
    const statuses = await Promise.all(held.map(({ id }) => statusOf(id)));
    expect(statuses.filter((status) => status === 'pending_approval')).toHaveLength(4);
    expect((await server.call('GET', '/keys/self', { key })).body.sendsLeft).toEqual({ hour: 0, day: 7 });
  });

  it('counts a send of a key it created once, when the send was held', { tags: ['holes.deciding-keys'] }, async () => {
    const { key } = await decider({ hourly_sends: '1', scopes: ['approvals:decide', 'keys:write', 'emails:send'] });
    const made = await server.call('POST', '/keys', {
      key,
      body: { name: 'Child', scopes: ['emails:send'], approvalMode: 'always', sendLimit: { hour: 1 } },
    });
    expect(made.status).toBe(201);
    const held = await hold({}, made.body.key);
    expect((await decide(server, key, held.approvalId)).status).toBe(200);
    expectProblem(await decide(server, key, (await hold()).approvalId), 429, 'send_limit_reached');
  });

  it('is counted after the quota, in the order of acceptance, so that neither waits for the other for ever', async () => {
    const { sql } = server.database;
    const { key, id } = await decider({ hourly_sends: '9', scopes: ['approvals:decide', 'approvals:read'] });
    expect((await decide(server, key, (await hold()).approvalId)).status).toBe(200);
    const { approvalId } = await hold();
    const started: ReturnType<typeof decide>[] = [];
    await sql.begin(async (transaction) => {
      await transaction`SELECT FROM quota_usage FOR UPDATE`;
      started.push(decide(server, key, approvalId, { ...approve, edits: { cc: ['bob@receiver.example'] } }));
      await aLockIsAwaited();
      // The transaction fails here if the decision has locked the counter already.
      expect(await transaction`SELECT FROM key_sends WHERE key_id = ${id} FOR UPDATE NOWAIT`).toHaveLength(1);
    });
    expect((await started[0])?.status).toBe(200);
  });

  it.each(['approve', 'reject'])(
    'sees nothing of a message by its decision to %s without `approvals:read`',
    async (decision) => {
      const secret = 'Reset for zoe@hidden.example';
      const held = await hold({ to: 'zoe@hidden.example', bcc: 'spy@hidden.example', subject: secret, text: secret });
      const { key, id } = await decider({ scopes: ['approvals:decide'] });
      expectProblem(await server.call('GET', `/keys/approvals/${held.approvalId}`, { key }), 404, 'not_found');
      const { status, body } = await decide(server, key, held.approvalId, { decision, note: 'By rule 7.' });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        ...{ id: held.approvalId, emailId: held.id, decidedBy: id, note: 'By rule 7.' },
        ...{ from: null, to: [], bcc: [], subject: null, text: null, keyId: null, contentHash: null, receipt: null },
      });
      expect(JSON.stringify(body)).not.toMatch(/hidden\.example|Reset/);
      const more = await hold({ to: 'zoe@hidden.example', subject: secret });
      const several = { ids: [more.approvalId], decision };
      const many = await server.call('POST', '/keys/approvals', { key, body: several });
      expect(many.body).toMatchObject({ accepted: 1, results: [{ ok: true, approval: { subject: null, to: [] } }] });
      expect(JSON.stringify(many.body)).not.toMatch(/hidden\.example|Reset/);
    },
  );

  it('does not learn from its decision why the acceptance check refused the message', async () => {
    const { key } = await decider({ scopes: ['approvals:decide'] });
    const held = await hold({ to: 'gone@hidden.example' });
    await server.call('POST', '/suppressions', { body: { email: 'gone@hidden.example' } });
    const { body } = await decide(server, key, held.approvalId);
    expect(body).toMatchObject({ outcome: 'failed', problem: { code: 'recipient_suppressed' } });
    expect(JSON.stringify(body)).not.toContain('hidden.example');
  });

  it('approves nothing while it is paused', { tags: ['holes.deciding-keys'] }, async () => {
    const { key } = await decider({ paused_at: new Date().toISOString() });
    const held = await hold();
    expectProblem(await decide(server, key, held.approvalId), 403, 'permission_escalation');
    expect(await statusOf(held.id)).toBe('pending_approval');
  });

  it.each([
    ['was revoked', 'revoked_at = now()', 'key_revoked'],
    ['lost the scope', "scopes = '{emails:read}'", 'key_revoked'],
    ['got another secret', "secret_hash = 'other'", 'key_revoked'],
  ])(
    'decides nothing if it %s while the decision waited for the hold',
    { tags: ['holes.deciding-keys'] },
    async (_what, change, code) => {
      const { sql } = server.database;
      const { key, id } = await decider({});
      const held = await hold();
      let response: Promise<{ readonly status: number; readonly body: { readonly code?: string } }> | null = null;
      await sql.begin(async (transaction) => {
        await transaction`SELECT FROM approvals WHERE id = ${held.approvalId} FOR UPDATE`;
        response = decide(server, key, held.approvalId);
        await aLockIsAwaited();
        await sql`UPDATE api_keys SET ${sql.unsafe(change)} WHERE id = ${id}`;
      });
      expect(await response).toMatchObject({ status: 401, body: { code } });
      expect(await statusOf(held.id)).toBe('pending_approval');
    },
  );
});
