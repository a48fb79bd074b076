import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('GET /keys/self', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const self = (key: string) => server.call('GET', '/keys/self', { key });

  it('returns what the calling key is, what it may do and what is left to send', {
    tags: ['keys.self', 'keys.scopes-and-allowlist', 'authentication.key-carries'],
  }, async () => {
    const { accountId, key: first } = await server.newAccount('Self');
    const key = await server.newKey({
      accountId,
      name: 'Billing',
      scopes: ['emails:read', 'emails:send'],
      recipientAllowlist: ['ann@example.com', '@example.org', '*.example.net'],
    });
    await server.send({ to: ['ann@example.com', 'x@example.org'] }, { key });
    const { status, body } = await self(key);
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: 'Billing',
      mode: 'live',
      prefix: 'pr_live_',
      last4: key.slice(-4),
      scopes: ['emails:send', 'emails:read'],
      recipientAllowlist: ['ann@example.com', '@example.org', '*.example.net'],
      rateLimit: 600,
      ipAllowlist: null,
      attachmentHosts: null,
      ...{ approvers: { requirePasskey: false, count: 1, memberIds: null }, client: null },
      approvalMode: 'off',
      holdWhen: null,
      persona: null,
      lockPersona: false,
      sendLimit: null,
      client: null,
      createdAt: expect.stringMatching(TIME),
      lastUsedAt: null,
      expiresAt: null,
      revokedAt: null,
      pausedAt: null,
      sendingDomains: ['sandbox.test'],
      sendsLeft: null,
      sendingPaused: null,
      account: { id: accountId, name: 'Self' },
      quota: { limit: 100_000, used: 2, remaining: 99_998, resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/) },
    });
    expect((await self(first)).body.quota.used).toBe(2);
  });

  it('never shows the secret or its hash', { tags: ['keys.secret'] }, async () => {
    const key = await server.newKey();
    const { body } = await self(key);
    expect(JSON.stringify(body)).not.toContain(key.slice(8, -4));
    expect(Object.keys(body)).not.toContain('secretHash');
  });

  it('needs a key and no scope', { tags: ['authentication.scope-names'] }, async () => {
    const key = await server.newKey({ scopes: ['support:write'] });
    expect((await self(key)).body.scopes).toEqual(['support:write']);
    expectProblem(await server.call('GET', '/keys/self', { key: null }), 401, 'missing_key');
  });

  it('expands the shorthands: `full` has everything except deciding holds, `sending` what an application needs', {
    tags: ['authentication.scope-names', 'authentication.scope-values'],
  }, async () => {
    const full: string[] = (await self(await server.newKey({ scopes: ['full'] }))).body.scopes;
    expect(full).toHaveLength(25);
    expect(full).not.toContain('approvals:decide');
    expect(full).toEqual(expect.arrayContaining(['emails:send', 'emails:read', 'emails:content', 'logs:read']));
    const sending: string[] = (await self(await server.newKey({ scopes: ['sending'] }))).body.scopes;
    expect(sending).toEqual(expect.arrayContaining(['emails:send', 'emails:read', 'emails:content']));
    expect(sending).not.toContain('logs:read');
    expect(sending).not.toContain('keys:write');
  });

  it('distinguishes an empty allowlist from none, and shows the persona if there is one', async () => {
    const key = await server.newKey({ recipientAllowlist: [] });
    await server.database.sql`UPDATE api_keys SET persona_source = 'agent' WHERE last4 = ${key.slice(-4)}`;
    expect((await self(key)).body).toMatchObject({
      recipientAllowlist: [],
      persona: { source: 'agent', agentName: null },
    });
  });
});
