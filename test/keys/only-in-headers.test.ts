import { OPERATIONS, SCOPES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const lines: string[] = [];
let server: TestApp;
beforeAll(async () => {
  server = await startTestApp({ log: { write: (line) => void lines.push(line) } });
});
afterAll(() => server.close());

describe('a key', () => {
  it('is accepted in the header alone, not in a URL or a body', async () => {
    for (const name of ['key', 'api_key', 'apiKey', 'access_token', 'token', 'authorization']) {
      const query = `${name}=${server.key}`;
      expectProblem(await server.call('GET', `/emails?${query}`, { key: null }), 401, 'missing_key');
      expectProblem(await server.call('POST', `/emails?${query}`, { key: null, body: {} }), 401, 'missing_key');
      expectProblem(
        await server.call('POST', '/emails', { key: null, body: { [name]: server.key } }),
        401,
        'missing_key',
      );
    }
  });

  it('is in no error, log line or request log, wherever a caller puts it', async () => {
    const responses = [
      await server.call('GET', `/emails?api_key=${server.key}`),
      await server.call('POST', '/emails', { body: { apiKey: server.key, from: server.key, to: server.key } }),
      await server.call('GET', '/emails', { key: `${server.key}x` }),
      await server.call('GET', '/keys/self'),
      await server.call('GET', '/keys'),
      await server.call('GET', '/requests?limit=100'),
    ];
    const secret = server.key.slice('pr_live_'.length);
    // What a caller passes as an address is returned as an address; nothing else of a response may contain the key.
    for (const [n, response] of responses.entries()) {
      if (n !== 1) expect(JSON.stringify(response.body)).not.toContain(secret);
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.join('')).not.toContain(secret);
  });
});

describe('the body of a request', () => {
  // MCP is JSON-RPC, whose messages have their own fields.
  const writes = OPERATIONS.filter(
    (each) => each.access.kind === 'key' && 'body' in each && each.body !== undefined && each.id !== 'service.mcp',
  );
  let key: string;
  beforeAll(async () => {
    key = await server.newKey({ scopes: Object.keys(SCOPES) });
  });

  it.each(writes.map(({ id, method, path }) => [id, method, path] as const))(
    '%s sets no id, account or time of creation, and accepts no unknown field',
    async (_, method, path) => {
      const url = path.replace(':id', '01936a2e-0000-7000-8000-000000000000');
      const given = { id: 'x', accountId: 'x', createdAt: '2020-01-01T00:00:00.000Z', notAField: 1 };
      const { status, body } = await server.call(method, url, { key, body: given });
      expect([status, body.code]).toEqual([422, 'validation_failed']);
      const named = body.errors.map((error: { path: string }) => error.path);
      expect(named).toEqual(expect.arrayContaining(Object.keys(given)));
    },
  );
});
