import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { connectTo } from '../../mcp/connect.ts';

const HELD = { approvalMode: 'always', scopes: ['emails:send', 'emails:read'] } as const;

describe('a resend requested by another key', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const newKey = async (fields: Readonly<Record<string, unknown>> = {}) => {
    const { body } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'], ...fields } });
    return body as { readonly id: string; readonly key: string };
  };
  const sendSettled = async (body = {}, key = server.key) => {
    const sent = await server.send(body, { key });
    await server.settled(sent.body.id);
    return sent.body.id as string;
  };
  const resend = (id: string, key: string, headers = {}) =>
    server.call('POST', `/emails/${id}/resend`, { key, headers });
  const deliveriesOf = async (id: string) =>
    await server.database.sql<{ route: string }[]>`SELECT route FROM deliveries WHERE message_id = ${id}`;

  it('is held when the caller is held, and the hold belongs to the caller', { tags: ['holes.resend'] }, async () => {
    const agent = await newKey(HELD);
    const id = await sendSettled({ to: 'someone@example.com' });
    const again = await resend(id, agent.key);
    expect([again.status, again.body.status, again.body.reasons]).toEqual([202, 'pending_approval', ['always']]);
    expect(await deliveriesOf(again.body.id)).toEqual([]);
    const { body: hold } = await server.call('GET', `/keys/approvals/${again.body.approvalId}`);
    expect(hold.keyId).toBe(agent.id);
    const mine = await server.call('GET', '/keys/approvals', { key: agent.key });
    expect(mine.body.approvals.map(({ emailId }: { emailId: string }) => emailId)).toContain(again.body.id);
  });

  it('is held by the rules of both keys, each naming its reasons', async () => {
    const issuer = await newKey({ approvalMode: 'policy', holdWhen: { hasBcc: true } });
    const id = await sendSettled({ to: 'a@sandbox.test', cc: 'b@sandbox.test' }, issuer.key);
    const caller = await newKey({ approvalMode: 'policy', holdWhen: { recipientsOver: 1 } });
    expect((await resend(id, caller.key)).body.reasons).toEqual(['recipientsOver']);
    const free = await newKey();
    expect((await resend(id, free.key)).body.status).toBe('queued');
    await server.call('PATCH', `/keys/${issuer.id}`, { body: { approvalMode: 'always', scopes: ['sending'] } });
    expect((await resend(id, free.key)).body.reasons).toEqual(['always']);
  });

  it('sends nothing when the caller is a test key, also when the message was stranded', async () => {
    const tester = await newKey({ mode: 'test' });
    const id = await sendSettled({ to: 'someone@example.com' });
    const again = await resend(id, tester.key);
    expect(again.status).toBe(202);
    const { body } = await server.settled(again.body.id);
    expect(body.events.at(-1)).toMatchObject({ type: 'delivered', detail: expect.stringContaining('simulated') });
    const [row] = await server.database.sql`SELECT key_id, asked_by FROM messages WHERE id = ${again.body.id}`;
    expect(row?.['asked_by']).toBe(tester.id);
    expect(row?.['key_id']).not.toBe(tester.id);
  });

  it('is rejected when a recipient is outside the allowlist of the caller', async () => {
    const narrow = await newKey({ recipientAllowlist: ['@example.org'] });
    const id = await sendSettled({ to: 'a@example.com' });
    const refused = await resend(id, narrow.key);
    expectProblem(refused, 403, 'recipient_not_allowed');
    expect(refused.body.recipients).toEqual([{ email: 'a@example.com', kind: 'to', code: 'recipient_not_allowed' }]);
  });

  it('counts against the send limit of the caller, and is rejected beyond it', async () => {
    const limited = await newKey({ sendLimit: { hour: 1 } });
    const id = await sendSettled();
    expect((await resend(id, limited.key)).status).toBe(202);
    expectProblem(await resend(id, limited.key), 429, 'send_limit_reached');
    expect((await resend(id, server.key)).status).toBe(202);
  });

  it('is rejected when the caller’s persona is locked to another name', async () => {
    const persona = { persona: { agentName: 'herald' }, lockPersona: true };
    const herald = await newKey(persona);
    const id = await sendSettled({ agent_name: 'somebody-else' });
    expectProblem(await resend(id, herald.key), 403, 'persona_locked');
  });

  it('replays under the idempotency key of the caller alone', async () => {
    const agent = await newKey(HELD);
    const id = await sendSettled();
    const headers = { 'idempotency-key': 'again-1' };
    const first = await resend(id, server.key, headers);
    expect(first.body.status).toBe('queued');
    const held = await resend(id, agent.key, headers);
    expect([held.body.status, held.headers.get('idempotency-replayed')]).toEqual(['pending_approval', null]);
    expect((await resend(id, agent.key, headers)).body.id).toBe(held.body.id);
  });

  it('is judged again by both keys when it is approved', async () => {
    const agent = await newKey(HELD);
    const issuer = await newKey();
    const id = await sendSettled({ to: 'a@example.com' }, issuer.key);
    const decider = await server.newKey({ scopes: ['approvals:decide'] });
    const held = await resend(id, agent.key);
    await server.call('PATCH', `/keys/${issuer.id}`, { body: { recipientAllowlist: ['@example.org'] } });
    const decided = await server.call('POST', `/keys/approvals/${held.body.approvalId}`, {
      key: decider,
      body: { decision: 'approve' },
    });
    expect(decided.body).toMatchObject({ outcome: 'failed', problem: { code: 'recipient_not_allowed' } });
    expect(await deliveriesOf(held.body.id)).toEqual([]);
  });

  it('is the same refusal for a message with blind recipients, whatever the rules say about them', {
    tags: ['holes.sight'],
  }, async () => {
    const blind = 'guessed@sandbox.test';
    const id = await sendSettled({ bcc: blind });
    const scopes = ['emails:send', 'emails:read'];
    const held = (holdWhen: object) => ({ scopes, approvalMode: 'policy', holdWhen });
    const responseOf = async (fields: object, sentBefore = 0) => {
      const { key } = await newKey({ scopes, ...fields });
      for (let sent = 0; sent < sentBefore; sent += 1) await server.send({}, { key });
      const { status, body } = await resend(id, key);
      const mcp = await connectTo(server, '', key);
      const { requestId: _, ...byTool } = (await mcp.call('resend_email', { id })).record.error;
      await mcp.close();
      return [status, { ...body, requestId: null }, byTool];
    };
    const plain = await responseOf({});
    expect(plain).toEqual([
      403,
      expect.objectContaining({ code: 'missing_scope', fix: expect.stringContaining('emails:content-all') }),
      expect.objectContaining({ code: 'missing_scope' }),
    ]);
    expect(await responseOf({ recipientAllowlist: ['nobody@example.com'] })).toEqual(plain);
    expect(await responseOf({ recipientAllowlist: ['@sandbox.test'], sendLimit: { hour: 1 } }, 1)).toEqual(plain);
    expect(await responseOf({ mode: 'test' })).toEqual(plain);
    expect(await responseOf(held({ hasBcc: true }))).toEqual(plain);
    expect(await responseOf(held({ recipientDomainNotIn: ['example.com'] }))).toEqual(plain);
    await server.call('POST', '/suppressions', { body: { email: blind } });
    expect(await responseOf({})).toEqual(plain);
    const seeing = await newKey({ scopes: [...scopes, 'emails:content-all'] });
    expectProblem(await resend(id, seeing.key), 422, 'recipient_suppressed');
    const own = await newKey({ scopes: ['emails:send'] });
    const mine = await sendSettled({ bcc: 'another@sandbox.test' }, own.key);
    expect((await resend(mine, own.key)).status).toBe(202);
  });

  it('is held by rules about content that the caller may not see, whatever that content is', {
    tags: ['holes.sight'],
  }, async () => {
    const html = '<a href="https://listed.example/">Hi</a>';
    const plain = await sendSettled({ html });
    const file = { filename: 'a.txt', content: Buffer.from('x').toString('base64') };
    const full = await sendSettled({ html: html.replace('listed', 'other'), attachments: [file] });
    const holdWhen = { linkDomainNotIn: ['listed.example'], hasAttachments: true };
    const scopes = ['emails:send', 'emails:read', 'emails:content'];
    const policy = { approvalMode: 'policy', holdWhen } as const;
    const seeing = await newKey({ scopes: [...scopes, 'emails:content-all'], ...policy });
    const unseeing = await newKey({ scopes, ...policy });
    const both = ['hasAttachments', 'linkDomainNotIn'];
    expect((await resend(plain, seeing.key)).body.status).toBe('queued');
    expect((await resend(full, seeing.key)).body.reasons).toEqual(both);
    expect((await resend(plain, unseeing.key)).body.reasons).toEqual(both);
    expect((await resend(full, unseeing.key)).body.reasons).toEqual(both);
    const own = await sendSettled({ html }, unseeing.key);
    expect((await resend(own, unseeing.key)).body.status).toBe('queued');
    // The rules of the key that sent it first are no different: the caller may be able to change them.
    const free = await newKey({ scopes });
    expect((await resend(own, free.key)).body.reasons).toEqual(both);
  });

  it('reveals nothing of other senders’ messages to a key without `emails:read`', {
    tags: ['holes.sight'],
  }, async () => {
    const issuer = await newKey();
    const [settled, canceled, suppressed, revoked] = [
      await sendSettled(),
      (await server.send({ scheduled_at: 'PT1H' })).body.id as string,
      await sendSettled({ to: 'bounced@sandbox.test' }),
      await sendSettled({}, issuer.key),
    ];
    await server.call('DELETE', `/emails/${canceled}`);
    await server.call('DELETE', `/keys/${issuer.id}`);
    const blind = await newKey({ scopes: ['emails:send'] });
    const own = (await server.send({}, { key: blind.key })).body.id as string;
    const headers = { 'idempotency-key': 'probe' };
    const mcp = await connectTo(server, '', blind.key);
    const responsesOf = async (id: string) => {
      const unnamed = (value: unknown) => JSON.stringify(value).replaceAll(id, '<id>');
      const byRest = [await resend(id, blind.key), await resend(id, blind.key, headers)];
      const { requestId: _, ...byTool } = (await mcp.call('resend_email', { id })).record.error;
      return [
        ...byRest.map(({ status, body: { requestId: __, ...body } }) => unnamed([status, body])),
        unnamed(byTool),
      ];
    };
    const unknown = await responsesOf(randomUUID());
    expect(unknown[0]).toContain('[404,');
    for (const id of [settled, canceled, suppressed, revoked]) expect(await responsesOf(id)).toEqual(unknown);
    expect((await resend(own, blind.key)).status).toBe(202);
    await mcp.close();
  });
});
