import { WEBHOOK_EVENT_NAMES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const UNKNOWN = '0199a6a0-7b1e-7c3a-8a7b-2f1d0c9e8b7a';
const FIELDS = ['id', 'url', 'description', 'events', 'status', 'disabledReason', 'failingSince', 'createdAt'];

/** Of `/webhooks`, `/webhooks/:id` and `POST /webhooks/:id/rotate`. */
describe('webhook endpoints', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const call = (method: string, path: string, options = {}) => server.call(method, path, options);
  const create = (body: unknown, options = {}) => call('POST', '/webhooks', { body, ...options });
  const url = 'https://example.com/hooks';

  it('are created with a secret that is shown once', {
    tags: ['webhooks.endpoint-fields', 'records.webhook', 'contract-shape.webhook-secret-shown-once'],
  }, async () => {
    const made = await create({ url, description: 'Orders', events: ['email.delivered', 'email.bounced'] });
    expect(made.status).toBe(201);
    const { secret, ...record } = made.body;
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(record).toEqual({
      ...{ id: expect.any(String), url, description: 'Orders', events: ['email.delivered', 'email.bounced'] },
      ...{ status: 'enabled', disabledReason: null, failingSince: null, createdAt: expect.any(String) },
    });
    expect(Object.keys(record)).toEqual(FIELDS);
    expect((await call('GET', `/webhooks/${record.id}`)).body).toEqual(record);
    expect((await call('GET', '/v1/webhooks')).body.webhooks).toContainEqual(record);
    const [stored] = await server.database.sql`SELECT secret FROM webhook_endpoints WHERE id = ${record.id}`;
    expect(Buffer.from(stored?.['secret']).toString('latin1')).not.toContain(secret.slice(6));
  });

  it('receive every event type by default, or only the selected ones', {
    tags: ['webhooks.endpoint-fields'],
  }, async () => {
    expect((await create({ url })).body).toMatchObject({ events: [], description: null });
    expect((await create({ url, events: [] })).body.events).toEqual([]);
    const named = await create({ url, events: [...WEBHOOK_EVENT_NAMES, 'email.sent'] });
    expect(named.body.events).toEqual(WEBHOOK_EVENT_NAMES);
  });

  it.each([
    ['no URL', {}, 'url'],
    ['an invalid URL', { url: 'example' }, 'url'],
    ['another protocol', { url: 'ftp://example.com' }, 'url'],
    ['a user name', { url: 'https://user@example.com/' }, 'url'],
    ['a password', { url: 'https://:secret@example.com/' }, 'url'],
    ['an internal address', { url: 'https://10.0.0.1/' }, 'url'],
    ['an internal address in another notation', { url: 'https://0x0a.1/' }, 'url'],
    ['a metadata address', { url: 'https://169.254.169.254/' }, 'url'],
    ['an internal IPv6 address', { url: 'https://[fd00::1]/' }, 'url'],
    ['an event that does not exist', { url, events: ['email.delivered', 'email.eaten'] }, 'events.1'],
    ['events that are not a list', { url, events: 'email.sent' }, 'events'],
    ['a field that does not exist', { url, secret: 'whsec_x' }, 'secret'],
    ['a status', { url, status: 'disabled' }, 'status'],
    ['an empty description', { url, description: '' }, 'description'],
    ['a description that is too long', { url, description: 'x'.repeat(501) }, 'description'],
  ])('are rejected with %s', { tags: ['webhooks.bodies'] }, async (_what, body, path) => {
    expectInvalid(await create(body), path);
  });

  it('are changed field by field, disabled and enabled', { tags: ['webhooks.endpoint-fields'] }, async () => {
    const { id } = (await create({ url, description: 'Old', events: ['email.sent'] })).body;
    const change = async (body: unknown) => (await call('PATCH', `/webhooks/${id}`, { body })).body;
    expect(await change({ url: 'https://example.com/other' })).toMatchObject({
      description: 'Old',
      events: ['email.sent'],
    });
    expect(await change({ description: null, events: [] })).toMatchObject({
      ...{ url: 'https://example.com/other', description: null, events: [] },
    });
    expect(await change({ status: 'disabled' })).toMatchObject({ status: 'disabled', disabledReason: 'manual' });
    expect(await change({ status: 'enabled' })).toMatchObject({ status: 'enabled', disabledReason: null });
    expect(await change({})).toMatchObject({ status: 'enabled' });
    expectInvalid(await call('PATCH', `/webhooks/${id}`, { body: { status: 'gone' } }), 'status');
    expectInvalid(await call('PATCH', `/webhooks/${id}`, { body: { url: 'https://127.0.0.1.nip/@', id: 1 } }), 'id');
    expectInvalid(await call('PATCH', `/webhooks/${id}`, { body: { url: 'https://192.168.1.1/' } }), 'url');
  });

  it('are deleted with their queued deliveries', { tags: ['webhooks.endpoints'] }, async () => {
    const { id } = (await create({ url })).body;
    await call('POST', `/webhooks/${id}/test`);
    const deleted = await call('DELETE', `/webhooks/${id}`);
    expect([deleted.status, Object.keys(deleted.body)]).toEqual([200, FIELDS]);
    expectProblem(await call('GET', `/webhooks/${id}`), 404, 'not_found');
    expectProblem(await call('DELETE', `/webhooks/${id}`), 404, 'not_found');
    const left = await server.database.sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${id}`;
    expect(left.length).toBe(0);
  });

  it('get a new secret by a rotation, shown once', { tags: ['contract-shape.webhook-secret-shown-once'] }, async () => {
    const { secret, ...record } = (await create({ url })).body;
    const rotated = await call('POST', `/webhooks/${record.id}/rotate`);
    expect([rotated.status, rotated.body]).toEqual([200, { ...record, secret: expect.stringMatching(/^whsec_/) }]);
    expect(rotated.body.secret).not.toBe(secret);
  });

  it('are listed newest first, in pages', { tags: ['webhooks.list-shape'] }, async () => {
    const other = await server.newAccount();
    const made = [];
    for (let n = 0; n < 3; n += 1) made.push((await create({ url: `${url}/${n}` }, { key: other.key })).body.id);
    const first = (await call('GET', '/webhooks?limit=2', { key: other.key })).body;
    expect(Object.keys(first).sort()).toEqual(['nextCursor', 'total', 'totalIsEstimate', 'webhooks']);
    const second = (await call('GET', `/webhooks?limit=2&cursor=${first.nextCursor}`, { key: other.key })).body;
    expect([...first.webhooks, ...second.webhooks].map(({ id }: { id: string }) => id)).toEqual(made.toReversed());
    expect([first.total, second.total, second.nextCursor]).toEqual([3, 3, null]);
    expectProblem(await call('GET', `/webhooks?cursor=${first.nextCursor}`), 422, 'invalid_cursor');
  });

  it('have a URL without white space and control characters, which a parser would remove', async () => {
    const paths = ['a\r\nX-Evil: 1', '\t', ' ', 'a b', '\u001b[31m', '\u007f', '\u202e', '\u2028', '\u0085'];
    for (const path of paths) {
      expectInvalid(await create({ url: `https://example.com/${path}` }), ['url', 'invalid_url']);
    }
    expectInvalid(await create({ url: 'https://exa\nmple.com/' }), ['url', 'invalid_url']);
  });

  it('are at most fifty', async () => {
    const { key } = await server.newAccount();
    for (let n = 0; n < 47; n += 1) expect((await create({ url }, { key })).status).toBe(201);
    // The last ones at once: who counts must not count beside another.
    const responses = await Promise.all(Array.from({ length: 6 }, () => create({ url }, { key })));
    expect(responses.filter(({ status }) => status === 201).length).toBe(3);
    for (const refused of responses.filter(({ status }) => status !== 201)) expectInvalid(refused, ['url', 'too_many']);
  });

  it('belong to their account, and need the scopes', async () => {
    const other = await server.newAccount();
    const { id } = (await create({ url })).body;
    const paths: readonly [string, string][] = [
      ['GET', `/webhooks/${id}`],
      ['PATCH', `/webhooks/${id}`],
      ['POST', `/webhooks/${id}/rotate`],
      ['POST', `/webhooks/${id}/test`],
      ['GET', `/webhooks/${id}/deliveries`],
      ['POST', `/webhooks/${id}/deliveries/${UNKNOWN}/retry`],
      ['DELETE', `/webhooks/${id}`],
    ];
    const reader = await server.newKey({ scopes: ['webhooks:read'] });
    const writer = await server.newKey({ scopes: ['webhooks:write'] });
    for (const [method, path] of paths) {
      const body = method === 'PATCH' ? { body: {} } : {};
      const foreign = await call(method, path, { key: other.key, ...body });
      expectProblem(foreign, 404, 'not_found');
      const unknown = await call(method, path.replace(id, UNKNOWN), body);
      expect(unknown.body.code).toBe(foreign.body.code);
      expectProblem(
        await call(method, path, { key: method === 'GET' ? writer : reader, ...body }),
        403,
        'missing_scope',
      );
    }
    const replay = { body: { since: '2026-01-01' }, key: other.key };
    expectProblem(await call('POST', `/webhooks/${id}/replay`, replay), 404, 'not_found');
    expectProblem(await call('GET', '/webhooks/no-id'), 404, 'not_found');
  });

  it('leave an entry in the audit log with every change', async () => {
    const { key, accountId } = await server.newAccount();
    const { id } = (await create({ url }, { key })).body;
    await call('PATCH', `/webhooks/${id}`, { key, body: { status: 'disabled' } });
    await call('POST', `/webhooks/${id}/rotate`, { key });
    await call('DELETE', `/webhooks/${id}`, { key });
    const rows = await server.database
      .sql`SELECT action, target_id, details FROM audit_log WHERE account_id = ${accountId} ORDER BY seq`;
    expect(rows.map(({ action }) => action)).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.rotated',
      'webhook.deleted',
    ]);
    expect(JSON.stringify(rows)).not.toContain('whsec_');
  });
});

describe('in production', () => {
  it('rejects http, credentials and internal addresses at creation', { tags: ['webhooks.endpoint-urls'] }, async () => {
    const server = await startTestApp({
      settings: {
        POSTRIDER_MODE: 'production',
        POSTRIDER_ROLES: 'api',
        POSTRIDER_BASE_URL: 'https://mail.example.com',
      },
    });
    try {
      const create = (url: string) => server.call('POST', '/webhooks', { body: { url } });
      for (const url of [
        'http://example.com/',
        'http://localhost:3000',
        'https://127.0.0.1/',
        'https://[::1]/',
        'https://a:b@example.com/',
      ]) {
        expectInvalid(await create(url), ['url', 'invalid_url']);
      }
      // Where a name leads is looked at when something is delivered.
      expect((await create('https://localhost/')).status).toBe(201);
    } finally {
      await server.close();
    }
  });
});
