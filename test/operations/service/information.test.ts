import { readFileSync } from 'node:fs';
import { OPERATIONS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('the service information', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const read = (path: string) => server.call('GET', path, { key: null });

  it('GET / is the service information document, a JSON object', {
    tags: ['root.path', 'root.service', 'root.status', 'root.docs', 'root.note'],
  }, async () => {
    const { status, headers, body } = await read('/');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      service: 'Postrider',
      status: 'ok',
      docs: `${server.baseUrl}/reference`,
      endpoints: expect.any(Object),
      note: expect.stringContaining('x-request-id'),
    });
    expect((await read(new URL(body.docs).pathname)).status).toBe(200);
  });

  it('GET / maps a purpose to the method and path of each endpoint, and all of them exist', {
    tags: ['root.endpoints'],
  }, async () => {
    const { endpoints } = (await read('/')).body;
    const listed = Object.values<string>(endpoints);
    for (const { method, path } of OPERATIONS) expect(listed).toContain(`${method} ${path}`);
    for (const [purpose, endpoint] of Object.entries<string>(endpoints)) {
      expect(purpose).toMatch(/^[a-z][A-Za-z]+$/);
      const [method = '', path = ''] = endpoint.split(' ');
      const { status } = await server.call(method, path.replace(':id', 'x'), { key: null });
      const operation = OPERATIONS.find((each) => each.method === method && each.path === path);
      expect(statusesOf(operation), endpoint).toContain(status);
    }
  });

  it('GET /openapi.json and /openapi.yaml are one document, of this server and version', {
    tags: ['contract-surfaces.openapi', 'contract-shape.openapi-unprefixed'],
  }, async () => {
    const json = await read('/openapi.json');
    const yaml = await read('/openapi.yaml');
    expect([json.status, yaml.status]).toEqual([200, 200]);
    expect(json.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(yaml.headers.get('content-type')).toBe('application/yaml; charset=utf-8');
    expect(parse(yaml.body)).toEqual(json.body);
    expect(json.body.servers).toEqual([{ url: server.baseUrl }]);
    const { version } = JSON.parse(readFileSync('packages/server/package.json', 'utf8')) as { version: string };
    expect(json.body.info.version).toBe(version);
    expect(Object.keys(json.body.paths)).toContain('/emails');
    expect(Object.keys(json.body.paths).some((path) => path.startsWith('/v1'))).toBe(false);
  });

  it('GET /reference is a page with its own files and no others’', {
    tags: ['contract-surfaces.reference'],
  }, async () => {
    const { status, headers, body } = await read('/reference');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    const files = [...body.matchAll(/(?:src|href)="(\/[^"#]+)"/g)].map((match: RegExpMatchArray) => match[1] ?? '');
    expect(files.length).toBeGreaterThan(3);
    for (const file of files) expect((await read(file)).status, file).toBe(200);
    expect(body).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
  });
});

/** What an operation returns to an unknown caller who sends nothing. */
function statusesOf(operation: (typeof OPERATIONS)[number] | undefined): readonly number[] {
  if (operation === undefined || operation.access.kind !== 'public') return [200, 401];
  // The free tools and signing in report the missing body, and there is no provider `:provider`.
  if ('body' in operation && operation.body !== undefined) {
    return [operation.body.safeParse(undefined).success ? operation.status : 422];
  }
  if (operation.path.includes(':')) return [404];
  // A page sends anyone who is not signed in to where that is done; leaving says nothing.
  const others: Readonly<Record<string, number>> = { 'auth.device-page': 303, 'auth.logout': 204 };
  return [others[operation.id] ?? 200];
}
