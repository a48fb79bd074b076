import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const LATER = { scheduled_at: 'PT2H' };

describe('changing a queued message that somebody decided', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const newKey = async (fields: Readonly<Record<string, unknown>>) => {
    const { body } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'], ...fields } });
    return body.key as string;
  };
  const move = (id: string, key: string) => server.call('PATCH', `/emails/${id}`, { key, body: LATER });
  const statusOf = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;

  it('is refused to a held key that moves the time of a message that a person approved [holes.reschedule]', async () => {
    const agent = await newKey({ approvalMode: 'always' });
    const held = await server.send({ scheduled_at: 'PT1H' }, { key: agent });
    expectProblem(await move(held.body.id, agent), 403, 'permission_escalation');
    const decider = await server.newKey({ scopes: ['approvals:decide'] });
    const approve = { key: decider, body: { decision: 'approve' } };
    expect((await server.call('POST', `/keys/approvals/${held.body.approvalId}`, approve)).status).toBe(200);
    const before = (await statusOf(held.body.id)).scheduledAt;
    const refused = await move(held.body.id, agent);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.fix).toContain('send it again');
    expect((await statusOf(held.body.id)).scheduledAt).toBe(before);
    expect((await move(held.body.id, server.key)).status).toBe(200);
    // Taking its own message back only keeps mail from leaving.
    expect((await server.call('POST', `/emails/${held.body.id}/cancel`, { key: agent })).body.status).toBe('canceled');
  });

  it.each([
    ['held', { approvalMode: 'always' }],
    ['test', { mode: 'test' }],
    ['allowlisted', { recipientAllowlist: ['@example.com'] }],
    ['limited', { sendLimit: { hour: 5 } }],
  ])('is refused to a key that is %s where another key sent the message', async (_kind, fields) => {
    const key = await newKey(fields);
    const { id } = (await server.send({ scheduled_at: 'PT1H' })).body;
    expectProblem(await move(id, key), 403, 'permission_escalation');
    expectProblem(await server.call('POST', `/emails/${id}/cancel`, { key }), 403, 'permission_escalation');
    expectProblem(await server.call('DELETE', `/emails/${id}`, { key }), 403, 'permission_escalation');
    expect((await statusOf(id)).status).toBe('queued');
  });

  it('leaves a held key the times of its own messages that nothing held', async () => {
    const agent = await newKey({ approvalMode: 'policy', holdWhen: { hasBcc: true } });
    const { id, status } = (await server.send({ scheduled_at: 'PT1H' }, { key: agent })).body;
    expect(status).toBe('queued');
    expect((await move(id, agent)).status).toBe(200);
  });

  it('lets a held key cancel its own approved message, and names it in the trail and the audit log [holes.own-decided]', async () => {
    const agent = await newKey({ approvalMode: 'always' });
    const decider = await server.newKey({ name: 'Decider', scopes: ['approvals:decide'] });
    const { id, approvalId } = (await server.send({ scheduled_at: 'PT1H' }, { key: agent })).body;
    const approve = { key: decider, body: { decision: 'approve' } };
    expect((await server.call('POST', `/keys/approvals/${approvalId}`, approve)).status).toBe(200);
    expect((await server.call('POST', `/emails/${id}/cancel`, { key: agent })).status).toBe(200);
    const { id: actor } = (await server.call('GET', '/keys/self', { key: agent })).body;
    expect((await statusOf(id)).events.at(-1)).toMatchObject({ type: 'canceled', detail: `by ${actor}` });
    const { entries } = (await server.call('GET', '/audit')).body;
    expect(entries[0]).toMatchObject({ action: 'approval.canceled', actor });
    expect((await server.call('GET', `/keys/approvals/${approvalId}`)).body.status).toBe('approved');
  });
});
