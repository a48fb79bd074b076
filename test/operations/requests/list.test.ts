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

  describe('with filters', () => {
    let key: string;
    let keyId: string;
    let sentId: string;
    beforeAll(async () => {
      const account = await server.newAccount();
      key = account.key;
      keyId = (await server.call('GET', '/keys/self', { key })).body.id;
      sentId = (await server.send({ subject: 'x' }, { key })).body.id;
      await server.call('GET', `/emails/${sentId}`, { key });
      await server.call('GET', '/emails/100%25_nope', { key });
      await server.call('POST', '/emails', { key, body: {} });
      await server.app.services.requests.settle();
    });

    const find = async (query: string) => {
      const { status, body } = await server.call('GET', `/requests?${query}`, { key });
      expect([status, body.errors]).toEqual([200, undefined]);
      return body.requests.map(({ method, path, status: found }: Logged) => `${method} ${path} ${found}`);
    };

    it('finds the requests that match all of them', { tags: ['contract-shape.request-log-filters'] }, async () => {
      const missing = 'GET /emails/100%25_nope 404';
      const refused = 'POST /emails 422';
      expect(await find('status=4xx')).toEqual([refused, missing]);
      expect(await find('status=404')).toEqual([missing]);
      expect(await find('status=5xx')).toEqual([]);
      expect(await find('method=POST')).toEqual([refused, 'POST /emails 202']);
      expect(await find('method=POST&status=2xx')).toEqual(['POST /emails 202']);
      expect(await find('code=validation_failed')).toEqual([refused]);
      expect(await find('path=self')).toEqual(['GET /keys/self 200']);
      expect(await find(`path=${encodeURIComponent('%25_n')}`)).toEqual([missing]);
      expect(await find(`path=${encodeURIComponent('%25n')}`)).toEqual([]);
      expect(await find(`email_id=${sentId}`)).toEqual([`GET /emails/${sentId} 200`, 'POST /emails 202']);
      expect(await find(`key_id=${keyId}&method=POST`)).toHaveLength(2);
      expect(await find(`key_id=${sentId}`)).toEqual([]);
    });

    it('limits the time, and pages through the matches', async () => {
      const now = server.clock.now().getTime();
      const at = (ms: number) => new Date(now + ms).toISOString();
      expect(await find(`from=${at(-3_600_000)}&to=${at(3_600_000)}&status=4xx`)).toHaveLength(2);
      expect(await find(`to=${at(-3_600_000)}`)).toEqual([]);
      expect(await find(`from=${at(3_600_000)}`)).toEqual([]);
      const first = (await server.call('GET', '/requests?status=4xx&limit=1', { key })).body;
      expect(first).toMatchObject({ total: 2, requests: [{ status: 422 }] });
      const cursor = `limit=1&cursor=${first.nextCursor}`;
      expect((await server.call('GET', `/requests?status=4xx&${cursor}`, { key })).body).toMatchObject({
        ...{ total: 2, nextCursor: null, requests: [{ status: 404 }] },
      });
      expectProblem(await server.call('GET', `/requests?${cursor}`, { key }), 422, 'invalid_cursor');
    });

    it('rejects values that cannot match, and shows nothing of other accounts', async () => {
      const get = (query: string) => server.call('GET', `/requests?${query}`, { key });
      for (const status of ['4x', '600', '40', 'ok']) expectInvalid(await get(`status=${status}`), 'status');
      expectInvalid(await get('method=get'), 'method');
      expectInvalid(await get('key_id=7'), 'key_id');
      expectInvalid(await get('email_id=7'), 'email_id');
      expectInvalid(await get('path='), 'path');
      expectInvalid(await get('from=2026-01-02&to=2026-01-01'), ['to', 'out_of_range']);
      const other = (await server.newAccount()).key;
      const foreign = await server.call('GET', `/requests?key_id=${keyId}`, { key: other });
      expect(foreign.body).toMatchObject({ requests: [], total: 0 });
    });
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
