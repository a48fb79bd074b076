import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MCP_CLIENTS } from '../../packages/cli/src/mcp-clients/mcp-clients.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { startScriptedServer } from '../sdk/scripted-server.ts';
import { KEY, runInProcess } from './run-in-process.ts';

const EVERY_CLIENT = MCP_CLIENTS.flatMap(({ name }) => ['--client', name]);

describe('postrider mcp install', () => {
  let server: TestApp;
  let home: string;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-home-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const run = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
    runInProcess(['mcp', ...argv], { cwd: home, env: { HOME: home, POSTRIDER_BASE_URL: server.baseUrl, ...env } });
  const install = async (argv: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { code, stdout, stderr } = await run(['install', '--json', ...argv], env);
    return {
      code,
      clients: stdout === '' ? [] : JSON.parse(stdout).clients,
      error: stderr === '' ? null : JSON.parse(stderr),
    };
  };

  it('writes the address of the server in the format of each client, and no key', {
    tags: ['agent-sign-in.set-up'],
  }, async () => {
    const { code, clients } = await install(EVERY_CLIENT);
    // Claude Desktop needs a key, and there is none.
    expect(code).toBe(6);
    const url = `${server.baseUrl}/mcp`;
    const shapes: Record<string, unknown> = {};
    for (const { client, path, signsIn } of clients) {
      if (!signsIn) continue;
      const text = await readFile(path, 'utf8');
      expect(text).not.toMatch(/pr_live_|Authorization/);
      shapes[client] = path.endsWith('.toml') ? text : JSON.parse(text);
    }
    const typed = { type: 'http', url };
    expect(shapes).toEqual({
      'claude-code': { mcpServers: { postrider: typed } },
      cursor: { mcpServers: { postrider: { url } } },
      vscode: { servers: { postrider: typed } },
      windsurf: { mcpServers: { postrider: { serverUrl: url } } },
      codex: `[mcp_servers.postrider]\nurl = "${url}"\n`,
      gemini: { mcpServers: { postrider: { httpUrl: url } } },
      zed: { context_servers: { postrider: { url } } },
    });
  });

  it('says what the user does next', async () => {
    const { stdout, stderr } = await run([
      'install',
      '--no-json',
      '--client',
      'claude-code',
      'codex',
      '--name',
      'mail',
    ]);
    expect(stdout.split('\n')).toEqual([
      `Claude Code: added to ${join(home, '.claude.json')}`,
      '  Run claude mcp login mail, or open Claude Code and choose mail in /mcp.',
      `Codex: added to ${join(home, '.codex/config.toml')}`,
      '  Run codex mcp login mail.',
      '',
    ]);
    expect(stderr).toContain('every message waits for your approval');
  });

  it('sets up Claude Desktop with a key, which it needs, and says why', async () => {
    const argv = ['install', '--no-json', '--client', 'claude-desktop', 'cursor'];
    const without = await run(argv);
    expect(without.code).toBe(6);
    expect(without.stdout).toMatch(/Claude Desktop: .* was not changed: it cannot sign in .* pass --api-key\./);
    const { code, stdout } = await run(argv, { POSTRIDER_API_KEY: KEY });
    expect(code).toBe(0);
    expect(stdout).toMatch(/Claude Desktop: added to .* with a key, because it cannot sign in by its settings/);
    const [path = ''] = /\S*claude_desktop_config\.json/.exec(stdout) ?? [];
    expect(await readFile(path, 'utf8')).toContain(KEY);
    // The key in the environment may be the user's own.
    expect(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).not.toContain(KEY);
  });

  it('writes a key that is passed, and replaces it by a sign-in and back', async () => {
    const read = async () => JSON.parse(await readFile(join(home, '.claude.json'), 'utf8')).mcpServers.postrider;
    const withKey = ['--client', 'claude-code', '--api-key', KEY];
    expect((await install(withKey)).clients).toMatchObject([{ status: 'installed', signsIn: false, next: null }]);
    expect(await read()).toMatchObject({ type: 'stdio', env: { POSTRIDER_API_KEY: KEY } });
    expect((await install(['--client', 'claude-code'])).clients).toMatchObject([
      { status: 'installed', signsIn: true },
    ]);
    expect(await read()).toEqual({ type: 'http', url: `${server.baseUrl}/mcp` });
    expect((await install(['--client', 'claude-code'])).clients).toMatchObject([
      { status: 'unchanged', signsIn: true },
    ]);
    await install(withKey);
    expect(await read()).not.toHaveProperty('url');
  });

  it('removes both kinds', async () => {
    await install([...EVERY_CLIENT, '--name', 'signed-in']);
    await install([...EVERY_CLIENT, '--name', 'keyed', '--api-key', KEY]);
    for (const name of ['signed-in', 'keyed']) expect((await run(['uninstall', '--name', name])).code).toBe(0);
    for (const { path } of (await install(EVERY_CLIENT)).clients) {
      expect(await readFile(path, 'utf8').catch(() => '')).not.toMatch(/signed-in|keyed/);
    }
  });

  it('passes toolsets and read-only mode on, at an address where the client finds out how to sign in', async () => {
    await install(['--client', 'cursor', '--toolsets', 'templates,domains', '--readonly']);
    const { url } = JSON.parse(await readFile(join(home, '.cursor/mcp.json'), 'utf8')).mcpServers.postrider;
    expect(url).toBe(`${server.baseUrl}/mcp?toolsets=templates,domains&readonly=true`);
    const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toContain(
      `${server.baseUrl}/.well-known/oauth-protected-resource`,
    );
  });

  it('prints the entry and what to do next with --print', async () => {
    const { clients } = await install(['--client', 'zed', '--print']);
    expect(clients).toMatchObject([{ client: 'zed', next: expect.stringContaining('authenticate postrider') }]);
    expect(JSON.parse(clients[0].content)).toEqual({
      context_servers: { postrider: { url: `${server.baseUrl}/mcp` } },
    });
    expect(await readdir(home)).toEqual([]);
  });

  it('writes nothing if the server cannot be reached, and names the ways out', async () => {
    const unreachable = await install(['--client', 'cursor'], { POSTRIDER_BASE_URL: 'http://127.0.0.1:1' });
    expect([unreachable.code, unreachable.error.fix]).toEqual([8, expect.stringContaining('pass --key')]);
    expect(await readdir(home)).toEqual([]);
  });

  it('writes nothing if the server has no sign-in for programs, or goes by another address', async () => {
    await using older = await startScriptedServer([{ status: 404, body: { code: 'not_found' } }]);
    const none = await install(['--client', 'cursor'], { POSTRIDER_BASE_URL: older.baseUrl });
    expect([none.code, none.error.code]).toEqual([6, 'no_sign_in']);
    expect(older.received[0]?.headers).not.toHaveProperty('authorization');
    const alias = server.baseUrl.replace('127.0.0.1', 'localhost');
    const other = await install(['--client', 'cursor'], { POSTRIDER_BASE_URL: alias });
    expect([other.code, other.error.fix]).toEqual([6, expect.stringContaining(`Pass --base-url ${server.baseUrl}.`)]);
    expect(await readdir(home)).toEqual([]);
  });
});
