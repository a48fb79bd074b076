import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('GET /requests/:id', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** The log is written behind the requests' back, a moment later. */
  async function logged(id: string | null, key = server.key) {
    await expect
      .poll(async () => (await server.call('GET', `/requests/${id}`, { key })).status, { timeout: 5_000, interval: 20 })
      .toBe(200);
    return (await server.call('GET', `/requests/${id}`, { key })).body;
  }

  it('returns one request by its x-request-id, with exactly its fields', {
    tags: ['contract-shape.request-log', 'service.request-log', 'errors.request-id'],
  }, async () => {
    const { headers, body: sent } = await server.send();
    const { id: keyId } = (await server.call('GET', '/keys/self')).body;
    expect(await logged(headers.get('x-request-id'))).toEqual({
      id: headers.get('x-request-id'),
      method: 'POST',
      path: '/emails',
      status: 202,
      code: null,
      durationMs: expect.any(Number),
      keyId,
      emailId: sent.id,
      createdAt: expect.stringMatching(TIME),
    });
  });

  it('uses an id that the server made for the entry too, and finds one that the client chose, a UUID or not', async () => {
    const made = (await server.call('GET', '/emails')).headers.get('x-request-id') ?? '';
    await logged(made);
    const chosen = ['chosen-1', '019368aa-0000-7000-8000-000000000001', 'A19368AA-0000-7000-8000-000000000001'];
    for (const id of chosen) await server.call('GET', '/emails', { headers: { 'x-request-id': id } });
    for (const id of chosen) expect((await logged(id)).id).toBe(id);
    const stored = (id: string) =>
      server.database.sql<{ id: string }[]>`SELECT id FROM request_log WHERE request_id = ${id}`;
    expect(await stored(made)).toEqual([{ id: made }]);
    for (const id of chosen) expect(await stored(id)).not.toEqual([{ id: id.toLowerCase() }]);
  });

  it('returns the newest of several with the same id, also if a client repeats an id that the server made', async () => {
    const made = (await server.call('GET', '/emails')).headers.get('x-request-id') ?? '';
    expect(await logged(made)).toMatchObject({ path: '/emails' });
    await server.call('GET', '/domains', { headers: { 'x-request-id': made } });
    await expect.poll(() => logged(made), { timeout: 5_000, interval: 20 }).toMatchObject({ path: '/domains' });
  });

  it('names the message of a read, and the code of an error', async () => {
    const { body: sent } = await server.send();
    await server.call('GET', `/emails/${sent.id}`, { headers: { 'x-request-id': 'read-1' } });
    expect(await logged('read-1')).toMatchObject({
      method: 'GET',
      path: `/emails/${sent.id}`,
      emailId: sent.id,
      code: null,
    });
    const key = await server.newKey({ scopes: ['logs:read'] });
    await server.call('GET', '/emails', { key, headers: { 'x-request-id': 'refused-1' } });
    expect(await logged('refused-1', key)).toMatchObject({ status: 403, code: 'missing_scope', emailId: null });
  });

  it('contains a request as soon as it is completed, and so does the list', async () => {
    const { headers } = await server.send();
    const id = headers.get('x-request-id');
    expect((await server.call('GET', `/requests/${id}`)).body).toMatchObject({ id, status: 202 });
    expect((await server.call('GET', '/requests?limit=3')).body.requests).toContainEqual(
      expect.objectContaining({ id, path: '/emails' }),
    );
  });

  it('with an id that was used twice returns the newest', async () => {
    const headers = { 'x-request-id': 'twice' };
    await server.call('GET', '/emails', { headers });
    await logged('twice');
    await server.call('GET', '/emails?limit=0', { headers });
    await expect
      .poll(async () => (await server.call('GET', '/requests/twice')).body.status, { timeout: 5_000, interval: 20 })
      .toBe(422);
  });

  it('returns 404 for an unknown id, and the same for another account’s', async () => {
    await server.call('GET', '/emails', { headers: { 'x-request-id': 'mine-alone' } });
    await logged('mine-alone');
    const other = await server.newAccount();
    const read = async (id: string) => {
      const response = await server.call('GET', `/requests/${id}`, {
        key: other.key,
        headers: { 'x-request-id': 'same' },
      });
      expectProblem(response, 404, 'not_found');
      return JSON.stringify(response.body).replaceAll(id, '<id>');
    };
    expect(await read('mine-alone')).toBe(await read('never-was'));
  });

  it('needs logs:read, and rejects text that cannot be an id', async () => {
    const key = await server.newKey({ scopes: ['emails:read'] });
    expectProblem(await server.call('GET', '/requests/x', { key }), 403, 'missing_scope');
    expectInvalid(await server.call('GET', '/requests/%00'), ['id', 'invalid_unicode']);
  });
});
