import { expandScopes, OPERATIONS, SCOPES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApiKey } from '../../packages/server/src/keys/api-key.ts';
import { createKeyAuthenticator } from '../../packages/server/src/keys/key-authenticator.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('authentication', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const withHeader = (authorization: string) =>
    server.call('GET', '/keys/self', { key: null, headers: { authorization } });

  it('is by `Authorization: Bearer <API_KEY>`', { tags: ['authentication.bearer-key'] }, async () => {
    expect((await withHeader(`Bearer ${server.key}`)).status).toBe(200);
    expect((await withHeader(`bearer ${server.key}`)).status).toBe(200);
    expect((await withHeader(`BEARER   ${server.key}`)).status).toBe(200);
  });

  it.each(['', 'Bearer', 'Bearer ', 'Basic dXNlcjpwYXNz', 'Token x', 'Bearer a b'])(
    'treats %j as a missing key',
    { tags: ['contract-errors.401'] },
    async (header) => {
      const response = await withHeader(header);
      expectProblem(response, 401, 'missing_key');
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="postrider"');
    },
  );

  it('accepts a key from nowhere else', { tags: ['authentication.bearer-key'] }, async () => {
    const { key } = server;
    expectProblem(await server.call('GET', `/keys/self?api_key=${key}`, { key: null }), 401, 'missing_key');
    expectProblem(
      await server.call('GET', '/keys/self', { key: null, headers: { 'x-api-key': key } }),
      401,
      'missing_key',
    );
    expectProblem(
      await server.call('GET', '/keys/self', { key: null, headers: { cookie: `key=${key}` } }),
      401,
      'missing_key',
    );
  });

  it.each(['x', 'pr_live_', 'pr_live_0123456789', '%00', "' OR 1=1 --".replaceAll(' ', '')])(
    'rejects %j as no key',
    { tags: ['contract-errors.401'] },
    async (key) => {
      expectProblem(await withHeader(`Bearer ${key}`), 401, 'invalid_key');
    },
  );

  it('rejects a well-formed unknown key, and one with another’s checksum', async () => {
    expectProblem(await withHeader(`Bearer ${createApiKey('live').secret}`), 401, 'invalid_key');
    const tampered = `${server.key.slice(0, 12)}${server.key[12] === 'A' ? 'B' : 'A'}${server.key.slice(13)}`;
    expectProblem(await withHeader(`Bearer ${tampered}`), 401, 'invalid_key');
  });

  it('never repeats the key in its responses', async () => {
    const { secret } = createApiKey('live');
    expect(JSON.stringify((await withHeader(`Bearer ${secret}`)).body)).not.toContain(secret.slice(8));
  });

  it('stores only a hash of a key', { tags: ['keys.secret'] }, async () => {
    const rows = await server.database.sql`SELECT to_jsonb(k)::text AS text, secret_hash FROM api_keys k`;
    expect(rows.length).toBeGreaterThan(0);
    const random = server.key.slice(8, -4);
    for (const row of rows) {
      expect(row['text']).not.toContain(random);
      expect(row['secret_hash']).toHaveLength(32);
    }
  });

  it('caches a key for half a second, so that revocation and expiry take effect within one', {
    tags: ['contract-errors.401'],
  }, async () => {
    const key = await server.newKey();
    expect((await server.call('GET', '/keys/self', { key })).status).toBe(200);
    await server.database.sql`UPDATE api_keys SET revoked_at = ${server.clock.now()} WHERE last4 = ${key.slice(-4)}`;
    server.clock.advance(600);
    expectProblem(await server.call('GET', '/keys/self', { key }), 401, 'key_revoked');
    const expiring = await server.newKey();
    const at = new Date(server.clock.now().getTime() + 3_600_000);
    await server.database.sql`UPDATE api_keys SET expires_at = ${at} WHERE last4 = ${expiring.slice(-4)}`;
    expect((await server.call('GET', '/keys/self', { key: expiring })).body.expiresAt).toBe(at.toISOString());
    server.clock.advance(3_600_000);
    expectProblem(await server.call('GET', '/keys/self', { key: expiring }), 401, 'key_expired');
    expectProblem(await server.send({}, { key: expiring }), 401, 'key_expired');
  });

  it('records when a key was last used, at most once a minute, and reads show it', async () => {
    const key = await server.newKey();
    const { sql } = server.database;
    const authenticator = createKeyAuthenticator(sql, server.clock);
    const use = async () => {
      server.clock.advance(1_000);
      await authenticator.authenticate(`Bearer ${key}`, '127.0.0.1');
      await authenticator.flushUse();
      return (await server.call('GET', '/keys/self', { key })).body.lastUsedAt;
    };
    expect((await server.call('GET', '/keys/self', { key })).body.lastUsedAt).toBeNull();
    const first = await use();
    expect(first).toMatch(/^\d{4}-.*Z$/);
    expect(await use()).toBe(first);
    server.clock.advance(60_000);
    expect(Date.parse(await use())).toBeGreaterThan(Date.parse(first) + 60_000);
  });

  it('records the use by a request, and every read of keys shows it immediately', {
    tags: ['keys.record-fields'],
  }, async () => {
    const created = await server.call('POST', '/keys', { body: { name: 'Used', scopes: ['emails:read'] } });
    const { id, key } = created.body;
    const read = async () => (await server.call('GET', `/keys/${id}`)).body.lastUsedAt;
    expect([created.body.lastUsedAt, await read()]).toEqual([null, null]);
    await server.call('GET', '/emails', { key });
    const usedAt = await read();
    expect(usedAt).toMatch(/^\d{4}-.*Z$/);
    const { keys } = (await server.call('GET', '/keys')).body;
    expect(keys.find((each: { id: string }) => each.id === id).lastUsedAt).toBe(usedAt);
  });

  it('is checked before scope, scope before shape, shape before existence, existence before rules', {
    tags: ['keys.check-order'],
  }, async () => {
    const none = await server.newKey({ scopes: [] });
    const bad = { rawBody: 'x', headers: { 'content-type': 'text/plain' } };
    expectProblem(await server.call('POST', '/emails', { ...bad, key: 'pr_live_x' }), 401, 'invalid_key');
    expectProblem(await server.call('POST', '/emails', { ...bad, key: none }), 403, 'missing_scope');
    expectProblem(await server.call('POST', '/emails', bad), 415, 'unsupported_media_type');
    expectProblem(await server.call('GET', '/emails/x?wait=0', { key: none }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/emails/x?wait=0'), 422, 'validation_failed');
    expectProblem(await server.call('GET', '/emails/x'), 404, 'not_found');
  });

  it.each(
    OPERATIONS.filter(({ access }) => access.kind === 'key').map((operation) => [operation.id, operation] as const),
  )(
    '%s returns 401 without a key, and 403 with the scope’s name to a key without it',
    { tags: ['authentication.bearer-key', 'authentication.scope-names'] },
    async (_, { method, path, access }) => {
      // A stream of events has no end to wait for: it is asked for what it refuses.
      const url = path.replace(':id', 'x').replace('/stream', '/stream?events=none');
      expectProblem(await server.call(method, url, { key: null }), 401, 'missing_key');
      if (access.kind !== 'key' || access.scope === null) return;
      const { scope } = access;
      const others = Object.keys(SCOPES).filter((name) => name !== scope);
      const response = await server.call(method, url, { key: await server.newKey({ scopes: others }) });
      expectProblem(response, 403, 'missing_scope');
      expect(response.body.detail).toContain(`\`${scope}\``);
      const enough = await server.call(method, url, { key: await server.newKey({ scopes: [scope] }) });
      expect([200, 202, 404, 422]).toContain(enough.status);
    },
  );
});

