import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../../harness/expect-problem.ts';
import type { TestResponse } from '../../harness/test-app.ts';
import { type DomainServer, domainAudit, startDomainServer } from './domain-server.ts';

describe('a name that another account has verified', () => {
  let domains: DomainServer;
  let other: { accountId: string; key: string };
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
    other = await domains.server.newAccount();
  });
  afterAll(() => domains.close());

  const call = (method: string, path: string, options = {}) => domains.server.call(method, path, options);
  const add = (name: string, key = other.key) => call('POST', '/domains', { key, body: { name } });
  const status = async (id: string, key?: string) =>
    (await call('GET', `/domains/${id}`, key === undefined ? {} : { key })).body.status;

  /** The TXT record that a 409 asks for. */
  function challengeOf(response: TestResponse): { host: string; value: string } {
    expectProblem(response, 409, 'domain_claimed');
    const [, host = '', value = ''] = /TXT record at (\S+) with the value (\S+) /.exec(response.body.fix) ?? [];
    expect(host).toMatch(/^_postrider-challenge\./);
    expect(value).toMatch(/^postrider-domain-challenge=[\w-]{43}$/);
    return { host, value };
  }

  it('cannot be added before a challenge is met, and then moves', {
    tags: ['domains.claimed', 'contract-errors.409-domains'],
  }, async () => {
    const held = await domains.verified('moves.example');
    const challenge = challengeOf(await add('moves.example'));
    expect(challengeOf(await add('moves.example'))).toEqual(challenge);
    expect((await call('GET', '/domains', { key: other.key })).body.total).toBe(0);
    domains.dns.set(challenge.host, 'TXT', ['something else', challenge.value]);
    const added = await add('moves.example');
    expect([added.status, added.body.status]).toEqual([201, 'pending']);
    expect(await status(held.id)).toBe('failed');
    expectProblem(await domains.server.send({ from: 'a@moves.example' }), 403, 'domain_not_verified');
    expect((await domainAudit(domains.server)).at(-1)).toBe('domain.failed');
    expect(await domainAudit(domains.server, other.accountId)).toEqual(['domain.created', 'domain.claimed']);
    const [entry] = await domains.server.database.sql<{ details: unknown }[]>`
      SELECT details FROM audit_log WHERE account_id = ${domains.server.accountId} ORDER BY seq DESC LIMIT 1`;
    expect(JSON.stringify(entry)).not.toContain(other.accountId);
    // Its records are still published: without the challenge the former holder would simply take it back.
    const back = challengeOf(await call('POST', `/domains/${held.id}/verify`));
    expect(back).toMatchObject({ host: challenge.host, value: expect.not.stringContaining(challenge.value) });
    domains.publish(added.body.records);
    expect((await call('POST', `/domains/${added.body.id}/verify`, { key: other.key })).body.status).toBe('verified');
    domains.dns.set(challenge.host, 'TXT', [back.value]);
    expect((await call('POST', `/domains/${held.id}/verify`)).body.status).not.toBe('failed');
    expect(await status(added.body.id, other.key)).toBe('failed');
  });

  it('belongs to the first that verifies, and the others cannot verify it', {
    tags: ['domains.claimed'],
  }, async () => {
    const late = (await add('first.example')).body;
    const early = await domains.verified('first.example');
    domains.publish(late.records);
    const challenge = challengeOf(await call('POST', `/domains/${late.id}/verify`, { key: other.key }));
    expect([await status(early.id), await status(late.id, other.key)]).toEqual(['verified', 'pending']);
    domains.dns.set(challenge.host, 'TXT', [challenge.value]);
    const won = await call('POST', `/domains/${late.id}/verify`, { key: other.key });
    expect([won.status, won.body.status]).toEqual([200, 'verified']);
    expect(await status(early.id)).toBe('failed');
    expect((await domainAudit(domains.server, other.accountId)).slice(-2)).toEqual([
      'domain.claimed',
      'domain.verified',
    ]);
  });

  it('cannot be restored before a challenge is met', { tags: ['domains.claimed'] }, async () => {
    const mine = (await add('restored.example')).body;
    await call('DELETE', `/domains/${mine.id}`, { key: other.key });
    const held = await domains.verified('restored.example');
    const challenge = challengeOf(await call('POST', `/domains/${mine.id}/restore`, { key: other.key }));
    expect(await status(mine.id, other.key)).toBe('removed');
    domains.dns.set(challenge.host, 'TXT', [challenge.value]);
    expect((await call('POST', `/domains/${mine.id}/restore`, { key: other.key })).status).toBe(200);
    expect(await status(held.id)).toBe('failed');
  });

  it('is claimed by a challenge once: the published record does not claim it a second time', async () => {
    const mine = await domains.verified('once.example');
    const theirs = await domains.server.call('POST', '/domains', { key: other.key, body: { name: 'once.example' } });
    const first = challengeOf(theirs);
    domains.dns.set(first.host, 'TXT', [first.value]);
    const won = (await add('once.example')).body;
    const back = challengeOf(await call('POST', `/domains/${mine.id}/verify`));
    domains.dns.set(first.host, 'TXT', [first.value, back.value]);
    expect((await call('POST', `/domains/${mine.id}/verify`)).body.status).toBe('verified');
    const again = challengeOf(await call('POST', `/domains/${won.id}/verify`, { key: other.key }));
    expect([first.value, back.value]).not.toContain(again.value);
    expect(await status(mine.id)).toBe('verified');
    // Nor where the name was free in between: the old challenge is none of a new holder's.
    await call('DELETE', `/domains/${mine.id}`);
    const fresh = await domains.verified('once.example');
    challengeOf(await call('POST', `/domains/${won.id}/verify`, { key: other.key }));
    expect(await status(fresh.id)).toBe('verified');
  });

  it('reports a name as proven, not verified, when its owner has only met a challenge', async () => {
    const mine = await domains.verified('proven.example');
    expect((await add('proven.example')).body.detail).toBe(
      'Another account of this server has verified proven.example.',
    );
    const { host, value } = challengeOf(await add('proven.example'));
    domains.dns.set(host, 'TXT', [value]);
    expect((await add('proven.example')).body.status).toBe('pending');
    const response = await call('POST', `/domains/${mine.id}/verify`);
    challengeOf(response);
    expect(response.body.detail).toBe('Another account of this server has proven that it owns proven.example.');
  });

  it('distinguishes a missing challenge from a DNS that does not respond', async () => {
    await domains.verified('silent.example');
    const missing = await add('silent.example');
    const { host, value } = challengeOf(missing);
    expect(missing.body.retryable).toBe(false);
    domains.dns.fail(host, 'TXT', 'SERVFAIL');
    const silent = await add('silent.example');
    expect(challengeOf({ ...silent, body: { ...silent.body, fix: missing.body.fix } })).toEqual({ host, value });
    expect(silent.body.retryable).toBe(true);
    expect(silent.body.detail).toContain('a DNS lookup of the challenge');
    expect(silent.body.fix).toContain(value);
    domains.dns.set(host, 'TXT', [value]);
    expect((await add('silent.example')).status).toBe(201);
  });

  it('is named to the account that lost it, although all its records pass', async () => {
    const mine = await domains.verified('lost.example');
    const { host, value } = challengeOf(await add('lost.example'));
    domains.dns.set(host, 'TXT', [value]);
    const won = (await add('lost.example')).body;
    const { body } = await call('GET', `/domains/${mine.id}`);
    expect(body).toMatchObject({
      ...{
        status: 'failed',
        verifiedAt: null,
        statusReason: expect.stringContaining('has proven that it owns the name'),
      },
    });
    expect(body.records[0]).toMatchObject({
      status: 'pass',
      reason: expect.stringContaining('Another account of this server has this name'),
    });
    const refused = await domains.server.send({ from: 'a@lost.example' });
    expectProblem(refused, 403, 'domain_not_verified');
    expect(refused.body.detail).toContain('another account of this server has proven');
    expect(refused.body.fix).toContain(`POST /domains/${mine.id}/verify`);
    expect(refused.body.fix).not.toContain('_domainkey');
    await call('DELETE', `/domains/${won.id}`, { key: other.key });
    expect((await call('GET', `/domains/${mine.id}`)).body.records[0].reason).toBeNull();
    expect((await call('POST', `/domains/${mine.id}/verify`)).body.status).toBe('verified');
  });

  it('is free again once its owner has removed it', async () => {
    const held = await domains.verified('freed.example');
    challengeOf(await add('freed.example'));
    await call('DELETE', `/domains/${held.id}`);
    expect((await add('freed.example')).status).toBe(201);
  });

  it('needs a different value for each account', async () => {
    await domains.verified('own.example');
    const third = await domains.server.newAccount();
    const [a, b] = [challengeOf(await add('own.example')), challengeOf(await add('own.example', third.key))];
    expect(a.host).toBe(b.host);
    expect(a.value).not.toBe(b.value);
    domains.dns.set(a.host, 'TXT', [a.value]);
    challengeOf(await add('own.example', third.key));
  });

  it('is verified in one account alone, however many verify at the same time', async () => {
    const third = await domains.server.newAccount();
    const one = (await add('together.example')).body;
    const two = (await add('together.example', third.key)).body;
    domains.publish([...one.records, ...two.records]);
    const responses = await Promise.all([
      call('POST', `/domains/${one.id}/verify`, { key: other.key }),
      call('POST', `/domains/${two.id}/verify`, { key: third.key }),
    ]);
    expect(responses.map((response) => response.status).sort()).toEqual([200, 409]);
  });
});
