import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UUID = expect.stringMatching(/^[0-9a-f-]{36}$/);
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const DAY_MS = 86_400_000;

let server: TestApp;
beforeAll(async () => {
  server = await startTestApp();
});
afterAll(() => server.close());

const create = (body: unknown, key = server.key) => server.call('POST', '/keys', { key, body });
const patch = (id: string, body: unknown, key = server.key) => server.call('PATCH', `/keys/${id}`, { key, body });
const act = (id: string, verb: string, body: unknown = {}, key = server.key) =>
  server.call('POST', `/keys/${id}/${verb}`, { key, body });
const revoke = (id: string, key = server.key) => server.call('DELETE', `/keys/${id}`, { key });
const made = async (body: object = {}, key = server.key) =>
  (await create({ name: 'Billing', scopes: ['sending'], ...body }, key)).body;
const inDays = (days: number) => new Date(server.clock.now().getTime() + days * DAY_MS).toISOString();
const audited = async (targetId: string | null) =>
  await server.database.sql`
    SELECT action, actor, details FROM audit_log WHERE account_id = ${server.accountId} AND target_id IS NOT DISTINCT FROM ${targetId} ORDER BY seq`;

const SENDING = [
  ...['emails:send', 'emails:read', 'emails:content', 'emails:cancel', 'templates:read', 'domains:read'],
  ...['suppressions:read', 'stats:read'],
];
const DEFAULTS = {
  mode: 'live',
  prefix: 'pr_live_',
  scopes: SENDING,
  rateLimit: 600,
  recipientAllowlist: null,
  ipAllowlist: null,
  attachmentHosts: null,
  approvers: { requirePasskey: false, count: 1, memberIds: null },
  approvalMode: 'off',
  holdWhen: null,
  persona: null,
  lockPersona: false,
  sendLimit: null,
  client: null,
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  pausedAt: null,
};

