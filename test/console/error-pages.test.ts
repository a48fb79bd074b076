import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('errors on pages for users', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const visit = (path: string, accept: string, method = 'GET') =>
    server.call(method, path, { key: null, headers: { accept } });

  it.each([
    '/console/nope',
    '/auth/nope',
    '/v1/auth/nope',
    '/auth/oauth/nope',
    '/approvals/a/b/c/%zz',
    '/console/mailbox/x',
  ])(
    'are a page with the request id for a browser, and JSON for everyone else: %s',
    { tags: ['console.error-pages'] },
    async (path) => {
      const { status, headers, body } = await visit(path, BROWSER);
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'self'; /);
      expect(headers.get('content-security-policy')).not.toContain('script');
      expect(body).toContain('<h1>Not found</h1>');
      expect(body).toContain(headers.get('x-request-id'));
      expect(body).not.toContain('<script');
      for (const accept of ['*/*', 'application/json', 'application/json, text/html', 'text/html;q=0.5, */*']) {
        expectProblem(await visit(path, accept), 404, 'not_found');
      }
    },
  );

  it('escape what the address contains', { tags: ['console.error-pages'] }, async () => {
    const { body } = await visit('/console/<script>alert(1)</script>"', BROWSER);
    expect(body).not.toContain('<script');
  });

  it('keep the headers of the error', { tags: ['console.error-pages'] }, async () => {
    const refused = await visit('/auth/sign-in', BROWSER, 'DELETE');
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, POST, HEAD']);
    expect(refused.body).toContain('<h1>This page cannot do that</h1>');
    const foreign = await server.call('POST', '/auth/sign-out', {
      ...{ key: null, headers: { accept: BROWSER, origin: 'https://evil.example' } },
    });
    expect([foreign.status, foreign.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
  });

  it('are JSON at other paths, whatever the client prefers', { tags: ['console.error-pages'] }, async () => {
    expectProblem(await visit('/nope', BROWSER), 404, 'not_found');
    expectProblem(await visit('/consoles', BROWSER), 404, 'not_found');
    expectProblem(await visit('/emails', BROWSER), 401, 'missing_key');
    // An operation of the API, beside the pages.
    expectProblem(await visit('/auth/sessions', BROWSER), 401, 'session_required');
  });

  it('are a page when the server fails, with no details of the failure', {
    tags: ['console.error-pages'],
  }, async () => {
    const own = await startTestApp();
    await own.database.sql`ALTER TABLE sessions RENAME TO sessions_away`;
    const headers = { accept: BROWSER, cookie: `session=prs_${'A'.repeat(43)}` };
    const failed = await own.call('GET', '/console', { key: null, headers });
    expect([failed.status, failed.headers.get('content-type')]).toEqual([500, 'text/html; charset=utf-8']);
    expect(failed.body).toContain('<h1>Something went wrong</h1>');
    expect(failed.body).toContain(failed.headers.get('x-request-id'));
    expect(failed.body).not.toContain('sessions');
    expectProblem(
      await own.call('GET', '/console', { key: null, headers: { ...headers, accept: '*/*' } }),
      500,
      'internal',
    );
    await own.close();
  });
});
