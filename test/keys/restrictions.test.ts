import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announceExpiry } from '../../packages/server/src/keys/announce-expiry.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { readCaptured } from '../harness/captured-mail.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { openLoggedIn, openSmtpSession, plainToken } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { SEND_PATHS } from './every-path.ts';

const PATHS = Object.entries(SEND_PATHS);
const HOUR_MS = 3_600_000;

let server: SubmissionApp;
beforeAll(async () => {
  server = await startSubmissionApp();
});
afterAll(() => server.close());

const made = async (body: object = {}) =>
  (await server.call('POST', '/keys', { body: { name: 'Restricted', scopes: ['full'], ...body } })).body;
const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;
const act = (path: string) => server.call('POST', path);

describe('pausing', () => {
  it.each(PATHS)(
    '%s is rejected for a paused key and for a paused account',
    { tags: ['keys.pause', 'contract-errors.403-keys'] },
    async (_, send) => {
      const { id, key } = await made();
      expect((await send(server, key, {})).code).toBeNull();
      await act(`/keys/${id}/pause`);
      expect((await send(server, key, {})).code).toBe('sending_paused');
      await act(`/keys/${id}/resume`);
      expect((await act('/account/pause')).body.pausedAt).toMatch(/Z$/);
      expect((await send(server, key, {})).code).toBe('sending_paused');
      expect((await act('/account/resume')).body.pausedAt).toBeNull();
      expect((await send(server, key, {})).code).toBeNull();
    },
  );

  it('rejects resends of messages of a paused key and by a paused key, and tests of templates', {
    tags: ['keys.pause'],
  }, async () => {
    const { id, key } = await made();
    const own = (await server.send({}, { key })).body.id;
    const others = (await server.send()).body.id;
    const template = (await server.call('POST', '/templates', { body: { name: 'T', subject: 'S', text: 'Hi' } })).body
      .id;
    await act(`/keys/${id}/pause`);
    expectProblem(await server.call('POST', `/emails/${own}/resend`), 403, 'sending_paused');
    expectProblem(await server.call('POST', `/emails/${others}/resend`, { key }), 403, 'sending_paused');
    expectProblem(await server.call('POST', `/templates/${template}/test`, { key, body: {} }), 403, 'sending_paused');
  });

  it('is reported by a dry run, and replays what was accepted before', async () => {
    const { id, key } = await made();
    const headers = { 'idempotency-key': `paused-${id}` };
    const sent = await server.send({}, { key, headers });
    await act(`/keys/${id}/pause`);
    const dry = (await server.send({ dry_run: true }, { key })).body;
    expect(dry.ok).toBe(false);
    expect(dry.checks).toContainEqual(expect.objectContaining({ name: 'account', ok: false, code: 'sending_paused' }));
    const again = await server.send({}, { key, headers });
    expect([again.status, again.body]).toEqual([202, sent.body]);
  });

  it('does not stop accepted or scheduled messages, which can be canceled', async () => {
    const { id, key } = await made();
    const goes = (await server.send({ scheduled_at: 'PT1H' }, { key })).body.id;
    const stays = (await server.send({ scheduled_at: 'PT1H' }, { key })).body.id;
    await act(`/keys/${id}/pause`);
    expect((await server.call('DELETE', `/emails/${stays}`, { key })).status).toBe(200);
    server.clock.advance(HOUR_MS);
    await server.pump();
    expect((await server.settled(goes)).body.status).toBe('delivered');
    expect((await read(stays)).status).toBe('canceled');
  });
});

describe('a locked persona', () => {
  it.each(PATHS)(
    '%s may use nothing else',
    { tags: ['contract-sending.persona-locked', 'contract-errors.403-keys'] },
    async (_, send) => {
      const { key } = await made({ persona: { agentName: 'billing-bot', source: 'agent' }, lockPersona: true });
      const plain = await send(server, key, {});
      expect(await read(plain.id ?? '')).toMatchObject({ agentName: 'billing-bot', source: 'agent' });
      expect((await send(server, key, { agentName: 'billing-bot', source: 'agent' })).code).toBeNull();
      expect((await send(server, key, { agentName: 'ceo' })).code).toBe('persona_locked');
      expect((await send(server, key, { source: 'system' })).code).toBe('persona_locked');
    },
  );

  it('fixes only the fields it names; unlocked it only fills in', {
    tags: ['contract-sending.persona-locked'],
  }, async () => {
    const { key } = await made({ persona: { agentName: 'billing-bot' }, lockPersona: true });
    expect((await server.send({ source: 'system' }, { key })).status).toBe(202);
    const { key: open } = await made({ persona: { agentName: 'billing-bot', source: 'agent' } });
    const sent = await server.send({ agent_name: 'other' }, { key: open });
    expect(await read(sent.body.id)).toMatchObject({ agentName: 'other', source: 'agent' });
  });

  it('is applied to resends under the key that sent first', async () => {
    const { id, key } = await made();
    const sent = (await server.send({ agent_name: 'other' }, { key })).body.id;
    const body = { persona: { agentName: 'billing-bot' }, lockPersona: true };
    await server.call('PATCH', `/keys/${id}`, { body });
    expectProblem(await server.call('POST', `/emails/${sent}/resend`), 403, 'persona_locked');
  });
});