describe('POST /keys', () => {
  it('creates a key with the defaults, and shows its secret only now', {
    tags: [
      'keys.manage',
      'keys.record-fields',
      'keys.defaults',
      'keys.bodies',
      'records.key',
      'contract-shape.write-answers',
      'contract-shape.key-shown-once',
    ],
  }, async () => {
    const response = await create({ name: 'Billing', scopes: ['sending'] });
    expect(response.status).toBe(201);
    const { key, ...record } = response.body;
    expect(record).toEqual({ ...DEFAULTS, id: UUID, name: 'Billing', last4: key.slice(-4), createdAt: TIME });
    expect(key).toMatch(/^pr_live_[0-9A-Za-z]{39}$/);
    expect((await server.call('GET', '/keys/self', { key })).body.id).toBe(record.id);
    const read = await server.call('GET', `/keys/${record.id}`);
    expect(Object.keys(read.body)).not.toContain('key');
    expect((await audited(record.id)).map(({ action }) => action)).toEqual(['key.created']);
  });

  it('accepts every field and returns its effective value', {
    tags: [
      'keys.create-fields',
      'keys.restrictions',
      'authentication.key-restrictions',
      'service.keys',
      'keys.secret-test',
    ],
  }, async () => {
    const expiresAt = inDays(30);
    const response = await create({
      name: 'Agent',
      mode: 'test',
      scopes: ['emails:send', 'emails:send', 'account:read'],
      rateLimit: 60,
      recipientAllowlist: ['Ann@Example.com', '@bücher.example', '*.Example.net'],
      ipAllowlist: ['10.1.2.3/8', '203.0.113.9', '2001:DB8::1/32'],
      attachmentHosts: ['Files.Example.com', '*.bücher.example', 'files.example.com'],
      expiresAt,
      approvalMode: 'off',
      holdWhen: { firstContact: true, recipientDomainNotIn: ['Example.com'], recipientsOver: 3 },
      persona: { agentName: 'billing-bot', source: 'agent' },
      lockPersona: true,
      sendLimit: { hour: 10, day: 100 },
    });
    expect(response.status).toBe(201);
    const { key, ...record } = response.body;
    expect(key).toMatch(/^pr_test_[0-9A-Za-z]{39}$/);
    expect(record).toEqual({
      ...{ id: UUID, name: 'Agent', mode: 'test', prefix: 'pr_test_', last4: key.slice(-4) },
      scopes: ['emails:send', 'account:read'],
      rateLimit: 60,
      recipientAllowlist: ['ann@example.com', '@xn--bcher-kva.example', '*.example.net'],
      ipAllowlist: ['10.0.0.0/8', '203.0.113.9/32', '2001:db8::/32'],
      attachmentHosts: ['files.example.com', '*.xn--bcher-kva.example'],
      ...{ approvers: { requirePasskey: false, count: 1, memberIds: null }, client: null },
      approvalMode: 'off',
      holdWhen: {
        ...{ firstContact: true, recipientDomainNotIn: ['example.com'], recipientsOver: 3 },
        ...{ hasBcc: false, hasAttachments: false, freeformBody: false, linkDomainNotIn: null },
      },
      persona: { agentName: 'billing-bot', source: 'agent' },
      lockPersona: true,
      sendLimit: { hour: 10, day: 100 },
      client: null,
      ...{ createdAt: TIME, lastUsedAt: null, expiresAt, revokedAt: null, pausedAt: null },
    });
    expect((await server.call('GET', `/keys/${record.id}`)).body).toEqual(record);
    expect((await made({ sendLimit: { day: 5 } })).sendLimit).toEqual({ hour: null, day: 5 });
    expect((await made({ persona: { source: 'system' } })).persona).toEqual({ agentName: null, source: 'system' });
  });

  it('accepts every scope of the contract, and `full` is all except deciding holds', {
    tags: ['authentication.further-scopes'],
  }, async () => {
    const { scopes } = await made({ scopes: ['full'] });
    expect(scopes).toHaveLength(25);
    expect(scopes).not.toContain('approvals:decide');
    for (const scope of scopes) expect((await made({ scopes: [scope] })).scopes).toEqual([scope]);
  });

  it.each([
    [{ name: '' }, 'name'],
    [{ name: 'x'.repeat(101) }, 'name'],
    [{ name: 'a\nb' }, 'name'],
    [{ name: undefined }, 'name'],
    [{ mode: 'prod' }, 'mode'],
    [{ scopes: undefined }, 'scopes'],
    [{ scopes: [] }, 'scopes'],
    [{ scopes: ['nope'] }, 'scopes.0'],
    [{ scopes: 'full' }, 'scopes'],
    [{ rateLimit: 0 }, 'rateLimit'],
    [{ rateLimit: 1_000_001 }, 'rateLimit'],
    [{ rateLimit: 1.5 }, 'rateLimit'],
    [{ rateLimit: null }, 'rateLimit'],
    [{ recipientAllowlist: [] }, 'recipientAllowlist'],
    [{ recipientAllowlist: ['a@b.example', 'b.example', '*@b.example'] }, 'recipientAllowlist.1'],
    [{ recipientAllowlist: ['*'] }, 'recipientAllowlist.0'],
    [{ ipAllowlist: [] }, 'ipAllowlist'],
    [{ ipAllowlist: ['10.0.0.0/8', '10.0.0.0/33'] }, 'ipAllowlist.1'],
    [{ ipAllowlist: ['localhost'] }, 'ipAllowlist.0'],
    [{ expiresAt: '2000-01-01T00:00:00Z' }, 'expiresAt'],
    [{ expiresAt: '2099-01-01T00:00:00' }, 'expiresAt'],
    [{ expiresAt: '2099-01-01' }, 'expiresAt'],
    [{ approvalMode: 'sometimes' }, 'approvalMode'],
    [{ holdWhen: { nope: true } }, 'holdWhen.nope'],
    [{ holdWhen: { recipientsOver: -1 } }, 'holdWhen.recipientsOver'],
    [{ holdWhen: { linkDomainNotIn: ['not a domain'] } }, 'holdWhen.linkDomainNotIn.0'],
    [{ persona: {} }, 'persona'],
    [{ persona: { source: 'cron' } }, 'persona.source'],
    [{ persona: { agentName: 'x'.repeat(129) } }, 'persona.agentName'],
    [{ lockPersona: true }, 'lockPersona'],
    [{ sendLimit: {} }, 'sendLimit'],
    [{ sendLimit: { hour: 0 } }, 'sendLimit.hour'],
    [{ sendLimit: { week: 1 } }, 'sendLimit.week'],
    [{ id: 'x' }, 'id'],
    [{ revokedAt: null }, 'revokedAt'],
    [{ accountId: 'x' }, 'accountId'],
  ])('rejects %j and names %s', { tags: ['keys.defaults', 'keys.create-fields'] }, async (fields, path) => {
    expectInvalid(await create({ name: 'X', scopes: ['sending'], ...fields }), path);
  });

  it('accepts names of 1 and of 100 characters, and rates of 1 and of a million', {
    tags: ['keys.defaults', 'keys.rate-limit'],
  }, async () => {
    for (const name of ['x', 'ü'.repeat(100)]) expect((await made({ name })).name).toBe(name);
    for (const rateLimit of [1, 1_000_000]) expect((await made({ rateLimit })).rateLimit).toBe(rateLimit);
  });
});

