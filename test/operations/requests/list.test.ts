import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

interface Logged {
  readonly id: string;
  readonly status: number;
  readonly method: string;
  readonly path: string;
  readonly code: string | null;
}

describe('GET /requests', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** An account with the requests given by id, once the log has them all. */
  async function accountWith(...ids: readonly string[]): Promise<string> {
    const { accountId, key } = await server.newAccount();
    for (const id of ids) await server.call('GET', '/emails', { key, headers: { 'x-request-id': id } });
    await expect
      .poll(() => server.database.sql`SELECT 1 FROM request_log WHERE account_id = ${accountId}`, {
        timeout: 5_000,
        interval: 20,
      })
      .toHaveLength(ids.length);
    return key;
  }

  it('lists every authenticated request, newest first, in pages', {
    tags: ['contract-shape.request-log', 'contract-shape.list-answer', 'service.request-log'],
  }, async () => {
    // In no order of their own, so that only the order of their coming can be the one they are listed in.
    const ids = ['c', 'a', 'e', 'd', 'b'];
    const key = await accountWith(...ids);
    const first = await server.call('GET', '/requests?limit=3', { key });
    expect(first.status).toBe(200);
    expect(Object.keys(first.body).sort()).toEqual(['nextCursor', 'requests', 'total', 'totalIsEstimate']);
    expect(first.body).toMatchObject({ total: 5, totalIsEstimate: false });
    const second = await server.call('GET', `/requests?limit=3&cursor=${first.body.nextCursor}`, { key });
    const seen = [...first.body.requests, ...second.body.requests].map(({ id }: Logged) => id);
    expect(seen.filter((id) => ids.includes(id))).toEqual([...ids].reverse());
    expect(second.body.total).toBeGreaterThanOrEqual(5);
  });

  it('accepts a limit of 1 to 100, 50 by default, and no cursor of another list', {
    tags: ['contract-shape.limit', 'contract-shape.cursor'],
  }, async () => {
    const key = await accountWith(...Array.from({ length: 51 }, (_, index) => `r${index}`));
    expect((await server.call('GET', '/requests', { key })).body.requests).toHaveLength(50);
    for (const limit of ['0', '101', 'x'])
      expectInvalid(await server.call('GET', `/requests?limit=${limit}`, { key }), 'limit');
    const { nextCursor } = (await server.call('GET', '/requests?limit=1', { key })).body;
    expectProblem(await server.call('GET', `/emails?cursor=${nextCursor}`, { key }), 422, 'invalid_cursor');
    expectProblem(await server.call('GET', `/requests?cursor=${nextCursor}x`, { key }), 422, 'invalid_cursor');
    expectProblem(await server.call('GET', `/requests?cursor=${nextCursor}`), 422, 'invalid_cursor');
  });

  it('needs logs:read, and shows an account its own requests alone', async () => {
    const reader = await server.newKey({ scopes: ['emails:read'] });
    expectProblem(await server.call('GET', '/requests', { key: reader }), 403, 'missing_scope');
    const key = await accountWith('mine');
    const other = await accountWith('theirs');
    expect((await server.call('GET', '/requests', { key })).body.requests.map(({ id }: Logged) => id)).toEqual([
      'mine',
    ]);
    expect((await server.call('GET', '/requests', { key: other })).body.requests[0].id).toBe('theirs');
  });

  it('contains errors of a known key with their codes, and nothing of unknown callers', async () => {
    const { accountId, key } = await server.newAccount();
    await server.call('POST', '/v1/emails?x=secret', { key, body: {} });
    await server.call('POST', '/emails', { key, rawBody: '{' });
    await server.call('GET', '/emails/nope', { key });
    await server.call('GET', '/emails', { key: null });
    await server.call('GET', '/emails', { key: 'pr_live_nonsense' });
    await server.call('GET', '/health', { key });
    await expect
      .poll(() => server.database.sql`SELECT 1 FROM request_log WHERE account_id = ${accountId}`, {
        timeout: 5_000,
        interval: 20,
      })
      .toHaveLength(3);
    const { requests } = (await server.call('GET', '/requests', { key })).body;
    expect(requests.map(({ method, path, status, code }: Logged) => [method, path, status, code])).toEqual([
      ['GET', '/emails/nope', 404, 'not_found'],
      ['POST', '/emails', 400, 'invalid_json'],
      ['POST', '/v1/emails', 422, 'validation_failed'],
    ]);
    expect(JSON.stringify(requests)).not.toContain('secret');
  });
});
