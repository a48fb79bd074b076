import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { findOperation } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { readMcpManifest } from '../../tools/generate/set-up.ts';
import { ROOT } from '../../tools/run-program.ts';
import { startTestApp } from '../harness/test-app.ts';
import { fillIn, serverJsonSchema } from './server-schema.ts';

const file: unknown = JSON.parse(readFileSync(path.join(ROOT, 'server.json'), 'utf8'));

describe('server.json', () => {
  it('has the form of the current schema', () => {
    expect(serverJsonSchema.safeParse(file).error).toBeUndefined();
  });

  it('names the version and the package that are published, and the name that the package claims', async () => {
    const { packages, version, name, icons } = serverJsonSchema.parse(file);
    const manifest = await readMcpManifest(ROOT);
    expect([name, version]).toEqual([manifest.mcpName, manifest.version]);
    expect(packages).toMatchObject([{ identifier: manifest.name, version: manifest.version }]);
    const [icon] = icons;
    const [, inPackage = ''] = icon?.src.split(`${manifest.name}@${manifest.version}/`) ?? [];
    expect(existsSync(path.join(ROOT, 'packages/mcp', inPackage))).toBe(true);
  });

  it('leads a client to an installation', async () => {
    const { remotes } = serverJsonSchema.parse(file);
    const [remote] = remotes;
    await using server = await startOpenApp();
    const { host } = new URL(server.baseUrl);
    const url = fillIn(remote?.url ?? '', { host });
    expect(new URL(url).pathname).toBe(findOperation('service.mcp').path);
    // Clients that sign in leave it out, and others need it.
    expect(remote?.headers).toMatchObject([{ name: 'Authorization', isRequired: false, isSecret: true }]);
    const headers = Object.fromEntries(
      (remote?.headers ?? []).map(({ name, value = '' }) => [name, fillIn(value, { api_key: server.key })]),
    );
    const client = new Client({ name: 'test', version: '0' });
    // The server of the test has no certificate.
    const reachable = new URL(url.replace('https:', 'http:'));
    await client.connect(new StreamableHTTPClientTransport(reachable, { requestInit: { headers } }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('send_email');
    await client.close();
  });
});

async function startOpenApp() {
  const server = await startTestApp();
  return { ...server, [Symbol.asyncDispose]: () => server.close() };
}