describe('send limits', () => {
  it.each(PATHS)(
    '%s is rejected above the hourly limit, with the time to wait',
    { tags: ['contract-errors.429'] },
    async (_, send) => {
      const { key } = await made({ sendLimit: { hour: 2 } });
      for (let n = 0; n < 2; n += 1) expect((await send(server, key, {})).code).toBeNull();
      expect((await send(server, key, {})).code).toBe('send_limit_reached');
      const refused = await server.send({}, { key });
      expectProblem(refused, 429, 'send_limit_reached');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(3_600);
      expect((await server.call('GET', '/keys/self', { key })).body.sendsLeft).toEqual({ hour: 0, day: null });
    },
  );

  it('start again with each hour, while the day continues', async () => {
    const { key } = await made({ sendLimit: { hour: 1, day: 2 } });
    expect((await server.send({}, { key })).status).toBe(202);
    expectProblem(await server.send({}, { key }), 429, 'send_limit_reached');
    // Not over midnight: from the last hour of the day the next hour is another day's.
    if (server.clock.now().getUTCHours() === 23) server.clock.advance(HOUR_MS);
    else expect((await sendAfterHours(1, key)).status).toBe(202);
  });

  async function sendAfterHours(hours: number, key: string) {
    server.clock.advance(hours * HOUR_MS);
    return await server.send({}, { key });
  }

  it('of the day end with the day, and the longer wait is reported', async () => {
    const { key } = await made({ sendLimit: { hour: 1, day: 1 } });
    await server.send({}, { key });
    const refused = await server.send({}, { key });
    expectProblem(refused, 429, 'send_limit_reached');
    expect(refused.body.detail).toContain('a day');
    server.clock.advance(Number(refused.headers.get('retry-after')) * 1_000);
    expect((await server.send({}, { key })).status).toBe(202);
  });

  it('count messages, each item of a batch by itself, and no errors, dry runs or replays', async () => {
    const { key } = await made({ sendLimit: { hour: 3 } });
    const headers = { 'idempotency-key': `limited-${key.slice(-6)}` };
    await server.send({ from: 'x@elsewhere.example' }, { key });
    await server.send({ dry_run: true }, { key });
    for (let n = 0; n < 3; n += 1) expect((await server.send({}, { key, headers })).status).toBe(202);
    const item = { from: 'ada@sandbox.test', to: ['a@sandbox.test', 'b@sandbox.test'], subject: 'Hi', text: 'Hi' };
    const { body } = await server.call('POST', '/emails/batch', { key, body: { emails: [item, item, item, item] } });
    expect([body.accepted, body.refused]).toEqual([2, 2]);
    expect(body.results.map(({ ok, error }: { ok: boolean; error?: { code: string } }) => error?.code ?? ok)).toEqual([
      ...[true, true],
      ...['send_limit_reached', 'send_limit_reached'],
    ]);
    const dry = (await server.send({ dry_run: true }, { key })).body;
    expect(dry.checks).toContainEqual(
      expect.objectContaining({ name: 'quota', ok: false, code: 'send_limit_reached' }),
    );
  });

  it('are exact when two processes accept at the same time', async () => {
    const other = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    other.clock.advance(server.clock.now().getTime() - other.clock.now().getTime());
    const { key } = await made({ sendLimit: { hour: 25 } });
    const responses = await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 2 === 0 ? server : other).send({}, { key })),
    );
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(25);
    expect(responses.filter(({ body }) => body.code === 'send_limit_reached')).toHaveLength(35);
    await other.close();
  });
});