describe('no escalation', () => {
  it('a key cannot create one that is less restricted than itself', {
    tags: ['keys.escalation', 'contract-errors.403-keys'],
  }, async () => {
    const narrow = {
      scopes: ['keys:write', 'emails:send'],
      rateLimit: 100,
      recipientAllowlist: ['@example.com'],
      ipAllowlist: ['127.0.0.0/8'],
      expiresAt: inDays(10),
      sendLimit: { hour: 10 },
      persona: { agentName: 'bot' },
      lockPersona: true,
    };
    const { key } = await made(narrow);
    const refused = await create({ name: 'Wide', scopes: ['full'] }, key);
    expectProblem(refused, 403, 'permission_escalation');
    for (const name of [
      'scopes',
      'rateLimit',
      'recipientAllowlist',
      'ipAllowlist',
      'expiresAt',
      'sendLimit',
      'lockPersona',
    ]) {
      expect(refused.body.detail).toContain(name);
    }
    for (const [name, value] of Object.entries({
      scopes: ['team:write'],
      rateLimit: 101,
      recipientAllowlist: null,
      expiresAt: null,
    })) {
      const response = await create({ name: 'Wide', ...narrow, [name]: value }, key);
      expectProblem(response, 403, 'permission_escalation');
      expect(response.body.detail).toMatch(new RegExp(`in: ${name}\\.$`));
    }
    expect((await create({ name: 'Same', ...narrow }, key)).status).toBe(201);
  });

  it('a test key creates no live one, and a key without `approvals:decide` cannot grant it', {
    tags: ['keys.escalation'],
  }, async () => {
    const { key } = await made({ mode: 'test', scopes: ['full'] });
    expectProblem(await create({ name: 'Live', scopes: ['sending'] }, key), 403, 'permission_escalation');
    expect((await create({ name: 'Test', mode: 'test', scopes: ['sending'] }, key)).status).toBe(201);
    expectProblem(await create({ name: 'D', scopes: ['approvals:decide'] }), 403, 'permission_escalation');
  });

  it('a key can loosen neither itself nor another beyond itself; it can always tighten', {
    tags: ['keys.escalation'],
  }, async () => {
    const { id, key } = await made({ scopes: ['keys:write', 'keys:read'], rateLimit: 100 });
    expectProblem(await patch(id, { rateLimit: 101 }, key), 403, 'permission_escalation');
    expectProblem(await patch(id, { scopes: ['full'] }, key), 403, 'permission_escalation');
    const wide = await made({ scopes: ['full'], rateLimit: 1_000, expiresAt: inDays(5) });
    expectProblem(await patch(wide.id, { rateLimit: 2_000 }, key), 403, 'permission_escalation');
    expect((await patch(wide.id, { rateLimit: 900, name: 'Wide still' }, key)).body).toMatchObject({
      rateLimit: 900,
      name: 'Wide still',
    });
    // The granting key never ends, but a key that is wider than it is given nothing more.
    expectProblem(await patch(wide.id, { expiresAt: null }, key), 403, 'permission_escalation');
    const alike = await made({ scopes: ['keys:read'], rateLimit: 100, expiresAt: inDays(5) });
    expect((await patch(alike.id, { expiresAt: null }, key)).status).toBe(200);
    expect((await patch(id, { rateLimit: 50 }, key)).body.rateLimit).toBe(50);
    expectProblem(await patch(id, { rateLimit: 100 }, key), 403, 'permission_escalation');
  });

  it('a key rotates itself and keys that are not wider, and nothing else', {
    tags: ['keys.escalation', 'keys.rotate'],
  }, async () => {
    const { id, key } = await made({ scopes: ['keys:write'], rateLimit: 100 });
    const wide = await made({ scopes: ['full'] });
    const alike = await made({ scopes: ['keys:write'], rateLimit: 100 });
    expectProblem(await act(wide.id, 'rotate', {}, key), 403, 'permission_escalation');
    expect((await act(alike.id, 'rotate', {}, key)).status).toBe(200);
    expect((await act(id, 'rotate', {}, key)).status).toBe(200);
  });

  it('a key gets no secret that shows it messages and holds of another key', {
    tags: ['keys.escalation', 'holes.sight'],
  }, async () => {
    const scopes = ['emails:send', 'emails:read', 'emails:content', 'keys:write'];
    const attacker = await made({ scopes });
    const rotate = (keyId: string, key: string, body = {}) => act(keyId, 'rotate', body, key);
    const sender = await made({ scopes: ['emails:send', 'emails:read', 'emails:content', 'emails:content-all'] });
    // A key that has not sent anything shows nothing, unless its old secret goes on.
    expectProblem(await rotate(sender.id, attacker.key, { graceSeconds: 60 }), 403, 'permission_escalation');
    expect((await patch(sender.id, { scopes: scopes.slice(0, 3) }, attacker.key)).status).toBe(200);
    const sent = await server.send({ text: 'A secret' }, { key: sender.key });
    const refused = await rotate(sender.id, attacker.key);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body).toMatchObject({ detail: expect.stringContaining('emails:content-all') });
    const asker = await made({ scopes: ['emails:send', 'emails:read'], approvalMode: 'always' });
    expect((await server.call('POST', `/emails/${sent.body.id}/resend`, { key: asker.key })).status).toBe(202);
    expectProblem(await rotate(asker.id, attacker.key), 403, 'permission_escalation');
    expect((await server.call('GET', '/keys/self', { key: sender.key })).status).toBe(200);
    // Its own child, and callers that may see those messages anyway.
    const child = await server.call('POST', '/keys', {
      key: attacker.key,
      body: { name: 'Child', scopes: ['emails:send'] },
    });
    await server.send({}, { key: child.body.key });
    expect((await rotate(child.body.id, attacker.key)).status).toBe(200);
    const seeing = await made({ scopes: [...scopes, 'emails:content-all', 'approvals:read'] });
    expect((await rotate(sender.id, seeing.key, { graceSeconds: 60 })).status).toBe(200);
  });

  it('a key without messages is given a new secret by any key that is not narrower', async () => {
    const granter = await made({ scopes: ['emails:send', 'keys:write'] });
    const unused = await made({ scopes: ['emails:send'] });
    expect((await act(unused.id, 'rotate', {}, granter.key)).status).toBe(200);
  });
});

