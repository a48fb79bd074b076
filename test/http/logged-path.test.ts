import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loggedPath } from '../../packages/server/src/http/logged-path.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const TOKEN = 'Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4Zm9vYmFyYmF';

describe('paths in the logs', () => {
  let server: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    server = await startTestApp({ log: { write: (line) => void lines.push(line) } });
  });
  afterAll(() => server.close());

  it.each([
    `/approvals/${TOKEN}`,
    `/approvals/${TOKEN}/html`,
    `/approvals/${TOKEN}/more/of/it`,
    `/auth/magic-link/${TOKEN}`,
    `/auth/passkeys/first/${TOKEN}`,
    `/console/open/${TOKEN}`,
    `/%61pprovals/${TOKEN}`,
    `/auth/magic-link/${TOKEN}?next=${TOKEN}`,
  ])('contain no token of %s, for any method and caller', async (path) => {
    for (const method of ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS']) {
      await server.call(method, path);
      await server.call(method, path, { key: null });
    }
    const { body } = await server.call('GET', '/requests?limit=100');
    expect(body.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(body)).not.toContain(TOKEN);
    expect(lines.join('')).toMatch(/"path":"[^"]*:token/);
    expect(lines.join('')).not.toContain(TOKEN);
  });

  it('contain the ids of what is not secret, and no query', () => {
    expect(loggedPath('/approvals/open/01989a?x=1', '/approvals/open/:id')).toBe('/approvals/open/01989a');
    expect(loggedPath('/keys/approvals/01989a', '/keys/approvals/:id')).toBe('/keys/approvals/01989a');
    expect(loggedPath('/nothing/%zz', undefined)).toBe('/nothing/%zz');
  });
});
