import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { unzipSync } from 'fflate';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { readMcpManifest } from '../../tools/generate/set-up.ts';
import { ROOT, runProgram } from '../../tools/run-program.ts';
import { COMPILE_CACHE } from '../harness/compile-cache.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const userField = z.strictObject({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.string().min(1),
  description: z.string().min(1),
  required: z.boolean().optional(),
  sensitive: z.boolean().optional(),
  default: z.string().optional(),
});

/** Version 0.3 of the format of manifest.json, as far as our file uses it. `pnpm test:agents` validates it with the format's own program. */
const manifestSchema = z.strictObject({
  manifest_version: z.literal('0.3'),
  name: z.string().regex(/^[a-z0-9-]+$/),
  display_name: z.string(),
  version: z.string(),
  description: z.string(),
  long_description: z.string(),
  author: z.strictObject({ name: z.string() }),
  icon: z.string(),
  server: z.strictObject({
    type: z.literal('node'),
    entry_point: z.string(),
    mcp_config: z.strictObject({
      command: z.literal('node'),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
  tools: z.array(z.strictObject({ name: z.string(), description: z.string() })),
  tools_generated: z.literal(true),
  prompts_generated: z.literal(true),
  keywords: z.array(z.string()),
  license: z.string(),
  compatibility: z.strictObject({
    platforms: z.array(z.enum(['darwin', 'linux', 'win32'])),
    runtimes: z.strictObject({ node: z.string() }),
  }),
  user_config: z.record(z.string(), userField),
});

let place: string;
let server: TestApp;
let bytes: Buffer;

beforeAll(async () => {
  // A client may install it where the path has a space.
  place = await mkdtemp(path.join(tmpdir(), 'postrider mcpb-'));
  server = await startTestApp();
  bytes = await build('first.mcpb');
});
afterAll(async () => {
  await server.close();
  await rm(place, { recursive: true });
});

it('is a small file, and the same one each time', async () => {
  expect(bytes.length).toBeLessThan(400_000);
  expect((await build('second.mcpb')).equals(bytes)).toBe(true);
});

it('has a manifest of the current format with the version of the package, and everything that it names', async () => {
  const files = unzipSync(bytes);
  const manifest = manifestSchema.parse(JSON.parse(text(files['manifest.json'])));
  const { version } = await readMcpManifest(ROOT);
  expect(manifest.version).toBe(version);
  expect(Object.keys(files)).toEqual(expect.arrayContaining([manifest.icon, manifest.server.entry_point]));
  expect(manifest.user_config).toMatchObject({
    base_url: { required: true },
    api_key: { required: true, sensitive: true },
  });
  // Nothing of the machine that built it, and the licenses of what is in it.
  expect(text(files[manifest.server.entry_point])).not.toContain(ROOT);
  expect(text(files['NOTICES.txt'])).toMatch(/^zod \d/m);
});

it('runs as a client starts it, and sends with the key that the user entered', async () => {
  const folder = path.join(place, 'installed');
  for (const [name, content] of Object.entries(unzipSync(bytes))) {
    await mkdir(path.dirname(path.join(folder, name)), { recursive: true });
    await writeFile(path.join(folder, name), content);
  }
  const manifest = manifestSchema.parse(JSON.parse(await readFile(path.join(folder, 'manifest.json'), 'utf8')));
  const values = { base_url: server.baseUrl, api_key: server.key };
  const { args, env } = manifest.server.mcp_config;
  const filled = (template: string) => fillIn(template, folder, values);
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: args.map(filled),
    env: { ...COMPILE_CACHE, ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)])) },
    cwd: place,
    stderr: 'inherit',
  });
  const client = new Client({ name: 'test', version: '0' });
  await client.connect(transport);
  expect(client.getServerVersion()).toMatchObject({ name: 'postrider', version: manifest.version });
  const listed = (await client.listTools()).tools.map(({ name }) => name);
  expect(listed).toEqual(manifest.tools.map(({ name }) => name));
  const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'From a bundle', text: 'Hi' };
  const { structuredContent } = await client.callTool({ name: 'send_email', arguments: mail });
  await client.close();
  const { id } = z.object({ id: z.string() }).parse(structuredContent);
  expect((await server.settled(id)).body).toMatchObject({ subject: 'From a bundle', channel: 'mcp' });
});

async function build(name: string): Promise<Buffer> {
  const file = path.join(place, name);
  const { ok, output } = runProgram(process.execPath, ['tools/mcpb/main.ts', file]);
  expect(ok, output).toBe(true);
  return await readFile(file);
}

/** What a client does with a value of `mcp_config`. A name that it does not know stays. */
function fillIn(template: string, folder: string, values: Readonly<Record<string, string>>): string {
  return template
    .replaceAll(/\$\{user_config\.(\w+)\}/g, (whole, name: string) => values[name] ?? whole)
    .replaceAll(/\$\{__dirname\}/g, () => folder);
}

function text(content: Uint8Array | undefined): string {
  return Buffer.from(content ?? []).toString();
}
