import { MESSAGE_STATUSES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type SmtpSink, startSmtpSink } from '../../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('GET /emails/:id', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('returns every field of a minimal message, absent values as null', {
    tags: [
      'contract-shape.absent-is-null',
      'contract-shape.read-answer',
      'contract-messages.single-read',
      'message-record.single-read-fields',
    ],
  }, async () => {
    const { body: sent } = await server.send();
    const { status, body } = await server.settled(sent.id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: sent.id,
      from: 'Ada <ada@sandbox.test>',
      to: 'delivered@sandbox.test',
      subject: 'Hello',
      status: 'delivered',
      channel: 'api',
      source: 'backend',
      agentName: null,
      tags: [],
      createdAt: expect.stringMatching(TIME),
      html: null,
      text: 'Hi there',
      headers: {},
      cc: [],
      bcc: [],
      replyTo: null,
      recipients: [{ email: 'delivered@sandbox.test', kind: 'to', status: 'delivered' }],
      attachments: [],
      scheduledAt: null,
      metadata: {},
      template: null,
      resendOf: null,
      keyId: expect.stringMatching(UUID_V7),
      keyName: 'First key',
      lastError: null,
      bodyExpiresAt: expect.stringMatching(TIME),
      bodyExpired: false,
      contentRedacted: false,
      redacted: [],
      approval: null,
      events: [
        {
          id: expect.any(String),
          seq: 1,
          type: 'queued',
          createdAt: body.createdAt,
          recipient: null,
          classification: null,
          detail: null,
        },
        expect.objectContaining({ seq: 2, type: 'sent', recipient: 'delivered@sandbox.test', classification: null }),
        expect.objectContaining({
          seq: 3,
          type: 'delivered',
          recipient: 'delivered@sandbox.test',
          classification: null,
        }),
      ],
      attempts: [expect.objectContaining({ transport: 'sandbox', conversation: null })],
    });
  });

  it('returns status, events, body and provenance', {
    tags: [
      'emails-get.status',
      'emails-get.trail',
      'emails-get.body',
      'emails-get.provenance',
      'message-record.single-read',
    ],
  }, async () => {
    const given = { html: '<p>H</p>', text: 'T', channel: 'sdk', source: 'agent', agent_name: 'bot' };
    const { body: sent } = await server.send({ to: 'bounced@sandbox.test', ...given });
    const { body } = await server.settled(sent.id);
    expect(body).toMatchObject({ status: 'bounced', html: '<p>H</p>', text: 'T' });
    expect(body).toMatchObject({ channel: 'sdk', source: 'agent', agentName: 'bot' });
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'bounced']);
  });

  it('returns events in order, each with all its fields', {
    tags: ['contract-messages.trail', 'contract-shape.ids', 'contract-shape.times'],
  }, async () => {
    const { body: sent } = await server.send({ to: ['deferred@sandbox.test', 'complained@sandbox.test'] });
    const { events, createdAt } = (await server.settled(sent.id)).body;
    expect(events.length).toBeGreaterThanOrEqual(7);
    events.forEach((event: Record<string, unknown>, index: number) => {
      expect(Object.keys(event).sort()).toEqual([
        'classification',
        'createdAt',
        'detail',
        'id',
        'recipient',
        'seq',
        'type',
      ]);
      expect(event).toMatchObject({
        id: expect.stringMatching(UUID_V7),
        seq: index + 1,
        createdAt: expect.stringMatching(TIME),
      });
    });
    const ids = events.map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...ids].sort());
    expect(Number.parseInt(sent.id.replaceAll('-', '').slice(0, 12), 16)).toBe(Date.parse(createdAt));
  });

  it('returns `to` as addresses joined by a comma and a space, cc and bcc as strings, and from unchanged', {
    tags: ['contract-messages.to', 'contract-sending.addresses-read'],
  }, async () => {
    const { body: sent } = await server.send({
      from: '"Lovelace, Ada" <ada@sandbox.test>',
      to: ['One <a@sandbox.test>', 'b@sandbox.test'],
      cc: ['Three <c@sandbox.test>'],
      bcc: 'd@sandbox.test',
      reply_to: 'R <r@example.com>',
    });
    const { body } = await server.call('GET', `/emails/${sent.id}`);
    expect(body).toMatchObject({
      from: '"Lovelace, Ada" <ada@sandbox.test>',
      to: 'a@sandbox.test, b@sandbox.test',
      cc: ['c@sandbox.test'],
      bcc: ['d@sandbox.test'],
      replyTo: 'R <r@example.com>',
    });
    const { messages } = (await server.call('GET', '/emails?limit=1')).body;
    expect(messages).toMatchObject([{ id: sent.id, from: body.from, to: 'a@sandbox.test, b@sandbox.test' }]);
  });

  it('returns the rendered body: what was sent, and the derived text', {
    tags: ['contract-messages.rendered-body'],
  }, async () => {
    const html = '<p>One &lt;two&gt;</p>\r\n<p>Three</p>';
    const { body: sent } = await server.send({ html, text: undefined });
    const { body } = await server.call('GET', `/emails/${sent.id}`);
    expect(body.html).toBe(html);
    expect(body.text).toBe('One <two>\n\nThree');
  });

  it('hides the content from a key that lacks emails:content, and says so', {
    tags: ['contract-messages.redacted', 'authentication.scope-values'],
  }, async () => {
    const given = { html: '<p>secret body</p>', text: 'secret body', headers: { 'X-Secret': 'secret' } };
    const { body: sent } = await server.send(given);
    const whole = (await server.settled(sent.id)).body;
    const key = await server.newKey({ scopes: ['emails:read'] });
    const { status, body } = await server.call('GET', `/emails/${sent.id}`, { key });
    expect(status).toBe(200);
    const content = { html: null, text: null, headers: null, attachments: null };
    const hiddenKey = { keyId: null, keyName: null };
    const redacted = [...Object.keys(content), 'bcc', 'metadata', 'replyTo', 'lastError', ...Object.keys(hiddenKey)];
    expect(body).toEqual({ ...whole, ...content, ...hiddenKey, contentRedacted: true, redacted });
    expect(JSON.stringify(body)).not.toContain('secret');
    expect(body.bodyExpired).toBe(false);
    const reading = await server.newKey({ scopes: ['emails:read', 'emails:content-all', 'keys:read'] });
    expect((await server.call('GET', `/emails/${sent.id}`, { key: reading })).body).toEqual(whole);
  });

  it('shows a key with emails:content the messages it sent, and no other sender’s', {
    tags: ['holes.content-scope'],
  }, async () => {
    const agent = await server.newKey({ scopes: ['sending'] });
    const reset = (await server.send({ text: 'https://example.com/reset?token=secret' })).body.id;
    const others = await server.call('GET', `/emails/${reset}`, { key: agent });
    expect([others.status, others.body.text, others.body.contentRedacted]).toEqual([200, null, true]);
    const own = (await server.send({ text: 'my own' }, { key: agent })).body.id;
    expect((await server.call('GET', `/emails/${own}`, { key: agent })).body.text).toBe('my own');
    const again = await server.call('POST', `/emails/${reset}/resend`, { key: agent });
    expect((await server.call('GET', `/emails/${again.body.id}`, { key: agent })).body.text).toBeNull();
  });

  it('shows a held key no content of another key’s message that it asks to resend', {
    tags: ['holes.content-scope'],
  }, async () => {
    const held = { name: 'Agent', scopes: ['emails:send', 'emails:read'], approvalMode: 'always' };
    const { key: agent } = (await server.call('POST', '/keys', { body: held })).body;
    const reset = (await server.send({ text: 'token=secret', html: '<p>token=secret</p>' })).body.id;
    const { approvalId } = (await server.call('POST', `/emails/${reset}/resend`, { key: agent })).body;
    const one = await server.call('GET', `/keys/approvals/${approvalId}`, { key: agent });
    const list = await server.call('GET', '/keys/approvals', { key: agent });
    expect(one.body.id).toBe(approvalId);
    expect(JSON.stringify([one.body, list.body])).not.toContain('token=secret');
    expect(JSON.stringify((await server.call('GET', `/keys/approvals/${approvalId}`)).body)).toContain('token=secret');
  });

  it('needs emails:read; emails:content alone, or the right to send, is not enough', async () => {
    const { body: sent } = await server.send();
    for (const scopes of [['emails:send'], ['emails:content'], ['logs:read']]) {
      const key = await server.newKey({ scopes });
      expectProblem(await server.call('GET', `/emails/${sent.id}`, { key }), 403, 'missing_scope');
    }
    const key = await server.newKey({ scopes: ['sending'] });
    expect((await server.call('GET', `/emails/${sent.id}`, { key })).status).toBe(200);
  });

  it.each(['x', '01936a2e-0000-7000-8000-000000000000', '01936A2E', '1', "' OR 1=1 --", '..%2f', '0'.repeat(500)])(
    'returns 404 for %j',
    { tags: ['contract-errors.404'] },
    async (id) => {
      expectProblem(await server.call('GET', `/emails/${encodeURI(id)}`), 404, 'not_found');
    },
  );

  describe('with `wait`', () => {
    let sink: SmtpSink;
    let relayed: TestApp;
    beforeAll(async () => {
      sink = await startSmtpSink({
        replies: { recipient: (address) => (address.startsWith('later') ? { code: 451, text: 'Later' } : undefined) },
      });
      relayed = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
    });
    afterAll(async () => {
      await relayed.close();
      await sink.close();
    });

    it.each(['0', '61', '-1', '1.5', 'x', '', '600'])(
      '=%s is rejected',
      { tags: ['contract-messages.wait'] },
      async (wait) => {
        const { body: sent } = await server.send();
        expectInvalid(await server.call('GET', `/emails/${sent.id}?wait=${wait}`), 'wait');
      },
    );

    it('of 1 and of 60 seconds is accepted', { tags: ['contract-messages.wait'] }, async () => {
      const { body: sent } = await server.send();
      expect((await server.call('GET', `/emails/${sent.id}?wait=60`)).body.status).toBe('delivered');
      expect((await server.call('GET', `/emails/${sent.id}?wait=1`)).body.status).toBe('delivered');
    });

    it.each([
      ['delivered', 'delivered'],
      ['bounced', 'bounced'],
      ['complained', 'complained'],
      ['deferred', 'delivered'],
    ])('responds as soon as a message to %s is final', { tags: ['contract-messages.wait'] }, async (local, status) => {
      const beganMs = performance.now();
      const { body: sent } = await server.send({ to: `${local}@sandbox.test` });
      const { body } = await server.call('GET', `/emails/${sent.id}?wait=30`);
      expect(body.status).toBe(status);
      expect(performance.now() - beganMs).toBeLessThan(10_000);
    });

    it('responds as soon as a message has failed, with the reason', {
      tags: [
        'contract-messages.statuses',
        'contract-messages.trail-types',
        'contract-messages.wait',
        'contract-messages.never-stuck',
      ],
    }, async () => {
      const api = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
      await api.addDomain('gone.example');
      const { body: sent } = await api.send({ from: 'a@gone.example', to: 'x@example.com' });
      await api.database.sql`DELETE FROM sending_domains WHERE name = 'gone.example'`;
      const waiting = api.call('GET', `/emails/${sent.id}?wait=30`);
      const worker = await startTestApp({ database: api.database, settings: { POSTRIDER_ROLES: 'worker' } });
      expect((await waiting).body).toMatchObject({
        status: 'failed',
        lastError:
          'The domain gone.example was no longer verified in this account when the message was due, so the message was not sent.',
        events: [{ type: 'queued' }, { type: 'failed', classification: null, recipient: 'x@example.com' }],
      });
      await worker.close();
      await api.close();
    });

    it('responds as soon as the provider has accepted the message', {
      tags: ['contract-messages.wait', 'contract-messages.sent'],
    }, async () => {
      const { body: sent } = await relayed.send({ to: 'ann@example.com' });
      const { body } = await relayed.call('GET', `/emails/${sent.id}?wait=30`);
      expect(body.status).toBe('sent');
      expect(body.recipients).toEqual([{ email: 'ann@example.com', kind: 'to', status: 'sent' }]);
    });

    it('returns the present state at the timeout', { tags: ['contract-messages.wait-time-out'] }, async () => {
      const { body: sent } = await relayed.send({ to: 'later@example.com' });
      const beganMs = performance.now();
      const { status, body } = await relayed.call('GET', `/emails/${sent.id}?wait=1`);
      expect([status, body.status]).toEqual([200, 'deferred']);
      expect(performance.now() - beganMs).toBeGreaterThanOrEqual(990);
    });

    it('returns the outcome also when another process delivers', async () => {
      const api = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
      const { body: sent } = await api.send();
      expect((await api.settled(sent.id)).body.status).toBe('delivered');
      await api.close();
    });
  });

  it('covers each status that the contract names', {
    tags: ['states.full-set', 'states.named', 'message-record.status'],
  }, () => {
    expect(Object.keys(MESSAGE_STATUSES)).toEqual([
      ...['queued', 'sending', 'sent', 'delivered', 'deferred', 'bounced', 'complained', 'failed', 'suppressed'],
      ...['pending_approval', 'rejected', 'expired', 'canceled'],
    ]);
  });
});
