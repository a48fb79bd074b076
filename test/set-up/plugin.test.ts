import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ERRORS, MESSAGE_STATUSES } from '@postrider/core';
import { TOOLS } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PLUGIN_FOLDER, readMcpManifest } from '../../tools/generate/set-up.ts';
import { ROOT } from '../../tools/run-program.ts';
import { createProgram } from '../harness/oauth-program.ts';
import { signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const FOLDER = path.join(ROOT, PLUGIN_FOLDER);
const kebabCase = z
  .string()
  .max(64)
  .regex(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
const version = z.string().regex(/^\d+\.\d+\.\d+$/);
const author = z.strictObject({ name: z.string().min(1) });

const setting = z.strictObject({
  type: z.literal('string'),
  title: z.string().min(1),
  description: z.string().min(1),
  default: z.string().optional(),
  required: z.boolean(),
  sensitive: z.boolean().optional(),
});

const pluginSchema = z.strictObject({
  name: kebabCase,
  version,
  description: z.string().min(1),
  author,
  license: z.string(),
  keywords: z.array(z.string()),
  userConfig: z.record(z.string().regex(/^[A-Za-z_]\w*$/), setting),
});

const serversSchema = z.strictObject({
  mcpServers: z.record(
    kebabCase,
    // With headers, the client would not sign in.
    z.strictObject({ type: z.literal('http'), url: z.string() }),
  ),
});

const marketplaceSchema = z.strictObject({
  name: kebabCase,
  owner: author,
  metadata: z.strictObject({ description: z.string(), version }),
  plugins: z.array(z.strictObject({ name: kebabCase, source: z.string(), description: z.string(), version })),
});

/** The fields of the Agent Skills specification, with its limits. */
const frontmatterSchema = z.strictObject({
  name: kebabCase,
  description: z.string().min(1).max(1_024),
  license: z.string().optional(),
});

const plugin = pluginSchema.parse(readJson('.claude-plugin/plugin.json'));
const servers = serversSchema.parse(readJson('.mcp.json'));

describe('the plugin', () => {
  it('has the version of the package, and is in the list that the repository offers', async () => {
    expect(plugin.version).toBe((await readMcpManifest(ROOT)).version);
    const file = path.join(ROOT, '.claude-plugin/marketplace.json');
    const { plugins } = marketplaceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    expect(plugins).toMatchObject([{ name: plugin.name, version: plugin.version }]);
    for (const { source } of plugins) expect(path.join(ROOT, source)).toBe(FOLDER);
  });

  it('asks for the address alone: the user signs in, so there is no key', () => {
    expect(Object.keys(plugin.userConfig)).toEqual(['base_url']);
  });

  it('has nothing in the folder of the manifest but the manifest, because clients look for the rest beside it', () => {
    expect(readdirSync(path.join(FOLDER, '.claude-plugin'))).toEqual(['plugin.json']);
  });
});

describe('the server of the plugin', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('is reached with what the user entered, after a sign-in', async () => {
    const { url = '' } = servers.mcpServers['postrider'] ?? {};
    const address = fillIn(url, { base_url: server.baseUrl });
    const refused = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(refused.headers.get('www-authenticate') ?? '') ?? [];
    expect(await (await fetch(metadata)).json()).toMatchObject({ resource: address });
    const program = await createProgram(server);
    const { access } = await program.signIn(await signInAs(server, 'owner@sandbox.test'));
    const requestInit = { headers: { authorization: `Bearer ${access}` } };
    const client = new Client({ name: 'test', version: '0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(
      expect.arrayContaining([...toolsInTable()]),
    );
    await client.close();
  });
});

const skills = readdirSync(path.join(FOLDER, 'skills'));

describe.each(skills)('the skill %s', (name) => {
  const { frontmatter, body } = readSkill(name);

  it('has a frontmatter within the limits, with the name of its folder', () => {
    expect(frontmatterSchema.parse(frontmatter).name).toBe(name);
  });

  it('is short enough to be read whole', () => {
    expect(body.split('\n').length).toBeLessThan(150);
    // Four bytes a token: under the 5,000 tokens that the specification recommends, by far.
    expect(Buffer.byteLength(body)).toBeLessThan(8_000);
  });

  it('names only tools that exist, all in its table', () => {
    const known = new Set(TOOLS.map(({ definition }) => definition.name));
    const named = [...body.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, word = '']) => word);
    const others = new Set<string>([...Object.keys(ERRORS), ...Object.keys(MESSAGE_STATUSES), 'idempotency_key']);
    expect(named.filter((word) => !known.has(word) && !others.has(word))).toEqual([]);
    const tools = new Set(named.filter((word) => known.has(word)));
    expect([...tools].sort()).toEqual([...toolsInTable()].sort());
  });

  it('says of each tool the scope and the effect that the registry says', () => {
    const effects = { read: 'no', send: 'sends' } as const;
    const expected = toolsInTable().map((tool) => {
      const found = TOOLS.find(({ definition }) => definition.name === tool);
      if (found === undefined) return `${tool} does not exist`;
      const effect =
        found.operation.effect === 'read' || found.operation.effect === 'send' ? found.operation.effect : null;
      const scope = found.scope === null ? 'any key' : `\`${found.scope}\``;
      return `| \`${tool}\` | ${scope} | ${effect === null ? 'changes' : effects[effect]} |`;
    });
    expect(tableRows()).toEqual(expected);
  });

  it('names only statuses and links that exist', () => {
    const statuses = new Set(Object.keys(MESSAGE_STATUSES));
    const told = ['queued', 'sent', 'delivered', 'rejected', 'expired', 'canceled', 'failed', 'pending_approval'];
    expect(told.filter((status) => !statuses.has(status) || !body.includes(`\`${status}\``))).toEqual([]);
    const links = [...body.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    expect(links.filter((target) => !existsSync(path.join(FOLDER, 'skills', name, target)))).toEqual([]);
  });
});

function readJson(file: string): unknown {
  return JSON.parse(readFileSync(path.join(FOLDER, file), 'utf8'));
}

function readSkill(name: string): { readonly frontmatter: unknown; readonly body: string } {
  const text = readFileSync(path.join(FOLDER, 'skills', name, 'SKILL.md'), 'utf8');
  const [, frontmatter = '', body = ''] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  return { frontmatter: parse(frontmatter), body };
}

function tableRows(): readonly string[] {
  const [, table = ''] = readSkill('sending-email').body.split('## The tools');
  return table.split('\n').filter((line) => line.startsWith('| `'));
}

function toolsInTable(): readonly string[] {
  return tableRows().map((row) => /`(\w+)`/.exec(row)?.[1] ?? '');
}

function fillIn(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\$\{user_config\.(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}