describe('GET /keys', () => {
  it('lists newest first, in pages, revoked ones among them, without secrets', {
    tags: ['keys.list-shape', 'keys.manage'],
  }, async () => {
    const { accountId, key: own } = await server.newAccount('Listing');
    const ids: string[] = [];
    for (const name of ['a', 'b', 'c']) ids.unshift((await made({ name, scopes: ['sending'] }, own)).id);
    await revoke(ids[1] ?? '', own);
    const first = await server.call('GET', '/keys?limit=2', { key: own });
    expect(first.body).toEqual({
      keys: [expect.objectContaining({ id: ids[0] }), expect.objectContaining({ id: ids[1], revokedAt: TIME })],
      total: 4,
      totalIsEstimate: false,
      nextCursor: expect.any(String),
    });
    const second = await server.call('GET', `/keys?limit=2&cursor=${first.body.nextCursor}`, { key: own });
    expect(second.body.keys.map(({ id }: { id: string }) => id)).toEqual([ids[2], expect.any(String)]);
    expect(second.body).toMatchObject({ total: 4, nextCursor: null });
    expect(JSON.stringify(first.body)).not.toMatch(/hash|pr_live_[0-9A-Za-z]{10}/);
    expectProblem(await server.call('GET', `/keys?cursor=${first.body.nextCursor}`), 422, 'invalid_cursor');
    expect(accountId).not.toBe(server.accountId);
    expectInvalid(await server.call('GET', '/keys?limit=0'), 'limit');
    expectInvalid(await server.call('GET', '/keys?status=live'), 'status');
  });

  it('needs `keys:read`, and changing keys `keys:write`', { tags: ['authentication.further-scopes'] }, async () => {
    const key = await server.newKey({ scopes: ['keys:write'] });
    expectProblem(await server.call('GET', '/keys', { key }), 403, 'missing_scope');
    expectProblem(await create({}, await server.newKey({ scopes: ['keys:read'] })), 403, 'missing_scope');
  });
});

