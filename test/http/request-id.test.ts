import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const MADE_HERE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the request id', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const idFor = async (given: string) =>
    (await server.call('GET', '/health', { key: null, headers: { 'x-request-id': given } })).headers.get(
      'x-request-id',
    );

  it('is in every response, success or error, and in the body of every error', {
    tags: ['contract-shape.request-id', 'errors.request-id'],
  }, async () => {
    const responses = await Promise.all([
      server.send(),
      server.call('GET', '/emails'),
      server.call('GET', '/health', { key: null }),
      server.call('GET', '/', { key: null }),
      server.call('GET', '/openapi.yaml', { key: null }),
      server.call('GET', '/reference', { key: null }),
      server.call('GET', '/dev/mailbox', { key: null }),
      server.call('GET', '/emails', { key: null }),
      server.call('POST', '/emails', { body: {} }),
      server.call('POST', '/emails', { rawBody: '{' }),
      server.call('POST', '/emails', { rawBody: 'x', headers: { 'content-type': 'text/plain' } }),
      server.call('GET', '/nothing'),
      server.call('GET', '/emails/%zz'),
      server.call('PUT', '/emails'),
      server.call('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } }),
    ]);
    for (const { status, headers, body } of responses) {
      expect(headers.get('x-request-id')).toMatch(MADE_HERE);
      if (status >= 400) expect(body.requestId).toBe(headers.get('x-request-id'));
    }
    expect(new Set(responses.map(({ headers }) => headers.get('x-request-id'))).size).toBe(responses.length);
  });

  it.each(['a', 'A-z_0.9', '0', 'x'.repeat(128), '019368aa-0000-7000-8000-000000000000', '...'])(
    'keeps a caller’s own %j',
    { tags: ['contract-shape.request-id-kept'] },
    async (given) => {
      expect(await idFor(given)).toBe(given);
      const refused = await server.call('GET', '/emails', { key: null, headers: { 'x-request-id': given } });
      expect([refused.headers.get('x-request-id'), refused.body.requestId]).toEqual([given, given]);
    },
  );

  it.each(['', 'x'.repeat(129), 'a b', 'a/b', 'a:b', 'a"b', 'a,b', 'é', '<script>', 'a\tb'])(
    'replaces %j by its own',
    { tags: ['contract-shape.request-id-kept'] },
    async (given) => {
      expect(await idFor(given)).toMatch(MADE_HERE);
    },
  );

  it('replaces one that is passed twice', async () => {
    const response = await sendRaw(
      server.baseUrl,
      'GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-request-id: one\r\nx-request-id: two\r\n\r\n',
    );
    expect(/x-request-id: (\S+)/.exec(response)?.[1]).toMatch(MADE_HERE);
  });

  it('is in the response to an invalid HTTP request', { tags: ['contract-shape.request-id'] }, async () => {
    const response = await sendRaw(server.baseUrl, 'GARBAGE\r\n\r\n');
    expect(response).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    const id = /\r\nx-request-id: (\S+)\r\n/.exec(response)?.[1];
    expect(id).toMatch(MADE_HERE);
    expect(JSON.parse(response.slice(response.indexOf('\r\n\r\n')))).toMatchObject({ status: 400, requestId: id });
  });
});
