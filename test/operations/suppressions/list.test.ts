import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the suppression list', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    for (const [email, reason] of ENTRIES) await server.call('POST', '/suppressions', { body: { email, reason } });
  });
  afterAll(() => server.close());

  const ENTRIES = [
    ['a@one.example', 'manual'],
    ['b@one.example', 'hard_bounce'],
    ['c_d@two.example', 'complaint'],
    ['e@two.example', 'manual'],
  ] as const;
  const list = (query = '', key?: string) =>
    server.call('GET', `/suppressions${query}`, key === undefined ? {} : { key });
  const emailsOf = ({ body }: Awaited<ReturnType<typeof list>>) =>
    body.suppressions.map(({ email }: { email: string }) => email);

  it('is returned newest first, with total and cursor', {
    tags: ['suppressions.manage', 'suppressions.list-shape'],
  }, async () => {
    const { status, body } = await list();
    expect([status, Object.keys(body).sort()]).toEqual([
      200,
      ['nextCursor', 'suppressions', 'total', 'totalIsEstimate'],
    ]);
    expect(body).toMatchObject({ total: 4, totalIsEstimate: false, nextCursor: null });
    expect(body.suppressions.map(({ email, reason }: Record<string, string>) => [email, reason])).toEqual(
      ENTRIES.toReversed(),
    );
  });

  it('returns each entry once, page by page', { tags: ['suppressions.list-shape'] }, async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await list(`?limit=3${cursor === null ? '' : `&cursor=${cursor}`}`);
      expect(page.body.total).toBe(4);
      seen.push(...emailsOf(page));
      cursor = page.body.nextCursor;
    } while (cursor !== null);
    expect(seen).toEqual(ENTRIES.map(([email]) => email).toReversed());
  });

  it('filters by address, by a part of it and by reason, also together', async () => {
    expect(emailsOf(await list('?email=B@One.example'))).toEqual(['b@one.example']);
    expect(emailsOf(await list('?email=nobody@one.example'))).toEqual([]);
    expect(emailsOf(await list('?q=ONE.ex'))).toEqual(['b@one.example', 'a@one.example']);
    expect(emailsOf(await list('?reason=manual'))).toEqual(['e@two.example', 'a@one.example']);
    const both = await list('?q=two&reason=manual');
    expect([emailsOf(both), both.body.total]).toEqual([['e@two.example'], 1]);
    expect(emailsOf(await list('?q=%25%25'))).toEqual([]);
    await server.call('POST', '/suppressions', { body: { email: 'info@München.example' } });
    for (const part of ['münchen', 'o@MÜNCHEN.ex', 'xn--mnchen'])
      expect(emailsOf(await list(`?q=${encodeURIComponent(part)}`)), part).toEqual(['info@xn--mnchen-3ya.example']);
    await server.call('DELETE', '/suppressions/info@xn--mnchen-3ya.example');
    expect(emailsOf(await list('?q=c_d'))).toEqual(['c_d@two.example']);
  });

  it('rejects unknown parameters, and a cursor of other filters', async () => {
    expectInvalid(await list('?email=nobody'), ['email', 'invalid_email']);
    expectInvalid(await list('?q=x'), ['q', 'too_short']);
    expectInvalid(await list('?reason=soft'), ['reason', 'invalid_value']);
    expectInvalid(await list('?limit=0'), ['limit', 'out_of_range']);
    expectInvalid(await list('?limit=101'), ['limit', 'out_of_range']);
    expectInvalid(await list('?page=2'), ['page', 'unknown_field']);
    const { nextCursor } = (await list('?limit=1')).body;
    expectProblem(await list(`?limit=1&reason=manual&cursor=${nextCursor}`), 422, 'invalid_cursor');
    expectProblem(await list('?cursor=abc'), 422, 'invalid_cursor');
  });

  it('shows no entry that has expired', async () => {
    const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString();
    await server.call('POST', '/suppressions', { body: { email: 'brief@three.example', expiresAt } });
    expect((await list('?q=three')).body.total).toBe(1);
    server.clock.advance(60_000);
    expect((await list('?q=three')).body).toMatchObject({ suppressions: [], total: 0 });
  });

  it('contains the entries of its own account alone, for keys that may read it', async () => {
    const other = await server.newAccount();
    expect((await list('', other.key)).body).toMatchObject({ suppressions: [], total: 0 });
    const { nextCursor } = (await list('?limit=1')).body;
    expectProblem(await list(`?limit=1&cursor=${nextCursor}`, other.key), 422, 'invalid_cursor');
    const writer = await server.newKey({ scopes: ['suppressions:write', 'suppressions:delete'] });
    expectProblem(await list('', writer), 403, 'missing_scope');
    expect((await list('', await server.newKey({ scopes: ['sending'] }))).status).toBe(200);
  });
});
