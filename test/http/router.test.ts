import { OPERATIONS, servedMethods } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'] as const;
const PATHS: readonly string[] = [...new Set(OPERATIONS.map(({ path }) => path))];

describe('the router', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('serves exactly the operations that the OpenAPI document publishes, unprefixed and under /v1', {
    tags: ['contract-shape.v1', 'versioning.both-forms'],
  }, async () => {
    const { body: document } = await server.call('GET', '/openapi.json', { key: null });
    const published = Object.entries<object>(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => !method.startsWith('x-'))
        .map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
    );
    expect(published.sort()).toEqual(OPERATIONS.map(({ method, path }) => `${method} ${path}`).sort());
    for (const { method, path } of OPERATIONS) {
      for (const url of [path, `/v1${path === '/' ? '' : path}`]) {
        expect(server.app.http?.hasRoute({ method, url }), `${method} ${url}`).toBe(true);
      }
    }
    const others = routesOf(server).filter((path) => !PATHS.includes(path.replace(/^\/v1(?=\/|$)/, '') || '/'));
    const pages =
      /^(\/v1)?\/(llms\.txt|favicon\.ico|\.well-known\/(postrider-receipts\.json|oauth-authorization-server|oauth-protected-resource)|oauth\/(authorize|token|register|revoke|consent)|reference|assets|dev|console|t|u|approvals|auth\/(sign-in|sign-out|passkeys|magic-link\/:token|oauth\/:provider\/callback|device\/(code|decision)))(\/|$)/;
    expect(others.filter((path) => !pages.test(path))).toEqual([]);
  });

  it.each(OPERATIONS.map(({ id, method, path }) => [id, method, path] as const))(
    'serves %s the same under both paths',
    { tags: ['contract-shape.v1', 'versioning.prefix'] },
    async (_, method, path) => {
      // A stream of events has no end to wait for: it is asked for what it refuses.
      const url = path.replace(':id', '01936a2e-0000-7000-8000-000000000000').replace('/stream', '/stream?events=none');
      const [plain, prefixed] = await Promise.all([
        server.call(method, url, { headers: { 'x-request-id': 'same' } }),
        server.call(method, url === '/' ? '/v1' : `/v1${url}`, { headers: { 'x-request-id': 'same' } }),
      ]);
      expect(prefixed.status).toBe(plain.status);
      expect(withoutTimes(prefixed.body)).toEqual(withoutTimes(plain.body));
      expect(prefixed.headers.get('content-type')).toBe(plain.headers.get('content-type'));
    },
  );

  it.each(PATHS.flatMap((path) => METHODS.map((method) => [method, path] as const)))(
    '%s %s is served, or is 405 with the methods that are',
    { tags: ['contract-errors.405'] },
    async (method, path) => {
      const declared = servedMethods(OPERATIONS, path);
      if (declared.some((name) => name === method)) return;
      const allowed = declared.includes('GET') ? [...declared, 'HEAD'] : declared;
      for (const prefix of ['', '/v1']) {
        const url = `${prefix}${path.replace(':id', 'x')}`.replace(/^\/v1\/$/, '/v1');
        const response = await server.call(method, url, { key: null });
        expectProblem(response, 405, 'method_not_allowed');
        expect(response.headers.get('allow')).toBe(allowed.join(', '));
      }
    },
  );

  it('finds the path of a 405 as it finds one to serve, and no path longer than any parameter', async () => {
    const allowed = async (path: string) => {
      const response = await server.call('PUT', path, {
        key: null,
        headers: { 'content-type': 'text/plain' },
        rawBody: 'x',
      });
      return [response.status, response.headers.get('allow')];
    };
    expect(await allowed('/emails/batch')).toEqual([405, 'POST']);
    expect(await allowed('/%65mails/batch?x=1')).toEqual([405, 'POST']);
    expect(await allowed('/emails/export')).toEqual([405, 'GET, HEAD']);
    expect((await allowed('/emails/x'))[0]).toBe(405);
    expect(await allowed(`/emails/${'x'.repeat(501)}`)).toEqual([404, null]);
    expect((await server.call('DELETE', '/emails/export')).body.code).toBe('method_not_allowed');
  });

  it('responds to HEAD as to GET without a body, under the same rules', async () => {
    const alive = await server.call('HEAD', '/health', { key: null });
    expect([alive.status, alive.body]).toEqual([200, '']);
    expect((await server.call('HEAD', '/emails')).status).toBe(200);
    expect((await server.call('HEAD', '/emails', { key: null })).status).toBe(401);
    expect((await server.call('HEAD', '/emails?limit=0')).status).toBe(422);
  });

  it('serves the root under its prefix with and without a trailing slash', {
    tags: ['contract-shape.v1'],
  }, async () => {
    const plain = await server.call('GET', '/', { key: null });
    for (const url of ['/v1', '/v1/']) {
      const prefixed = await server.call('GET', url, { key: null });
      expect([prefixed.status, prefixed.body]).toEqual([200, plain.body]);
      expectProblem(await server.call('POST', url, { body: {} }), 405, 'method_not_allowed');
    }
  });

  it.each(['/nothing', '/v2/emails', '/v1/nothing', '/Emails', '//emails', '/emails/x/y', '/v1/v1/emails'])(
    'has nothing at %s',
    { tags: ['contract-errors.404'] },
    async (path) => {
      expectProblem(await server.call('GET', path), 404, 'not_found');
      expectProblem(await server.call('POST', path, { body: {} }), 404, 'not_found');
    },
  );

  it('responds to impossible paths with 404', { tags: ['contract-errors.404'] }, async () => {
    expectProblem(await server.call('GET', '/emails/%ff'), 404, 'not_found');
    expectProblem(await server.call('GET', '/emails/%zz'), 404, 'not_found');
    expectProblem(await server.call('GET', `/emails/${'x'.repeat(2_000)}`), 404, 'not_found');
    expectProblem(await server.call('GET', '/emails/'), 404, 'not_found');
  });

  it.each([
    ['GET', '/emails/', 'To call `GET /emails`, remove the slash at the end of the path.'],
    ['POST', '/emails/', 'To call `POST /emails`, remove the slash at the end of the path.'],
    ['POST', '/v1/emails/', 'To call `POST /emails`, remove the slash at the end of the path.'],
    ['DELETE', '/suppressions/', 'Add the id: `DELETE /suppressions/:id`.'],
    ['POST', '/keys//rotate', 'Add the id: `POST /keys/:id/rotate`.'],
    ['GET', '/account/', 'Remove the slash at the end of the path: `GET /account`.'],
    ['GET', '/domains/x/records/', 'Remove the slash at the end of the path: `GET /domains/x/records`.'],
    ['POST', '/tools/utm//', 'Remove the slash at the end of the path: `POST /tools/utm`.'],
    ['PUT', '/emails/', 'Remove the slash at the end of the path: `PUT /emails`.'],
    ['GET', '/nothing/', 'Check the path and the id.'],
  ])('says which path was meant by %s %s', { tags: ['contract-errors.404'] }, async (method, path, fix) => {
    const response = await server.call(method, path);
    expectProblem(response, 404, 'not_found');
    expect(response.body.fix).toContain(fix);
  });

  it('rejects an empty parameter in every path', async () => {
    for (const { method, path } of OPERATIONS.filter(({ path }) => path.includes('/:'))) {
      const response = await server.call(method, path.replace(/:\w+/g, ''));
      expectProblem(response, 404, 'not_found');
      expect(response.body.detail, `${method} ${path}`).toMatch(/empty|nothing at/);
    }
  });

  it('forbids sniffing and caching of its responses', async () => {
    for (const response of [await server.call('GET', '/emails'), await server.call('GET', '/nothing')]) {
      expect(response.headers.get('x-content-type-options')).toBe('nosniff');
      expect(response.headers.get('cache-control')).toBe('no-store');
    }
  });

  it('lets no other origin read its responses', async () => {
    const response = await server.call('GET', '/emails', { headers: { origin: 'https://evil.example' } });
    expect([...response.headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });
});

/** The paths of all routes, taken from the framework's own tree. */
function routesOf({ app }: TestApp): string[] {
  const tree = app.http?.printRoutes({ commonPrefix: false }) ?? '';
  const parents: string[] = [];
  return tree.split('\n').flatMap((line) => {
    const match = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \(([A-Z, -]+)\))?$/.exec(line);
    if (match === null) return [];
    const depth = (match[1]?.length ?? 0) / 4;
    const path = `${depth === 0 ? '' : parents[depth - 1]}${match[2]}`;
    parents[depth] = path;
    return match[3] === undefined ? [] : [path];
  });
}

/** What two calls one after the other response alike: no times, no new ids, and of the growing log of requests only its form. */
function withoutTimes(body: unknown): unknown {
  const isRequestLog = typeof body === 'object' && body !== null && 'requests' in body;
  const text = JSON.stringify(isRequestLog ? Object.keys(body) : body);
  return JSON.parse(
    text.replaceAll(
      /"(durationMs":\d+|id":"[0-9a-f-]{36}"|deviceCode":"[^"]+"|userCode":"[^"]+"|verificationUrl":"[^"]+"|createdAt":"[^"]+"|lastUsedAt":("[^"]+"|null))/g,
      '"x":0',
    ),
  );
}
