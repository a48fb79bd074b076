import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { signInAs } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const LATER = { scheduled_at: 'PT2H' };

describe('changing a queued message that another user or key decided', () => {
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

  it('is denied to a held key that moves the time of a message that a user approved', {
    tags: ['holes.reschedule'],
  }, async () => {
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
  ])('is denied to a key that is %s when another key sent the message', async (_kind, fields) => {
    const key = await newKey(fields);
    const { id } = (await server.send({ scheduled_at: 'PT1H' })).body;
    expectProblem(await move(id, key), 403, 'permission_escalation');
    expectProblem(await server.call('POST', `/emails/${id}/cancel`, { key }), 403, 'permission_escalation');
    expectProblem(await server.call('DELETE', `/emails/${id}`, { key }), 403, 'permission_escalation');
    expect((await statusOf(id)).status).toBe('queued');
  });

  it('reveals nothing of other senders’ messages to a restricted key without `emails:read`', {
    tags: ['holes.sight'],
  }, async () => {
    const key = await newKey({ scopes: ['emails:send', 'emails:cancel'], approvalMode: 'always' });
    const { id } = (await server.send({ scheduled_at: 'PT1H' })).body;
    const responsesOf = async (named: string) => {
      const cancel = (method: string, path: string) => server.call(method, `/emails/${named}${path}`, { key });
      const responses = [await move(named, key), await cancel('POST', '/cancel'), await cancel('DELETE', '')];
      return responses.map(({ status, body: { requestId: _, ...body } }) =>
        JSON.stringify([status, body]).replaceAll(named, '<id>'),
      );
    };
    const unknown = await responsesOf(randomUUID());
    expect(unknown[0]).toContain('[404,');
    expect(await responsesOf(id)).toEqual(unknown);
    const own = (await server.send({}, { key })).body.id;
    expect((await server.call('DELETE', `/emails/${own}`, { key })).body.status).toBe('canceled');
  });

  it('lets a held key reschedule its own messages that were never held', async () => {
    const agent = await newKey({ approvalMode: 'policy', holdWhen: { hasBcc: true } });
    const { id, status } = (await server.send({ scheduled_at: 'PT1H' }, { key: agent })).body;
    expect(status).toBe('queued');
    expect((await move(id, agent)).status).toBe(200);
  });

  it.each([
    ['was paused', 'key', '/pause', undefined, 'sending_paused'],
    ['is of a paused account', 'account', '/pause', undefined, 'sending_paused'],
    ['is now held', 'key', '', { approvalMode: 'always' }, 'permission_escalation'],
    [
      'now has rules that may hold it',
      'key',
      '',
      { approvalMode: 'policy', holdWhen: { firstContact: true } },
      'permission_escalation',
    ],
    ['now has an allowlist', 'key', '', { recipientAllowlist: ['@elsewhere.example'] }, 'recipient_not_allowed'],
  ] as const)(
    'is judged as a send by the current rules: no new time by a key that %s, and users keep their rights',
    { tags: ['holes.rescheduled-sends'] },
    async (_kind, what, path, changes, code) => {
      const agent = await newKey({});
      const owner = await signInAs(server, 'owner@sandbox.test');
      const { id: keyId } = (await server.call('GET', '/keys/self', { key: agent })).body;
      const { id } = (await server.send({ scheduled_at: 'PT20H' }, { key: agent })).body;
      expect((await move(id, agent)).status).toBe(200);
      const before = (await statusOf(id)).scheduledAt;
      const target = what === 'key' ? `/keys/${keyId}${path}` : `/account${path}`;
      const changed = await owner.call(changes ? 'PATCH' : 'POST', target, changes && { body: changes });
      expect(changed.status).toBe(200);
      for (const scheduled_at of ['PT0S', 'PT1H', 'PT30H']) {
        const refused = await server.call('PATCH', `/emails/${id}`, { key: agent, body: { scheduled_at } });
        expectProblem(refused, 403, code);
      }
      // Nor by another key for it, where the rule is of the key that sent it.
      if (code !== 'permission_escalation') expectProblem(await move(id, server.key), 403, code);
      expect(await statusOf(id)).toMatchObject({ status: 'queued', scheduledAt: before });
      const moved = await owner.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'PT1H' } });
      expect(moved.status).toBe(200);
      if (what === 'account') await owner.call('POST', '/account/resume');
    },
  );

  it('tells a key nothing about recipients that it may not see, whatever the sender’s allowlist', {
    tags: ['holes.sight'],
  }, async () => {
    const sender = await newKey({});
    const { id: senderId } = (await server.call('GET', '/keys/self', { key: sender })).body;
    const sendLater = async (fields: object) =>
      (await server.send({ scheduled_at: 'PT20H', ...fields }, { key: sender })).body.id as string;
    const blind = await sendLater({ to: 'a@sandbox.test', bcc: 'hidden@sandbox.test' });
    const open = await sendLater({ to: 'a@sandbox.test' });
    const reading = await newKey({ scopes: ['emails:read', 'emails:cancel'] });
    const unreading = await newKey({ scopes: ['emails:cancel'] });
    const responsesOf = async (recipientAllowlist: readonly string[]) => {
      const changed = await server.call('PATCH', `/keys/${senderId}`, { body: { recipientAllowlist } });
      expect(changed.status).toBe(200);
      const responses = [await move(blind, reading), await move(blind, unreading), await move(open, unreading)];
      for (const response of responses) expectProblem(response, 403, 'missing_scope');
      return responses.map(({ body }) => ({ ...body, requestId: null }));
    };
    expect((await move(blind, unreading)).status).toBe(200); // Nothing is judged without an allowlist.
    const missed = await responsesOf(['nobody@example.com']);
    expect(JSON.stringify(missed)).not.toContain('@sandbox.test');
    const refused = await move(open, reading);
    expectProblem(refused, 403, 'recipient_not_allowed');
    expect(await responsesOf(['a@sandbox.test', 'hidden@sandbox.test'])).toEqual(missed);
    expect((await move(open, reading)).status).toBe(200);
    expect((await move(blind, sender)).status).toBe(200);
  });

  it('says when a message waits for an approver', async () => {
    const agent = await newKey({ approvalMode: 'always' });
    const held = await server.send({ scheduled_at: 'PT1H' }, { key: agent });
    const refused = await move(held.body.id, agent);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.detail).toContain('waits for an approver');
  });

  it('lets a held key cancel its own approved message, and names it in the events and the audit log', {
    tags: ['holes.own-decided'],
  }, async () => {
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