describe('keys of another account', () => {
  it('are unknown to every operation', { tags: ['contract-errors.404'] }, async () => {
    const { key: other } = await server.newAccount('Elsewhere');
    const { id } = await made({}, other);
    for (const unknown of [id, '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a', 'x', 'selfish']) {
      expectProblem(await server.call('GET', `/keys/${unknown}`), 404, 'not_found');
      expectProblem(await patch(unknown, { name: 'Mine' }), 404, 'not_found');
      expectProblem(await revoke(unknown), 404, 'not_found');
      for (const verb of ['rotate', 'pause', 'resume']) expectProblem(await act(unknown, verb), 404, 'not_found');
    }
    expect((await server.call('GET', `/keys/${id}`, { key: other })).body).toMatchObject({
      name: 'Billing',
      revokedAt: null,
    });
  });
});

describe('PATCH /keys/:id', () => {
  it('changes the fields in the request and leaves the rest; null lifts a restriction', {
    tags: ['keys.manage', 'contract-shape.write-answers'],
  }, async () => {
    const all = {
      ...{ recipientAllowlist: ['@example.com'], ipAllowlist: ['127.0.0.1'] },
      expiresAt: inDays(3),
      sendLimit: { hour: 1 },
    };
    const { key: _key, ...before } = await made({ ...all, persona: { agentName: 'a' }, lockPersona: true });
    const renamed = await patch(before.id, { name: 'Renamed' });
    expect([renamed.status, renamed.body]).toEqual([200, { ...before, name: 'Renamed' }]);
    expect((await patch(before.id, {})).body).toEqual(renamed.body);
    expectInvalid(await patch(before.id, { persona: null }), ['lockPersona', 'conflict']);
    const freed = {
      recipientAllowlist: null,
      ipAllowlist: null,
      attachmentHosts: null,
      expiresAt: null,
      sendLimit: null,
      persona: null,
      lockPersona: false,
    };
    expect((await patch(before.id, freed)).body).toEqual({ ...renamed.body, ...freed });
    expect((await patch(before.id, { scopes: ['emails:read'], rateLimit: 5 })).body).toMatchObject({
      scopes: ['emails:read'],
      rateLimit: 5,
    });
    expect((await audited(before.id)).map(({ action, details }) => [action, details['changed']])).toEqual([
      ['key.created', undefined],
      ['key.updated', 'name'],
      ['key.updated', 'recipientAllowlist, ipAllowlist, expiresAt, persona, lockPersona, sendLimit'],
      ['key.updated', 'scopes, rateLimit'],
    ]);
  });

  it.each([
    [{ mode: 'test' }, 'mode'],
    [{ id: 'x' }, 'id'],
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, 'createdAt'],
    [{ expiresAt: '2000-01-01T00:00:00Z' }, 'expiresAt'],
    [{ name: null }, 'name'],
    [{ scopes: null }, 'scopes'],
  ])('rejects %j', async (body, path) => {
    expectInvalid(await patch((await made()).id, body), path);
  });
});

describe('DELETE /keys/:id', () => {
  it('revokes immediately and permanently, and returns the key as it is then', {
    tags: ['keys.revoke', 'contract-errors.401-ended-key', 'contract-shape.write-answers'],
  }, async () => {
    const { id, key } = await made();
    expect((await server.send({}, { key })).status).toBe(202);
    const response = await revoke(id);
    expect([response.status, response.body]).toEqual([200, expect.objectContaining({ id, revokedAt: TIME })]);
    expectProblem(await server.send({}, { key }), 401, 'key_revoked');
    server.clock.advance(1_000);
    expect((await revoke(id)).body.revokedAt).toBe(response.body.revokedAt);
    for (const attempt of [patch(id, { name: 'Back' }), act(id, 'rotate'), act(id, 'pause'), act(id, 'resume')]) {
      expectInvalid(await attempt, ['id', 'revoked']);
    }
    expect((await audited(id)).map(({ action }) => action)).toEqual(['key.created', 'key.revoked']);
  });

  it('lets a key revoke itself', async () => {
    const { id, key } = await made({ scopes: ['keys:write'] });
    expect((await revoke(id, key)).status).toBe(200);
    expectProblem(await server.call('GET', '/keys/self', { key }), 401, 'key_revoked');
  });

  it('does not cancel what was accepted before', async () => {
    const { id, key } = await made();
    const sent = await server.send({ scheduled_at: 'PT1H' }, { key });
    await revoke(id);
    server.clock.advance(3_600_000);
    await server.pump();
    expect((await server.settled(sent.body.id)).body.status).toBe('delivered');
    expectProblem(await server.call('POST', `/emails/${sent.body.id}/resend`), 409, 'issuing_key_revoked');
  });
});

