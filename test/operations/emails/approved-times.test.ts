import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey, holdingKey } from '../../approvals/approving.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

type Calls = Pick<TestSession, 'call'>;

describe('the time of an approved message', () => {
  let server: TestApp;
  let owner: TestSession;
  let admin: TestSession;
  let developer: TestSession;
  let decider: string;
  let callers: Readonly<Record<string, Calls>>;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
    admin = await joinAs(server, owner, 'admin');
    developer = await joinAs(server, owner, 'developer');
    decider = await decidingKey(server);
    const mover = await server.newKey({ scopes: ['emails:cancel', 'approvals:decide', 'emails:read'] });
    callers = { owner, admin, developer, 'an ordinary key': keyed(server.key), 'a key that decides': keyed(mover) };
  });
  afterAll(() => server.close());

  const keyed = (key: string): Calls => ({
    call: (method, path, options) => server.call(method, path, { ...options, key }),
  });
  const move = async ({ call }: Calls, id: string, scheduled_at = 'PT2H'): Promise<TestResponse> =>
    await call('PATCH', `/emails/${id}`, { body: { scheduled_at } });
  const timeOf = async (id: string) => (await server.call('GET', `/emails/${id}`)).body.scheduledAt;
  const auditOf = async (id: string) => (await owner.call('GET', `/audit?target_id=${id}`)).body.entries;

  /** A scheduled message that one key approved, and the key that it was held for. */
  async function approved() {
    const agent = await holdingKey(server, { scopes: ['sending'] });
    const { id, approvalId } = (await server.send({ scheduled_at: 'PT20H' }, { key: agent.key })).body;
    expect((await decide(server, decider, approvalId)).body.status).toBe('approved');
    return { id: id as string, approvalId: approvalId as string, keyId: agent.id };
  }

  it.each([
    ['a passkey', 'api_keys', 'approvals_need_passkey = true', 'with a passkey'],
    ['several approvers', 'api_keys', 'approvals_needed = 2', 'by 2 people'],
    ['named approvers', 'api_keys', "approver_ids = '{01900000-0000-7000-8000-000000000004}'", 'by the members'],
    ['a passkey in the whole account', 'accounts', 'approvals_need_passkey = true', 'with a passkey'],
    ['several approvers in the whole account', 'accounts', 'approvals_needed = 2', 'by 2 people'],
  ])('cannot be changed by any caller if approvals need %s', { tags: ['holes.approved-time'] }, async (...given) => {
    const [, table, rule, how] = given;
    const { id, approvalId, keyId } = await approved();
    const before = await timeOf(id);
    const { sql } = server.database;
    const name = table === 'accounts' ? server.accountId : keyId;
    await sql.unsafe(`UPDATE ${table} SET ${rule} WHERE id = '${name}'`);
    for (const caller of Object.values(callers)) {
      for (const time of ['PT0S', 'PT30H']) {
        const refused = await move(caller, id, time);
        expectProblem(refused, 403, 'permission_escalation');
        expect(refused.body.detail).toContain(how);
        expect(refused.body.fix).toContain('send it again');
      }
    }
    expect(await timeOf(id)).toBe(before);
    expect((await auditOf(approvalId)).map(({ action }: { action: string }) => action)).not.toContain(
      'approval.rescheduled',
    );
    expect((await owner.call('POST', `/emails/${id}/cancel`)).body.status).toBe('canceled');
    await sql.unsafe(
      `UPDATE accounts SET approvals_need_passkey = false, approvals_needed = 1 WHERE id = '${server.accountId}'`,
    );
  });

  it('cannot be changed by one of two approvers', { tags: ['holes.approved-time'] }, async () => {
    const agent = await holdingKey(server, { scopes: ['sending'], approvers: { count: 2 } });
    const { id, approvalId } = (await server.send({ scheduled_at: 'PT20H' }, { key: agent.key })).body;
    for (const { call } of [owner, admin])
      expect((await call('POST', `/keys/approvals/${approvalId}`, { body: { decision: 'approve' } })).status).toBe(200);
    expectProblem(await move(owner, id, 'PT0S'), 403, 'permission_escalation');
    expect((await server.call('GET', `/emails/${id}`)).body.status).toBe('queued');
  });

  it('is changed by others where one approver is enough, and the audit log names them', {
    tags: ['holes.approved-time'],
  }, async () => {
    const { id, approvalId } = await approved();
    for (const caller of Object.values(callers)) expect((await move(caller, id)).status).toBe(200);
    const moved = await move(owner, id, 'PT3H');
    expect(moved.status).toBe(200);
    const [entry] = await auditOf(approvalId);
    expect(entry).toMatchObject({
      ...{ action: 'approval.rescheduled', actor: owner.user.memberId, targetId: approvalId },
      details: { emailId: id, way: 'rest', scheduledAt: moved.body.scheduledAt },
    });
    const [last] = await server.database.sql`
      SELECT type, actor, detail FROM approval_events WHERE approval_id = ${approvalId} ORDER BY created_at DESC, id DESC LIMIT 1`;
    expect(last).toEqual({ type: 'rescheduled', actor: owner.user.memberId, detail: moved.body.scheduledAt });
  });

  it('is not changed by the key that asked for the message, if that key can decide later', {
    tags: ['holes.approved-time'],
  }, async () => {
    const agent = await holdingKey(server, { scopes: ['sending'] });
    const { id, approvalId } = (await server.send({ scheduled_at: 'PT20H' }, { key: agent.key })).body;
    await decide(server, decider, approvalId);
    await server.database.sql`
      UPDATE api_keys SET approval_mode = 'off', scopes = scopes || '{approvals:decide}' WHERE id = ${agent.id}`;
    server.clock.advance(1_000);
    expectProblem(await move(keyed(agent.key), id), 403, 'permission_escalation');
  });

  it('is 409 `message_not_queued` while the message waits for approval, and once it was canceled', async () => {
    const agent = await holdingKey(server, { scopes: ['sending'], approvers: { count: 2 } });
    const { id } = (await server.send({ scheduled_at: 'PT20H' }, { key: agent.key })).body;
    const waiting = await move(owner, id);
    expectProblem(waiting, 409, 'message_not_queued');
    expect(waiting.body.currentStatus).toBe('pending_approval');
    const other = await approved();
    await owner.call('DELETE', `/emails/${other.id}`);
    for (const caller of [owner, developer]) {
      const late = await move(caller, other.id);
      expectProblem(late, 409, 'message_not_queued');
      expect(late.body.currentStatus).toBe('canceled');
    }
  });
});
