import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { forgetUnusedSelectors } from '../../../packages/server/src/db/queries/dkim-selectors.ts';
import { createKeyAllowance } from '../../../packages/server/src/sending-domains/key-allowance.ts';
import { createKeyMaker } from '../../../packages/server/src/sending-domains/key-maker.ts';
import { expectProblem } from '../../harness/expect-problem.ts';
import { type DomainServer, startDomainServer } from './domain-server.ts';

const HOUR_MS = 3_600_000;

describe('the limits of an account', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  const call = (method: string, path: string, options = {}) => domains.server.call(method, path, options);
  const add = (name: string, key: string) => call('POST', '/domains', { key, body: { name } });

  it('allow a number of DKIM keys an hour, counted for each account, whether they are kept or not', async () => {
    const { clock, app, database } = domains.server;
    // As the server has it, with a number that does not take a minute to reach.
    const keyMaker = createKeyMaker(createKeyAllowance(database.sql, clock, 3));
    Object.assign(app.services.domains.tools, { keyMaker });
    const [one, other] = [await domains.server.newAccount(), await domains.server.newAccount()];
    const { body } = await add('counted.example', one.key);
    const rotate = (dkimSelector: string) =>
      call('POST', `/domains/${body.id}/rotate`, { key: one.key, body: { dkimSelector } });
    expect((await rotate('s1')).status).toBe(200);
    // Puts s1 away, which was made anyway.
    expect((await rotate('s2')).status).toBe(200);
    clock.advance(HOUR_MS / 2);
    for (const refused of [await rotate('s3'), await add('refused.example', one.key)]) {
      expectProblem(refused, 429, 'rate_limited');
      // The clock of the tests runs on meanwhile.
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThan(1_500);
      expect(seconds).toBeLessThanOrEqual(1_800);
    }
    expect((await add('others.example', other.key)).status).toBe(201);
    clock.advance(HOUR_MS / 2);
    expect((await rotate('s3')).status).toBe(200);
  });

  it('are exact, however many processes create keys in parallel', async () => {
    const { clock, database, accountId } = domains.server;
    const fleet = Array.from({ length: 4 }, () => createKeyAllowance(database.sql, clock, 10));
    await database.sql`DELETE FROM dkim_keys_made`;
    const responses = await Promise.all(Array.from({ length: 40 }, (_, n) => fleet[n % 4]?.(accountId)));
    expect(responses.filter((seconds) => seconds === null)).toHaveLength(10);
    for (const seconds of responses) if (typeof seconds === 'number') expect(seconds).toBeGreaterThan(3_500);
    clock.advance(HOUR_MS + 1_000);
    expect(await fleet[0]?.(accountId)).toBeNull();
    const [row] = await database.sql<{ n: number }[]>`SELECT cardinality(made_at) AS n FROM dkim_keys_made`;
    expect(row?.n).toBe(1);
  });

  it('keep selectors without a key for 30 days, and the newest 1,000 of a name', async () => {
    const { key, accountId } = await domains.server.newAccount();
    const { app, clock } = domains.server;
    const { sql } = domains.server.database;
    Object.assign(app.services.domains.tools, { keyMaker: createKeyMaker(createKeyAllowance(sql, clock)) });
    const { body } = await call('POST', '/domains', { key, body: { name: 'bounded.example', dkimSelector: 's0' } });
    const rotate = async (dkimSelector: string) =>
      (await call('POST', `/domains/${body.id}/rotate`, { key, body: { dkimSelector } })).status;
    expect([await rotate('s1'), await rotate('s2'), await rotate('s1')]).toEqual([200, 200, 409]);
    const purge = (days: number) => {
      const now = new Date(Date.now() + days * 24 * HOUR_MS);
      return forgetUnusedSelectors(sql, now, new Date(now.getTime() - 30 * 24 * HOUR_MS));
    };
    const selectors = async () =>
      (
        await sql`SELECT selector FROM dkim_selectors WHERE account_id = ${accountId} AND selector !~ '^x' ORDER BY selector`
      ).map(({ selector }) => selector);
    await purge(100);
    await purge(129);
    expect(await selectors()).toEqual(['s0', 's1', 's2']);
    await purge(131);
    expect(await selectors()).toEqual(['s0', 's2']);
    await sql`
      INSERT INTO dkim_selectors (account_id, name, selector, made_at)
      SELECT ${accountId}, 'bounded.example', 'x' || n, '2020-01-01'::timestamptz + n * interval '1 s'
      FROM generate_series(1, ${LIMITS.unusedSelectorsPerName + 5}) AS n`;
    expect(await rotate('s3')).toBe(200);
    const [left] = await sql<{ n: number; oldest: string }[]>`
      SELECT count(*)::int AS n, min(made_at)::text AS oldest FROM dkim_selectors
      WHERE account_id = ${accountId} AND selector ~ '^x'`;
    // The one that was put away just now is one of the thousand.
    expect(left).toEqual({ n: LIMITS.unusedSelectorsPerName - 1, oldest: expect.stringContaining('00:00:07') });
    expect(await selectors()).toEqual(['s0', 's2', 's3']);
  });

  it('create no key when another account has the name and the challenge is not met', async () => {
    const { key } = await domains.server.newAccount();
    await domains.verified('asked.example');
    for (let again = 0; again < 5; again += 1) expectProblem(await add('asked.example', key), 409, 'domain_claimed');
  });

  it('keep a history of the last removed domains', async () => {
    const { key, accountId } = await domains.server.newAccount();
    const { body } = await add('last.example', key);
    const { sql } = domains.server.database;
    await sql`
      INSERT INTO sending_domains (account_id, id, name, status, return_path_host, created_at, status_since, removed_at)
      SELECT ${accountId}, gen_random_uuid(), n || '.old.example', 'removed', 'b', now(), now(), '2020-01-01'::timestamptz + n * interval '1 s'
      FROM generate_series(1, ${LIMITS.removedDomainsPerAccount}) AS n`;
    await sql`
      INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, private_key, public_key, state, created_at)
      SELECT account_id, gen_random_uuid(), id, 'rsa', 's', '\\x00', 'k', 'signing', now()
      FROM sending_domains WHERE account_id = ${accountId} AND status = 'removed'`;
    await call('DELETE', `/domains/${body.id}`, { key });
    const [kept] = await sql<{ domains: number; keys: number; oldest: string }[]>`
      SELECT count(*)::int AS domains, min(removed_at)::text AS oldest,
        (SELECT count(*)::int FROM dkim_keys WHERE account_id = ${accountId}) AS keys
      FROM sending_domains WHERE account_id = ${accountId} AND status = 'removed'`;
    const number = LIMITS.removedDomainsPerAccount;
    expect(kept).toEqual({ domains: number, keys: number, oldest: expect.stringContaining('00:00:02') });
    expect((await call('POST', `/domains/${body.id}/restore`, { key })).status).toBe(200);
  });

  it('keep a number of retired keys of a domain', async () => {
    const { key, accountId } = await domains.server.newAccount();
    const { body } = await add('retired.example', key);
    const { sql } = domains.server.database;
    await sql`
      INSERT INTO dkim_keys (account_id, id, domain_id, algorithm, selector, public_key, state, created_at, retired_at)
      SELECT ${accountId}, gen_random_uuid(), ${body.id}, 'rsa', 'old' || n, 'k', 'retired', now(), '2020-01-01'::timestamptz + n * interval '1 s'
      FROM generate_series(1, ${LIMITS.retiredKeysPerDomain + 5}) AS n`;
    expect((await call('POST', `/domains/${body.id}/rotate`, { key })).status).toBe(200);
    const rows = await sql<{ state: string; n: number }[]>`
      SELECT state, count(*)::int AS n FROM dkim_keys WHERE account_id = ${accountId} GROUP BY state ORDER BY state`;
    expect(rows.map(({ state, n }) => [state, n])).toEqual([
      ['retired', LIMITS.retiredKeysPerDomain],
      ['signing', 1],
      ['waiting', 1],
    ]);
  });
});