describe('scopes', () => {
  it('have the names of the contract', { tags: ['authentication.scope-names', 'authentication.scope-values'] }, () => {
    const contract =
      'emails:send emails:read emails:content emails:content-all emails:cancel templates:read templates:write domains:read domains:write ' +
      'webhooks:read webhooks:write suppressions:read suppressions:write suppressions:delete stats:read account:read ' +
      'account:write keys:read keys:write approvals:read approvals:decide team:read team:write logs:read audit:read support:write';
    expect(Object.keys(SCOPES)).toEqual(contract.split(' '));
  });

  it('expand their shorthands and name unknown ones', { tags: ['authentication.scope-values'] }, () => {
    expect(expandScopes(['full'])).toEqual({
      scopes: Object.keys(SCOPES).filter((scope) => scope !== 'approvals:decide'),
      unknown: [],
    });
    expect(expandScopes(['full', 'approvals:decide']).scopes).toHaveLength(26);
    expect(expandScopes(['sending']).scopes).toEqual(expect.arrayContaining(['emails:send', 'emails:read']));
    expect(expandScopes(['sending']).scopes).not.toContain('emails:content-all');
    expect(expandScopes(['emails:read', 'emails:read', 'nope', 'constructor', '__proto__', 'toString'])).toEqual({
      scopes: ['emails:read'],
      unknown: ['nope', 'constructor', '__proto__', 'toString'],
    });
    expect(expandScopes([])).toEqual({ scopes: [], unknown: [] });
  });
});
