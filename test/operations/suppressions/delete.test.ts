import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('removing a suppression', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const add = async (email: string) => (await server.call('POST', '/suppressions', { body: { email } })).body;
  const remove = (name: string, query = '', key?: string) =>
    server.call('DELETE', `/suppressions/${encodeURIComponent(name)}${query}`, key === undefined ? {} : { key });
  const auditOf = (targetId: string) => server.database.sql`
    SELECT action, actor, details FROM audit_log WHERE target_id = ${targetId} ORDER BY seq`;

  it('returns the last state of the record, by id or by address, and lets sends through again', {
    tags: ['suppressions.manage', 'suppressions.remove-fields'],
  }, async () => {
    for (const by of ['id', 'email']) {
      const record = await add('back@example.com');
      expectProblem(await server.send({ to: 'back@example.com' }), 422, 'recipient_suppressed');
      expect(await remove(record[by])).toMatchObject({ status: 200, body: record });
      expect((await server.send({ to: 'back@example.com' })).status).toBe(202);
      expectProblem(await remove(record[by]), 404, 'not_found');
    }
    await add('case@bücher.example');
    expect((await remove('CASE@Bücher.example')).status).toBe(200);
  });

  it('is in the audit log with its key and its note, as the addition is', {
    tags: ['suppressions.removal-audited', 'suppressions.remove-fields'],
  }, async () => {
    const key = await server.newKey({ scopes: ['suppressions:delete', 'keys:read'] });
    const actor = (await server.call('GET', '/keys/self', { key })).body.id;
    const owner = (await server.call('GET', '/keys/self')).body.id;
    const record = await add('audited@example.com');
    await remove(record.id, `?note=${encodeURIComponent('mailbox is “back”\nagain')}`, key);
    expect(await auditOf(record.id)).toEqual([
      {
        action: 'suppression.added',
        actor: owner,
        details: { email: 'audited@example.com', reason: 'manual', emailId: null, note: null, expiresAt: null },
      },
      {
        action: 'suppression.removed',
        actor,
        details: {
          email: 'audited@example.com',
          reason: 'manual',
          emailId: null,
          note: 'mailbox is “back”\nagain',
        },
      },
    ]);
    const plain = await add('plain@example.com');
    await remove(plain.email);
    expect((await auditOf(plain.id))[1]?.['details']).toMatchObject({ note: null });
  });

  it('is atomic: without its audit entry nothing is removed', async () => {
    const record = await add('whole@example.com');
    await server.database.sql`ALTER TABLE audit_log RENAME TO hidden_audit`;
    expect((await remove(record.id)).status).toBe(500);
    expect((await server.call('POST', '/suppressions', { body: { email: 'other@example.com' } })).status).toBe(500);
    await server.database.sql`ALTER TABLE hidden_audit RENAME TO audit_log`;
    expect((await server.call('GET', `/suppressions/${record.id}`)).status).toBe(200);
    expectProblem(await server.call('GET', '/suppressions/other@example.com'), 404, 'not_found');
  });

  it('removes an entry once, with one audit entry, in parallel requests too', async () => {
    const record = await add('race@example.com');
    const responses = await Promise.all(Array.from({ length: 8 }, () => remove(record.id)));
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404, 404, 404, 404, 404]);
    expect(await auditOf(record.id)).toHaveLength(2);
  });

  it('returns 404 for what is unknown, expired or another account’s, and records nothing', async () => {
    const record = await add('mine@example.com');
    const other = await server.newAccount();
    for (const name of [record.id, record.email]) {
      expectProblem(await remove(name, '', other.key), 404, 'not_found');
    }
    for (const name of [randomUUID(), 'nobody@example.com', 'x', ' ']) {
      expectProblem(await remove(name), 404, 'not_found');
    }
    expect(await auditOf(record.id)).toHaveLength(1);
    expect((await server.call('GET', `/suppressions/${record.id}`)).status).toBe(200);
  });

  it('rejects a note that is too long, and unknown fields', async () => {
    const { id } = await add('kept@example.com');
    expectInvalid(await remove(id, `?note=${'x'.repeat(1_001)}`), ['note', 'too_long']);
    expectInvalid(await remove(id, '?note='), ['note', 'too_short']);
    expectInvalid(await remove(id, '?reason=x'), ['reason', 'unknown_field']);
    expect((await server.call('GET', `/suppressions/${id}`)).status).toBe(200);
  });

  it('needs the scope suppressions:delete, which neither reading nor adding includes', async () => {
    const { id } = await add('scoped@example.com');
    for (const scopes of [['suppressions:read', 'suppressions:write'], ['sending']]) {
      expectProblem(await remove(id, '', await server.newKey({ scopes })), 403, 'missing_scope');
    }
  });
});