describe('POST /keys/:id/rotate', () => {
  it('returns a new secret; the old one works for its grace period and is then `key_revoked`', {
    tags: ['keys.rotate', 'contract-shape.key-shown-once'],
  }, async () => {
    const { id, key: old, ...before } = await made();
    const response = await act(id, 'rotate', { graceSeconds: 60 });
    expect(response.status).toBe(200);
    const { key, ...record } = response.body;
    expect(record).toEqual({ ...before, id, last4: key.slice(-4) });
    expect(key).not.toBe(old);
    for (const secret of [old, key]) expect((await server.call('GET', '/keys/self', { key: secret })).body.id).toBe(id);
    server.clock.advance(60_000);
    expectProblem(await server.call('GET', '/keys/self', { key: old }), 401, 'key_revoked');
    expect((await server.call('GET', '/keys/self', { key })).status).toBe(200);
    expect((await audited(id)).at(-1)).toMatchObject({ action: 'key.rotated', details: { graceSeconds: 60 } });
  });

  it('ends the old secret immediately without a grace period, and every older one with it', async () => {
    const { id, key: first } = await made();
    const { key: second } = (await act(id, 'rotate', { graceSeconds: 3_600 })).body;
    const third = (await server.call('POST', `/keys/${id}/rotate`)).body.key;
    for (const ended of [first, second]) {
      expectProblem(await server.call('GET', '/keys/self', { key: ended }), 401, 'key_revoked');
    }
    expect((await server.call('GET', '/keys/self', { key: third })).status).toBe(200);
  });

  it.each([-1, 604_801, 1.5, '60', null])('rejects %j seconds of grace', async (graceSeconds) => {
    expectInvalid(await act((await made()).id, 'rotate', { graceSeconds }), 'graceSeconds');
  });
});

describe('POST /keys/:id/pause and POST /keys/:id/resume', () => {
  it('stop and start the sending of one key; it can still read', {
    tags: ['keys.pause', 'contract-errors.403-keys'],
  }, async () => {
    const { id, key } = await made({ scopes: ['full'] });
    const paused = await act(id, 'pause');
    expect([paused.status, paused.body.pausedAt]).toEqual([200, TIME]);
    expectProblem(await server.send({}, { key }), 403, 'sending_paused');
    expect((await server.call('GET', '/emails', { key })).status).toBe(200);
    expect((await server.call('GET', '/keys/self', { key })).body).toMatchObject({
      pausedAt: TIME,
      sendingPaused: 'key',
    });
    expect((await server.send()).status).toBe(202);
    expect((await act(id, 'pause')).body.pausedAt).toBe(paused.body.pausedAt);
    expect((await act(id, 'resume')).body.pausedAt).toBeNull();
    expect((await act(id, 'resume')).status).toBe(200);
    expect((await server.send({}, { key })).status).toBe(202);
    expect((await audited(id)).map(({ action }) => action)).toEqual(['key.created', 'key.paused', 'key.resumed']);
  });
});

describe('the SDK', () => {
  it('has every operation on keys by its name', { tags: ['contract-surfaces.sdk-keys'] }, async () => {
    const { keys, account } = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const { id, key } = await keys.create({ name: 'By the SDK', scopes: ['sending'] });
    expect(key).toMatch(/^pr_live_/);
    const names: string[] = [];
    for await (const one of keys.list({ limit: 1 })) names.push(one.name);
    expect(names).toContain('By the SDK');
    expect((await keys.get(id)).id).toBe(id);
    expect((await keys.update(id, { rateLimit: 7 })).rateLimit).toBe(7);
    expect((await keys.rotate(id, { graceSeconds: 0 })).key).not.toBe(key);
    expect((await keys.pause(id)).pausedAt).not.toBeNull();
    expect((await keys.resume(id)).pausedAt).toBeNull();
    expect((await keys.revoke(id)).revokedAt).not.toBeNull();
    expect((await account.pause()).pausedAt).not.toBeNull();
    expect((await account.resume()).pausedAt).toBeNull();
  });
});
