import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SEND = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Over stdio', text: 'Hi' };

describe('postrider-mcp', () => {
  let server: TestApp;
  let directory: string;
  beforeAll(async () => {
    server = await startTestApp();
    directory = await mkdtemp(path.join(tmpdir(), 'postrider-stdio-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(directory, { recursive: true });
  });

  /** Runs the binary in the directory with nothing in its environment but what is given, and makes one call. */
  async function callTool(name: string, given: Record<string, unknown>, env: Record<string, string>) {
    const { default: manifest } = await import(path.join(ROOT, 'packages/mcp/package.json'), {
      with: { type: 'json' },
    });
    const entry = path.join(ROOT, 'packages/mcp', manifest.bin['postrider-mcp']);
    const client = new Client({ name: 'test', version: '0.0.0' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: [entry], cwd: directory, env, stderr: 'ignore' }),
    );
    try {
      return await client.callTool({ name, arguments: given });
    } finally {
      await client.close();
    }
  }

  const idOf = ({ structuredContent }: Awaited<ReturnType<typeof callTool>>) =>
    String((structuredContent as { id?: unknown }).id); // Tools return an object.

  it('reads key and server from the environment, and sends over the channel mcp', {
    tags: ['contract-running.stdio-binary', 'contract-surfaces.stdio-environment', 'contract-sending.channel-stdio'],
  }, async () => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    const id = idOf(await callTool('send_email', SEND, env));
    expect((await server.settled(id)).body).toMatchObject({
      status: 'delivered',
      channel: 'mcp',
      source: 'agent',
      subject: 'Over stdio',
    });
  });

  it('reads them from the profile when the environment has neither', {
    tags: ['contract-surfaces.stdio-environment'],
  }, async () => {
    await mkdir(path.join(directory, '.postrider'));
    const profile = { key: server.key, baseUrl: server.baseUrl };
    await writeFile(path.join(directory, '.postrider/quickstart.json'), JSON.stringify(profile));
    const id = idOf(await callTool('send_email', { ...SEND, source: 'system' }, {}));
    expect((await server.settled(id)).body).toMatchObject({ channel: 'mcp', source: 'system' });
  });
});
