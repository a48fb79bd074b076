import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { type CallOptions, startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('POST /templates/:id/test', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
    await server.call('POST', '/templates', {
      body: { name: 'Report', subject: 'For {{ name }}', text: 'T {{ name }}' },
    });
    await server.call('POST', '/templates', { body: { name: 'Bare', text: 'x' } });
  });
  afterAll(() => server.close());

  const test = (slug: string, body: object, options: CallOptions = {}) =>
    server.call('POST', `/templates/${slug}/test`, { ...options, body });

  it('returns 202 and sends the current version to the account’s owner', {
    tags: ['templates.test', 'templates.test-fields'],
  }, async () => {
    const { status, body } = await test('report', { variables: { name: 'Ada' } });
    expect([status, body]).toEqual([202, { id: expect.any(String), status: 'queued' }]);
    expect((await server.settled(body.id)).body).toMatchObject({
      status: 'delivered',
      to: 'owner@sandbox.test',
      from: 'templates@sandbox.test',
      subject: 'For Ada',
      text: 'T Ada',
      template: 'report@1',
    });
    expect(await readCaptured(server, 'For Ada')).toMatchObject([{ to: ['owner@sandbox.test'] }]);
  });

  it('accepts only that address as `to`', { tags: ['templates.test-fields'] }, async () => {
    const variables = { name: 'To' };
    expect((await test('report', { variables, to: 'Owner@sandbox.test' })).status).toBe(202);
    expectInvalid(await test('report', { variables, to: 'other@example.com' }), ['to', 'not_allowed']);
    expectInvalid(await test('report', { variables, to: 'nonsense' }), 'to');
    expectInvalid(await test('report', { variables, cc: 'other@example.com' }), 'cc');
  });

  it('is an ordinary send: variables, the key’s allowlist and its idempotency key count', async () => {
    expectProblem(await test('report', {}), 422, 'template_variable_missing');
    const narrow = await server.newKey({ recipientAllowlist: ['@example.com'] });
    expectProblem(await test('bare', {}, { key: narrow }), 403, 'recipient_not_allowed');
    const headers = { 'idempotency-key': 'once' };
    const first = await test('bare', {}, { headers });
    const second = await test('bare', {}, { headers });
    expect([second.body, second.headers.get('idempotency-replayed')]).toEqual([first.body, 'true']);
    expectProblem(await test('report', {}, { headers }), 422, 'idempotency_key_reused');
  });

  it('uses the template’s name as a missing subject, and the account’s own domain if it has one', async () => {
    const { accountId, key } = await server.newAccount();
    await server.addDomain('mail.example.com', accountId);
    await server.call('POST', '/templates', { key, body: { name: 'Plain', text: 'x' } });
    const { body } = await test('plain', {}, { key });
    const { body: message } = await server.call('GET', `/emails/${body.id}?wait=10`, { key });
    expect(message).toMatchObject({ subject: 'Plain', from: 'templates@mail.example.com', to: 'other@sandbox.test' });
  });

  it('is 404 for a missing template', async () => {
    expectProblem(await test('nope', {}), 404, 'not_found');
  });
});