describe('test keys', () => {
  const quota = async () => (await server.call('GET', '/account')).body.monthlyUsed;

  it.each(PATHS)(
    '%s: recipients outside the sandbox end as delivered, `simulated`, reach no transport and cost nothing',
    { tags: ['keys.test-mode', 'contract-quota.test-keys-free'] },
    async (_, send) => {
      const { key } = await made({ mode: 'test' });
      const used = await quota();
      const to = `someone-${Math.random()}@example.com`;
      const { id } = await send(server, key, { to });
      server.clock.advance(2 * HOUR_MS);
      await server.pump();
      const { body } = await server.settled(id ?? '');
      expect(body.status).toBe('delivered');
      expect(body.recipients).toEqual([expect.objectContaining({ email: to, status: 'delivered' })]);
      const delivered = body.events.find(({ type }: { type: string }) => type === 'delivered');
      expect(delivered).toMatchObject({ detail: 'simulated', classification: null });
      const { body: mailbox } = await server.call('GET', '/dev/mailbox', { key: null });
      expect(mailbox.messages.flatMap((message: { to: string[] }) => message.to)).not.toContain(to);
      expect(await quota()).toBe(used);
    },
  );

  it('apply every rule', { tags: ['keys.test-mode'] }, async () => {
    const { key } = await made({ mode: 'test', recipientAllowlist: ['@example.com', '@sandbox.test'] });
    await server.call('POST', '/suppressions', { body: { email: 'gone@example.com' } });
    expectProblem(await server.send({ from: 'x@unverified.example' }, { key }), 403, 'domain_not_verified');
    expectProblem(await server.send({ to: 'x@example.org' }, { key }), 403, 'recipient_not_allowed');
    expectProblem(await server.send({ to: 'gone@example.com' }, { key }), 422, 'recipient_suppressed');
  });

  it('leave test addresses as they are, beside other recipients, with separate copies when needed', {
    tags: ['keys.test-mode'],
  }, async () => {
    const { key } = await made({ mode: 'test' });
    const to = ['bounced@sandbox.test', 'delivered@sandbox.test', 'ann@example.com', 'ben@example.org'];
    for (const unsubscribe of [false, true]) {
      const subject = `Mixed ${unsubscribe}`;
      const sent = await server.send({ to, unsubscribe, subject }, { key });
      const { body } = await server.settled(sent.body.id);
      expect(body.recipients.map(({ status }: { status: string }) => status)).toEqual([
        'bounced',
        'delivered',
        'delivered',
        'delivered',
      ]);
      expect((await readCaptured(server, subject)).flatMap((mail) => mail.to)).toEqual(['delivered@sandbox.test']);
    }
  });

  it('connect to no mail server when mail is delivered directly', async () => {
    const direct = await startTestApp({ settings: { POSTRIDER_TRANSPORT: 'direct' }, dnsServers: ['127.0.0.1:9'] });
    const { body } = await direct.call('POST', '/keys', { body: { name: 'T', mode: 'test', scopes: ['full'] } });
    const sent = await direct.send({ to: ['a@example.com', 'b@example.org'] }, { key: body.key });
    expect((await direct.settled(sent.body.id)).body).toMatchObject({ status: 'delivered' });
    await direct.close();
  });
});

describe('the expiry of a key', () => {
  it('is announced in the audit log a week before, once, and again when it is moved', {
    tags: ['keys.restrictions'],
  }, async () => {
    const soon = new Date(server.clock.now().getTime() + 6 * 24 * HOUR_MS).toISOString();
    const later = new Date(server.clock.now().getTime() + 8 * 24 * HOUR_MS).toISOString();
    const { id } = await made({ expiresAt: soon });
    const { id: far } = await made({ expiresAt: later });
    const tools = { sql: server.database.sql, clock: server.clock, ids: createIdGenerator() };
    expect([await announceExpiry(tools), await announceExpiry(tools)]).toEqual([1, 0]);
    await server.call('PATCH', `/keys/${id}`, {
      body: { expiresAt: soon.replace('.', '.').replace(/\d{3}Z$/, '999Z') },
    });
    expect(await announceExpiry(tools)).toBe(1);
    server.clock.advance(2 * 24 * HOUR_MS);
    expect(await announceExpiry(tools)).toBe(1);
    const rows = await server.database
      .sql`SELECT target_id, actor FROM audit_log WHERE action = 'key.expiring' ORDER BY seq`;
    expect(rows.map(({ target_id, actor }) => [target_id, actor])).toEqual([id, id, far].map((key) => [key, 'system']));
  });
});

