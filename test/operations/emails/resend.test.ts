import { randomUUID } from 'node:crypto';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);

describe('POST /emails/:id/resend', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const resend = (id: string, options = {}) => server.call('POST', `/emails/${id}/resend`, options);
  const read = async (id: string, key = server.key) => (await server.call('GET', `/emails/${id}`, { key })).body;
  const sendSettled = async (body = {}, options = {}) => {
    const sent = await server.send(body, options);
    await server.call('GET', `/emails/${sent.body.id}?wait=10`, options);
    return sent.body.id as string;
  };
  const keyOf = async (id: string) =>
    (await server.database.sql`SELECT key_id FROM messages WHERE id = ${id}`)[0]?.['key_id'] as string;

  it('sends the stored message again, with its own id and events', {
    tags: [
      'states.resent',
      'emails-resend.response',
      'contract-resend-and-cancel.resend',
      'contract-messages.single-read-resend-of',
    ],
  }, async () => {
    const id = await sendSettled();
    const before = await read(id);
    const response = await resend(id);
    expect([response.status, response.body]).toEqual([202, { id: UUID, status: 'queued', resendOf: id }]);
    expect(response.body.id).not.toBe(id);
    const again = (await server.settled(response.body.id)).body;
    expect(again).toMatchObject({ status: 'delivered', resendOf: id });
    expect(again.events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'sent', 'delivered']);
    expect(await read(id)).toEqual(before);
    expect(before.resendOf).toBeNull();
  });

  it('repeats everything in the message, byte for byte, and does not tag its links a second time', async () => {
    const subject = 'Again, all of it';
    const given = {
      ...{
        from: 'Ada Lovelace <ada@sandbox.test>',
        subject,
        html: '<p>Hi <a href="https://example.com/?a=1">you</a></p>',
      },
      to: ['Bob <delivered+bob@sandbox.test>', 'c@example.com'],
      ...{ cc: 'Dora <d@example.com>', bcc: 'e@example.com', reply_to: 'Team <team@example.com>' },
      ...{ headers: { 'X-Team': 'blue' }, metadata: { order: '7' }, tags: ['one', 'two'] },
      utm: { source: 'news', medium: 'email', campaign: 'may' },
      ...{ agent_name: 'herald', source: 'automation', channel: 'sdk' },
      attachments: [
        { filename: 'a.txt', content: Buffer.from('a file').toString('base64') },
        { filename: 'b.png', content: Buffer.from('a picture').toString('base64'), content_id: 'pic' },
      ],
    };
    const id = await sendSettled(given);
    const again = (await resend(id)).body.id;
    await server.settled(again);
    const {
      id: _,
      createdAt: __,
      events: ___,
      attempts: ____,
      bodyExpiresAt: _____,
      resendOf: ______,
      ...first
    } = await read(id);
    expect(await read(again)).toMatchObject(first);
    expect(String(first['html']).match(/utm_campaign=may/g)).toHaveLength(1);
    const mails = (await readCaptured(server, subject)).filter(({ to }) => to.includes('c@example.com'));
    expect(mails).toHaveLength(2);
    const [one, two] = mails.map(({ to, parsed }) => ({
      ...{
        to,
        from: parsed.from,
        header: parsed.to,
        cc: parsed.cc,
        replyTo: parsed.replyTo,
        html: parsed.html,
        text: parsed.text,
      },
      files: parsed.attachments.map(({ filename, mimeType, contentId, content }) => [
        filename,
        mimeType,
        contentId,
        content,
      ]),
    }));
    expect(two).toEqual(one);
    expect(mails[1]?.parsed.messageId).toBe(`<${again}@sandbox.test>`);
  });

  it('derives no text when the first message had none on purpose', async () => {
    const id = await sendSettled({ html: '<p>Only this</p>', text: '' });
    expect((await read((await resend(id)).body.id)).text).toBeNull();
  });

  it('works from any state, a queued one included', { tags: ['states.resent'] }, async () => {
    const bounced = await sendSettled({ to: 'bounced@sandbox.test' });
    const waiting = (await server.send({ scheduled_at: 'P2D' })).body.id;
    for (const id of [bounced, waiting]) expect((await resend(id)).status).toBe(202);
    const again = (await resend(waiting)).body.id;
    const message = (await server.settled(again)).body;
    expect([message.status, message.scheduledAt]).toEqual(['delivered', null]);
    expect((await resend(again)).body.resendOf).toBe(again);
  });

  it('is sent under the original key, with its present allowlist', {
    tags: ['emails-resend.key', 'contract-resend-and-cancel.resend'],
  }, async () => {
    const key = await server.newKey({ recipientAllowlist: ['@example.com'] });
    const id = await sendSettled({ to: 'a@example.com' }, { key });
    const again = await resend(id, { key: await server.newKey() });
    expect(again.status).toBe(202);
    expect(await keyOf(again.body.id)).toBe(await keyOf(id));
    await server.database.sql`
      UPDATE api_keys SET recipient_allowlist = '{@example.org}' WHERE id = ${await keyOf(id)}`;
    const refused = await resend(id);
    expectProblem(refused, 403, 'recipient_not_allowed');
    expect(refused.body.recipients).toEqual([{ email: 'a@example.com', kind: 'to', code: 'recipient_not_allowed' }]);
  });

  it('is rejected when that key was revoked or has expired', {
    tags: [
      'emails-resend.refused',
      'errors.resend',
      'states.key-revoked',
      'contract-errors.409-cancel-and-resend',
      'contract-resend-and-cancel.resend',
    ],
  }, async () => {
    const key = await server.newKey();
    const id = await sendSettled({}, { key });
    const keyId = await keyOf(id);
    await server.database.sql`UPDATE api_keys SET expires_at = now() - interval '1 minute' WHERE id = ${keyId}`;
    const expired = await resend(id);
    expectProblem(expired, 401, 'key_expired');
    await server.database.sql`UPDATE api_keys SET revoked_at = now() - interval '1 minute' WHERE id = ${keyId}`;
    expectProblem(await resend(id), 409, 'issuing_key_revoked');
    await server.database.sql`UPDATE api_keys SET revoked_at = NULL, expires_at = NULL WHERE id = ${keyId}`;
    expect((await resend(id)).status).toBe(202);
  });

  it('is rejected when the body was removed, by age or by canceling', {
    tags: ['emails-resend.refused', 'errors.resend', 'contract-errors.410', 'contract-resend-and-cancel.resend'],
  }, async () => {
    const id = await sendSettled();
    await server.database.sql`DELETE FROM message_bodies WHERE message_id = ${id}`;
    expectProblem(await resend(id), 410, 'body_expired');
    const canceled = (await server.send({ scheduled_at: 'PT1H' })).body.id;
    await server.call('DELETE', `/emails/${canceled}`);
    expectProblem(await resend(canceled), 410, 'body_expired');
  });

  it('passes the acceptance check again: suppressions, quota and domain as they are now', {
    tags: ['emails-resend.acceptance', 'service.check-resend', 'contract-resend-and-cancel.resend'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    await server.addDomain('mail.example', accountId);
    const id = await sendSettled({ from: 'a@mail.example', to: ['a@example.com', 'b@example.com'] }, { key });
    const used = async () => (await server.call('GET', '/keys/self', { key })).body.quota.used;
    expect((await resend(id, { key })).headers.get('x-quota-remaining')).toBe('99996');
    await server.database.sql`UPDATE accounts SET monthly_quota = 5 WHERE id = ${accountId}`;
    expectProblem(await resend(id, { key }), 402, 'quota_exceeded');
    expect(await used()).toBe(4);
    await server.database.sql`UPDATE sending_domains SET status = 'failed' WHERE account_id = ${accountId}`;
    expectProblem(await resend(id, { key }), 403, 'domain_not_verified');
    await server.database.sql`UPDATE sending_domains SET status = 'verified' WHERE account_id = ${accountId}`;
    await server.database.sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${accountId}, ${randomUUID()}, 'b@example.com', 'manual', now())`;
    const suppressed = await resend(id, { key });
    expectProblem(suppressed, 422, 'recipient_suppressed');
    expect(suppressed.body.recipients).toEqual([{ email: 'b@example.com', kind: 'to', code: 'recipient_suppressed' }]);
  });

  it('with an idempotency key sends once, and returns the same when key and body are gone since', {
    tags: ['contract-idempotency.resend'],
  }, async () => {
    const key = await server.newKey();
    const id = await sendSettled({}, { key });
    const other = await sendSettled();
    const options = { headers: { 'idempotency-key': 'once more' } };
    const first = await resend(id, options);
    expect(first.headers.get('idempotency-replayed')).toBeNull();
    await server.database.sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${await keyOf(id)}`;
    await server.database.sql`DELETE FROM message_bodies WHERE message_id = ${id}`;
    const second = await resend(id, options);
    expect([second.status, second.body, second.headers.get('idempotency-replayed')]).toEqual([202, first.body, 'true']);
    expectProblem(await resend(other, options), 422, 'idempotency_key_reused');
    expectProblem(await server.send({}, options), 422, 'idempotency_key_reused');
    expectInvalid(await resend(id, { headers: { 'idempotency-key': 'x'.repeat(256) } }), 'idempotency-key');
  });

  it('creates one message from 20 parallel calls under one idempotency key', async () => {
    const id = await sendSettled();
    const options = { headers: { 'idempotency-key': 'resend race' } };
    const responses = await Promise.all(Array.from({ length: 20 }, () => resend(id, options)));
    const accepted = responses.filter(({ status }) => status === 202);
    expect(new Set(accepted.map(({ body }) => body.id)).size).toBe(1);
    for (const { status, body } of responses) if (status !== 202) expect(body.code).toBe('idempotency_in_progress');
    const rows = await server.database.sql`SELECT 1 FROM messages WHERE resend_of = ${id}`;
    expect(rows).toHaveLength(1);
  });

  it('needs a key with `emails:send`, and finds only the account’s messages', async () => {
    const id = await sendSettled();
    expectProblem(await resend(id, { key: null }), 401, 'missing_key');
    const reader = await server.newKey({ scopes: ['emails:read', 'emails:cancel'] });
    expectProblem(await resend(id, { key: reader }), 403, 'missing_scope');
    const { key } = await server.newAccount();
    expectProblem(await resend(id, { key }), 404, 'not_found');
    for (const unknown of ['00000000-0000-7000-8000-000000000000', 'x'])
      expectProblem(await resend(unknown), 404, 'not_found');
    expectInvalid(await server.call('POST', `/emails/${id}/resend?to=x`), 'to');
    expect((await server.call('POST', `/v1/emails/${id}/resend`)).status).toBe(202);
  });

  it('is `emails.resend` of the SDK', { tags: ['contract-surfaces.sdk-cancel-and-resend'] }, async () => {
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const id = await sendSettled();
    expect(await client.emails.resend(id)).toEqual({ id: UUID, status: 'queued', resendOf: id });
  });
});