describe('a key that ends, narrows or moves', () => {
  let other: TestApp;
  beforeAll(async () => {
    other = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    other.clock.advance(server.clock.now().getTime() - other.clock.now().getTime());
  });
  afterAll(() => other.close());

  it.each([
    ['revoked', (id: string) => server.call('DELETE', `/keys/${id}`), 'key_revoked'],
    ['rotated', (id: string) => server.call('POST', `/keys/${id}/rotate`), 'key_revoked'],
    [
      'narrowed',
      (id: string) => server.call('PATCH', `/keys/${id}`, { body: { scopes: ['account:read'] } }),
      'missing_scope',
    ],
    [
      'bound to another network',
      (id: string) => server.call('PATCH', `/keys/${id}`, { body: { ipAllowlist: ['203.0.113.0/24'] } }),
      'ip_not_allowed',
    ],
    ['paused', (id: string) => server.call('POST', `/keys/${id}/pause`), 'sending_paused'],
  ])(
    '%s takes effect within a second on every process, and on open SMTP connections',
    { tags: ['contract-errors.401-ended-key'] },
    async (_, change, code) => {
      const { id, key } = await made();
      expect((await other.send({}, { key })).status).toBe(202);
      const session = await openLoggedIn(server.smtp.tlsPort, key);
      expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^250 /);
      await session.say('RSET');
      expect((await change(id)).status).toBe(200);
      other.clock.advance(999);
      expect((await other.send({}, { key })).body.code).toBe(code);
      expect((await server.send({}, { key })).body.code).toBe(code);
      const mail = await session.say('MAIL FROM:<ada@sandbox.test>');
      if (code !== 'sending_paused') expect(mail).toContain(code);
      session.close();
    },
  );

  it.each([
    ['revoked', (id: string) => server.call('DELETE', `/keys/${id}`)],
    ['rotated', (id: string) => server.call('POST', `/keys/${id}/rotate`)],
  ])(
    '%s takes effect as soon on a process whose clock is an hour behind',
    { tags: ['contract-errors.401-ended-key'] },
    async (_, change) => {
      const { id, key } = await made();
      other.clock.advance(-HOUR_MS);
      expect((await other.send({}, { key })).status).toBe(202);
      await change(id);
      other.clock.advance(999);
      expectProblem(await other.send({}, { key }), 401, 'key_revoked');
      other.clock.advance(HOUR_MS - 999);
    },
  );

  it('takes effect as soon when a clock is set back meanwhile', {
    tags: ['contract-errors.401-ended-key'],
  }, async () => {
    const { id, key } = await made();
    expect((await other.send({}, { key })).status).toBe(202);
    expect((await server.call('PATCH', `/keys/${id}`, { body: { scopes: ['account:read'] } })).status).toBe(200);
    other.clock.advance(-HOUR_MS);
    expectProblem(await other.send({}, { key }), 403, 'missing_scope');
    other.clock.advance(HOUR_MS);
  });

  it('expired is rejected immediately on every process and path', {
    tags: ['contract-errors.401-ended-key'],
  }, async () => {
    const expiresAt = new Date(server.clock.now().getTime() + HOUR_MS).toISOString();
    const { key } = await made({ expiresAt });
    expect((await other.send({}, { key })).status).toBe(202);
    for (const app of [server, other]) app.clock.advance(HOUR_MS);
    expectProblem(await other.send({}, { key }), 401, 'key_expired');
    expectProblem(await server.send({}, { key }), 401, 'key_expired');
    const session = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await session.say('EHLO client.test');
    expect(await session.say(`AUTH PLAIN ${plainToken(key)}`)).toMatch(/^535 5\.7\.8 key_expired/);
    session.close();
  });
});

describe('the creator of a key', () => {
  it('receives tests of templates, also those of keys that their keys created', async () => {
    const { accountId, database, clock } = server;
    const member = createIdGenerator().next(clock.now());
    await database.sql`
      INSERT INTO members (account_id, id, email, role, status, joined_at)
      VALUES (${accountId}, ${member}, 'dev@sandbox.test', 'developer', 'active', now())`;
    const own = await server.newKey({ createdByMember: member });
    const { key } = (
      await server.call('POST', '/keys', { key: own, body: { name: 'Further', scopes: ['full'], rateLimit: 100 } })
    ).body;
    const template = (await server.call('POST', '/templates', { body: { name: 'Mine', subject: 'S', text: 'Hi' } }))
      .body.id;
    for (const [by, to] of [
      [key, 'dev@sandbox.test'],
      [server.key, 'owner@sandbox.test'],
    ] as const) {
      const sent = await server.call('POST', `/templates/${template}/test`, { key: by, body: {} });
      expect((await read(sent.body.id)).to).toBe(to);
    }
  });
});
