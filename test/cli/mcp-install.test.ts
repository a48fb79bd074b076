import { constants } from 'node:fs';
import {
  access,
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putIntoJson, removeFromJson } from '../../packages/cli/src/mcp-clients/edit-json.ts';
import { putIntoToml, removeFromToml } from '../../packages/cli/src/mcp-clients/edit-toml.ts';
import { findMcpProgram } from '../../packages/cli/src/mcp-clients/find-mcp-program.ts';
import { parseJsonWithComments } from '../../packages/cli/src/mcp-clients/json-with-comments.ts';
import { MCP_CLIENTS } from '../../packages/cli/src/mcp-clients/mcp-clients.ts';
import { ROOT } from '../../tools/run-program.ts';
import { KEY, runInProcess } from './run-in-process.ts';

/** The tests run in a clone, whose own program is what is entered. */
const PROGRAM = join(ROOT, 'node_modules/.bin/postrider-mcp');

const ENTRY = {
  command: PROGRAM,
  args: [],
  env: { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: 'https://mail.example.com' },
};

describe('postrider mcp install --key', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-home-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));

  const install = (...argv: readonly string[]) =>
    runInProcess(['mcp', 'install', '--key', '--json', ...argv], {
      cwd: home,
      env: { HOME: home, POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: 'https://mail.example.com' },
    });
  const put = async (path: string, text: string) => {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
  };
  const read = async (path: string) => await readFile(join(home, path), 'utf8');

  it('writes the file of each program in its format, for its owner only', async () => {
    const names = MCP_CLIENTS.map(({ name }) => name);
    const { code, stdout } = await install(...names.flatMap((name) => ['--client', name]));
    expect(code).toBe(0);
    const shapes: Record<string, unknown> = {};
    for (const { client, path, status } of JSON.parse(stdout).clients) {
      expect(status).toBe('installed');
      expect((await stat(path)).mode & 0o777).toBe(0o600);
      const text = await readFile(path, 'utf8');
      shapes[client] = [path.slice(home.length + 1), path.endsWith('.toml') ? text : JSON.parse(text)];
    }
    const plain = { mcpServers: { postrider: ENTRY } };
    const typed = { type: 'stdio', ...ENTRY };
    // Where programs of this platform keep application data is their own list; the shapes are the same everywhere.
    expect(shapes).toMatchObject({
      'claude-desktop': [expect.stringMatching(/Claude.claude_desktop_config\.json$/), plain],
      'claude-code': ['.claude.json', { mcpServers: { postrider: typed } }],
      cursor: ['.cursor/mcp.json', plain],
      vscode: [expect.stringMatching(/Code.User.mcp\.json$/), { servers: { postrider: typed } }],
      windsurf: ['.codeium/windsurf/mcp_config.json', plain],
      gemini: ['.gemini/settings.json', plain],
      zed: ['.config/zed/settings.json', { context_servers: { postrider: ENTRY } }],
    });
    expect(shapes['codex']).toEqual([
      '.codex/config.toml',
      [
        '[mcp_servers.postrider]',
        `command = ${JSON.stringify(PROGRAM)}`,
        'args = []',
        '',
        '[mcp_servers.postrider.env]',
        `POSTRIDER_API_KEY = "${KEY}"`,
        'POSTRIDER_BASE_URL = "https://mail.example.com"',
        '',
      ].join('\n'),
    ]);
  });

  it('finds the programs on this machine by itself, and says when there are none', async () => {
    const none = await install();
    expect([none.code, JSON.parse(none.stderr).code]).toEqual([5, 'no_client']);
    await put('.cursor/mcp.json', '{}');
    await put('.claude.json', '{}');
    const { stdout } = await install();
    expect(JSON.parse(stdout).clients.map((row: { client: string }) => row.client)).toEqual(['claude-code', 'cursor']);
  });

  it('keeps everything else in a file, including comments, and a copy of the previous content', async () => {
    const before =
      '// mine\n{\n  "theme": "dark", // at night\n  "context_servers": {\n    "other": { "command": "x" },\n  },\n}\n';
    await put('.config/zed/settings.json', before);
    const { stdout } = await install('--client', 'zed');
    const after = await read('.config/zed/settings.json');
    for (const part of ['// mine', '"theme": "dark", // at night', '"other": { "command": "x" },'])
      expect(after).toContain(part);
    expect(after).toContain('"postrider": {');
    const [{ backup }] = JSON.parse(stdout).clients;
    expect(await readFile(backup, 'utf8')).toBe(before);
    const again = await install('--client', 'zed');
    expect(JSON.parse(again.stdout).clients[0].status).toBe('unchanged');
    expect(await readdir(join(home, '.config/zed'))).toHaveLength(2);
  });

  it.each([
    ['codex', '.codex/config.toml', 'model = "x"\r\n'],
    ['cursor', '.cursor/mcp.json', '{\r\n  "mcpServers": {}\r\n}\r\n'],
  ])('keeps Windows line endings in the file of %s', async (client, file, before) => {
    await put(file, before);
    await install('--client', client);
    const after = await read(file);
    expect(after).toContain('postrider');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
  });

  it('leaves a file alone that it cannot parse, and exits as rejected', async () => {
    await put('.cursor/mcp.json', '{ "mcpServers": [ }');
    const { code, stdout } = await install('--client', 'cursor');
    expect([code, JSON.parse(stdout).clients[0].status]).toEqual([6, 'refused']);
    expect(await read('.cursor/mcp.json')).toBe('{ "mcpServers": [ }');
    expect(await readdir(join(home, '.cursor'))).toHaveLength(1);
  });

  it('keeps permissions, and keeps a symbolic link', async () => {
    await put('dotfiles/mcp.json', '{}');
    await chmod(join(home, 'dotfiles/mcp.json'), 0o640);
    await mkdir(join(home, '.cursor'));
    await symlink(join(home, 'dotfiles/mcp.json'), join(home, '.cursor/mcp.json'));
    await install('--client', 'cursor');
    expect((await lstat(join(home, '.cursor/mcp.json'))).isSymbolicLink()).toBe(true);
    expect((await stat(join(home, 'dotfiles/mcp.json'))).mode & 0o777).toBe(0o640);
    expect(await read('dotfiles/mcp.json')).toContain(KEY);
  });

  it('writes the path of a cloned repository, which npx does not know, and the package name when installed as one', async () => {
    expect(await findMcpProgram(join(ROOT, 'packages/cli/dist'))).toEqual([PROGRAM]);
    await access(PROGRAM, constants.X_OK);
    const installed = [join(ROOT, 'node_modules/@postrider/cli/dist'), home];
    for (const folder of installed) {
      expect(await findMcpProgram(folder), folder).toEqual(['npx', '-y', '@postrider/mcp']);
    }
  });

  it('prints and writes nothing with --print', async () => {
    const { stdout } = await install('--client', 'codex', 'vscode', '--print');
    const [vscode, codex] = JSON.parse(stdout).clients;
    expect(codex.content).toContain('[mcp_servers.postrider]');
    expect(JSON.parse(vscode.content).servers.postrider.type).toBe('stdio');
    expect(await readdir(home)).toEqual([]);
  });

  it('passes toolsets and read-only mode on, under a name of choice', async () => {
    await install('--client', 'cursor', '--toolsets', 'templates,domains', '--readonly', '--name', 'mail');
    const { mail } = JSON.parse(await read('.cursor/mcp.json')).mcpServers;
    expect(mail.args).toEqual(['--toolsets', 'templates,domains', '--readonly']);
    expect((await install('--client', 'cursor', '--name', 'a b')).code).toBe(2);
    expect((await install('--client', 'emacs')).code).toBe(2);
  });

  it('writes the directory of a development server instead of its key, and never a user’s sign-in', async () => {
    await put('data/quickstart.json', JSON.stringify({ baseUrl: 'http://127.0.0.1:8025', key: KEY }));
    const argv = ['mcp', 'install', '--key', '--json', '--client', 'cursor'];
    const env = { HOME: home, POSTRIDER_DATA_DIR: 'data' };
    expect((await runInProcess(argv, { cwd: home, env })).code).toBe(0);
    const { postrider } = JSON.parse(await read('.cursor/mcp.json')).mcpServers;
    expect(postrider.env).toEqual({ POSTRIDER_DATA_DIR: join(home, 'data') });
    const person = { ...env, POSTRIDER_API_KEY: `prs_${'a'.repeat(40)}` };
    const refused = await runInProcess(argv, { cwd: home, env: person });
    expect([refused.code, JSON.parse(refused.stderr).code]).toEqual([3, 'key_required']);
  });
});

describe('postrider mcp uninstall', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'postrider-home-'));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  const run = async (...argv: readonly string[]) => {
    const env = { HOME: home, POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: 'https://mail.example.com' };
    const { code, stdout } = await runInProcess(['mcp', ...argv, '--json'], { cwd: home, env });
    return { code, clients: JSON.parse(stdout).clients };
  };

  it('removes what an installation wrote, everywhere, and keeps a copy', async () => {
    const names = MCP_CLIENTS.map(({ name }) => name);
    const installed = await run('install', '--key', ...names.flatMap((name) => ['--client', name]));
    const { code, clients } = await run('uninstall');
    expect([code, clients.map(({ client }: { client: string }) => client)]).toEqual([0, names]);
    for (const { path } of installed.clients) {
      const text = await readFile(path, 'utf8');
      expect(text).not.toMatch(/postrider|pr_test_|pr_live_/);
      if (!path.endsWith('.toml')) JSON.parse(text);
    }
    for (const { backup } of clients) expect(await readFile(backup, 'utf8')).toContain('postrider');
    expect(await run('uninstall')).toEqual({ code: 0, clients: [] });
    expect((await run('uninstall', '--client', 'zed')).clients).toMatchObject([{ client: 'zed', status: 'absent' }]);
  });

  it('leaves another server, and a file that it cannot parse', async () => {
    await mkdir(join(home, '.cursor'));
    await writeFile(join(home, '.cursor/mcp.json'), '{ "mcpServers": [ }');
    expect(await run('uninstall', '--name', 'mail')).toMatchObject({ code: 6, clients: [{ status: 'refused' }] });
    expect(await readdir(join(home, '.cursor'))).toHaveLength(1);
  });
});

describe('the files of the programs', () => {
  const HOMES = { darwin: '/Users/ada', linux: '/people/ada', win32: 'C:\\Users\\ada' } as const;
  const pathsOf = (platform: keyof typeof HOMES, env: Readonly<Record<string, string>> = {}) =>
    Object.fromEntries(MCP_CLIENTS.map(({ name, path }) => [name, path({ home: HOMES[platform], platform, env })]));

  it('are those of each platform', () => {
    expect(pathsOf('darwin')).toEqual({
      'claude-desktop': '/Users/ada/Library/Application Support/Claude/claude_desktop_config.json',
      'claude-code': '/Users/ada/.claude.json',
      cursor: '/Users/ada/.cursor/mcp.json',
      vscode: '/Users/ada/Library/Application Support/Code/User/mcp.json',
      windsurf: '/Users/ada/.codeium/windsurf/mcp_config.json',
      codex: '/Users/ada/.codex/config.toml',
      gemini: '/Users/ada/.gemini/settings.json',
      zed: '/Users/ada/.config/zed/settings.json',
    });
    expect(pathsOf('linux')).toMatchObject({
      'claude-desktop': '/people/ada/.config/Claude/claude_desktop_config.json',
      vscode: '/people/ada/.config/Code/User/mcp.json',
      zed: '/people/ada/.config/zed/settings.json',
    });
    expect(pathsOf('win32')).toMatchObject({
      'claude-desktop': 'C:\\Users\\ada\\AppData\\Roaming\\Claude\\claude_desktop_config.json',
      'claude-code': 'C:\\Users\\ada\\.claude.json',
      vscode: 'C:\\Users\\ada\\AppData\\Roaming\\Code\\User\\mcp.json',
      codex: 'C:\\Users\\ada\\.codex\\config.toml',
      zed: 'C:\\Users\\ada\\AppData\\Roaming\\Zed\\settings.json',
    });
  });

  it('are found where the user moved them', () => {
    const env = { CLAUDE_CONFIG_DIR: '/cfg', CODEX_HOME: '/codex', XDG_CONFIG_HOME: '/xdg', APPDATA: 'D:\\Data' };
    expect(pathsOf('linux', env)).toMatchObject({
      ...{ 'claude-code': '/cfg/.claude.json', codex: '/codex/config.toml', zed: '/xdg/zed/settings.json' },
      vscode: '/xdg/Code/User/mcp.json',
    });
    expect(pathsOf('win32', env)).toMatchObject({ vscode: 'D:\\Data\\Code\\User\\mcp.json' });
  });
});

describe('editing JSON settings', () => {
  const VALUE = { command: 'npx' };

  it('changes its own fields of a server, and keeps fields added by the user', () => {
    const text =
      '{ "mcpServers": { "postrider": {\n  // mine\n  "command": "old", "disabled": true, "env": { "OLD": "1" } } } }';
    const value = { type: 'stdio', command: 'npx', env: { NEW: '1' } };
    const after = putIntoJson(text, 'mcpServers', 'postrider', value) ?? '';
    expect(after).toContain('// mine');
    expect(JSON.parse(after.replace('// mine', '')).mcpServers.postrider).toEqual({ ...value, disabled: true });
    expect(putIntoJson(after, 'mcpServers', 'postrider', value)).toBe(after);
    const remote = '{ "mcpServers": { "postrider": { "url": "https://a.test/mcp", "headers": {} } } }';
    const local = JSON.parse(putIntoJson(remote, 'mcpServers', 'postrider', value) ?? '');
    expect(local.mcpServers.postrider).toEqual(value);
  });

  it('replaces a program by the address of a server, and removes only the key from its headers', () => {
    const value = { type: 'http', url: 'https://mail.example.com/mcp' };
    const put = (entry: string) => {
      const after = putIntoJson(`{"s": {"p": ${entry}}}`, 's', 'p', value) ?? '';
      expect(putIntoJson(after, 's', 'p', value)).toBe(after);
      return JSON.parse(after).s.p;
    };
    expect(put('{"type": "stdio", "command": "x", "env": {"POSTRIDER_API_KEY": "secret"}}')).toEqual(value);
    const former = { url: 'https://old.example.com/mcp', disabled: true };
    const proxy = { 'CF-Access-Client-Id': 'mine' };
    expect(put(JSON.stringify({ ...former, headers: { authorization: 'Bearer secret' } }))).toEqual({
      ...value,
      disabled: true,
    });
    expect(put(JSON.stringify({ ...former, headers: { Authorization: 'Bearer secret', ...proxy } }))).toEqual({
      ...value,
      disabled: true,
      headers: proxy,
    });
    expect(put('{"httpUrl": "https://old.example.com/mcp"}')).toEqual(value);
  });

  it.each([
    ['{"s": {"p": {}}}', '{"s": {}}'],
    ['{"s": {"a": 1, "p": {}}}', '{"s": {"a": 1 }}'],
    ['{"s": {"p": {}, "a": 1}}', '{"s": { "a": 1}}'],
    ['{"s": {"p": 1, "a": 1, "p": 2}}', '{"s": { "a": 1 }}'],
    [
      '{\n  "s": {\n    // one\n    "a": 1, // two\n    "p": {} // three\n  }\n}',
      '{\n  "s": {\n    // one\n    "a": 1 // two\n     // three\n  }\n}',
    ],
    [
      '{\n  "s": {\n    "p": {\n      "x": 1\n    },\n    /* b */ "b": 2,\n  },\n}',
      '{\n  "s": {\n    /* b */ "b": 2,\n  },\n}',
    ],
    ['{\n  "s": {\n    "p": {}\n  }\n}\n', '{\n  "s": {\n  }\n}\n'],
    ['{"a": 1}', '{"a": 1}'],
    ['', ''],
  ])('removes a server from %j and nothing else', (text, expected) => {
    const after = removeFromJson(text, 's', 'p');
    expect(after).toBe(expected);
    if (text !== '') expect(parseJsonWithComments(after ?? '')).not.toBeNull();
  });

  it.each(['[]', '{', '{"s": []}'])('removes nothing from %j', (text) => {
    expect(removeFromJson(text, 's', 'p')).toBeNull();
  });

  it.each([
    ['', {}],
    ['{}', {}],
    ['{"a": 1}', { a: 1 }],
    ['{\n  "mcpServers": {}\n}', {}],
    [
      '{"mcpServers": {"postrider": {"command": "old", "args": ["}"]}, "b": {"c": "}"}}}',
      { mcpServers: { b: { c: '}' } } },
    ],
    ['\uFEFF{"a": "\\"{", "b": [1, {"c": null}]}', { a: '"{', b: [1, { c: null }] }],
  ])('adds to %j and loses nothing', (text, rest) => {
    const after = putIntoJson(text, 'mcpServers', 'postrider', VALUE);
    const parsed = JSON.parse((after ?? '').replace(/^\uFEFF/, ''));
    expect(parsed).toMatchObject({ ...rest, mcpServers: { postrider: VALUE } });
    expect(parsed.mcpServers.postrider).toEqual(VALUE);
    expect(putIntoJson(after ?? '', 'mcpServers', 'postrider', VALUE)).toBe(after);
  });

  it.each([
    ['{\n  // first\n  "mcpServers": {\n    // none yet\n  }\n}\n'],
    ['{ "mcpServers": { "a": {} /* kept */ }, }'],
    ['{\n  "mcpServers": {\n    "a": {}, // kept\n  }, // kept\n}'],
  ])('keeps the comments of %j', (text) => {
    const after = putIntoJson(text, 'mcpServers', 'postrider', VALUE) ?? '';
    expect(parseJsonWithComments(after)).not.toBeNull();
    for (const comment of text.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(after).toContain(comment);
    expect(putIntoJson(after, 'mcpServers', 'postrider', VALUE)).toBe(after);
  });

  it.each(['[]', '1', '{', '{"a" 1}', '{"a": 1} x', '{"mcpServers": []}', '{"a": 1 "b": 2}', "{'a': 1}"])(
    'rejects %j',
    (text) => expect(putIntoJson(text, 'mcpServers', 'postrider', VALUE)).toBeNull(),
  );
});

describe('editing TOML settings', () => {
  const entry = { kind: 'program', command: 'npx', args: ['a"b'], env: { KEY: 'v' } } as const;
  const remote = { kind: 'remote', url: 'https://mail.example.com/mcp' } as const;

  it('replaces its own tables, wherever they are, and leaves every other line', () => {
    const text = [
      'model = "x" # mine',
      '',
      '[mcp_servers.other]',
      'command = "y"',
      '',
      '[mcp_servers.postrider]',
      'command = "old"',
      '[mcp_servers.postrider.env]',
      'OLD = "1"',
      '',
      '[[tables]]',
      'z = 1',
      '',
    ].join('\n');
    const after = putIntoToml(text, 'mcp_servers', 'postrider', entry) ?? '';
    for (const line of ['model = "x" # mine', '[mcp_servers.other]', 'command = "y"', '[[tables]]', 'z = 1'])
      expect(after.split('\n').filter((other) => other === line)).toHaveLength(1);
    expect(after).not.toContain('old');
    expect(after).not.toContain('OLD');
    expect(after).toContain('args = ["a\\"b"]');
    expect(putIntoToml(after, 'mcp_servers', 'postrider', entry)).toBe(after);
  });

  it('keeps keys added by the user, and comments that belong to the next table', () => {
    const text = [
      '# ours',
      '[mcp_servers.postrider]',
      'args = [',
      '  "x", # old',
      ']',
      'startup_timeout_sec = 20 # slow here',
      'command = "old"',
      '',
      '# about the other one',
      '[mcp_servers.other]',
      'args = ["z"]',
      '[mcp_servers.postrider.env]',
      'OLD = "1"',
    ].join('\n');
    const after = putIntoToml(text, 'mcp_servers', 'postrider', entry) ?? '';
    expect(after.split('\n')).toEqual([
      '# ours',
      '[mcp_servers.postrider]',
      'command = "npx"',
      'args = ["a\\"b"]',
      'startup_timeout_sec = 20 # slow here',
      '',
      '[mcp_servers.postrider.env]',
      'KEY = "v"',
      '',
      '# about the other one',
      '[mcp_servers.other]',
      'args = ["z"]',
      '',
    ]);
    expect(putIntoToml(after, 'mcp_servers', 'postrider', entry)).toBe(after);
    expect(removeFromToml(after, 'mcp_servers', 'postrider')?.split('\n')).toEqual([
      '# ours',
      '',
      '# about the other one',
      '[mcp_servers.other]',
      'args = ["z"]',
      '',
    ]);
  });

  it('turns a program into the address of a server, and back', () => {
    const text = [
      '[mcp_servers.postrider]',
      'command = "npx"',
      'args = ["-y"]',
      'cwd = "/x"',
      'startup_timeout_sec = 20',
      '',
      '[mcp_servers.postrider.env]',
      'POSTRIDER_API_KEY = "secret"',
      '',
      '# about the other one',
      '[mcp_servers.other]',
      'command = "y"',
      '',
    ].join('\n');
    const after = putIntoToml(text, 'mcp_servers', 'postrider', remote) ?? '';
    expect(after.split('\n')).toEqual([
      '[mcp_servers.postrider]',
      'url = "https://mail.example.com/mcp"',
      'startup_timeout_sec = 20',
      '',
      '# about the other one',
      '[mcp_servers.other]',
      'command = "y"',
      '',
    ]);
    expect(putIntoToml(after, 'mcp_servers', 'postrider', remote)).toBe(after);
    const back = putIntoToml(after, 'mcp_servers', 'postrider', entry) ?? '';
    expect(back).not.toContain('url =');
    expect(back).toContain('[mcp_servers.postrider.env]\nKEY = "v"');
  });

  it('removes the headers of a remote server, which can contain a key', () => {
    const text = [
      '[mcp_servers.postrider]',
      'url = "https://old.example.com/mcp"',
      'bearer_token_env_var = "KEY"',
      '[mcp_servers.postrider.http_headers]',
      'Authorization = "Bearer secret"',
      '',
    ].join('\n');
    expect(putIntoToml(text, 'mcp_servers', 'postrider', remote)).toBe(
      '[mcp_servers.postrider]\nurl = "https://mail.example.com/mcp"\n',
    );
  });

  it('removes nothing from a file that has none, or has it in another form', () => {
    expect(removeFromToml('model = "x"', 'mcp_servers', 'postrider')).toBe('model = "x"');
    expect(removeFromToml('mcp_servers.postrider = {}', 'mcp_servers', 'postrider')).toBeNull();
  });

  it('appends to a file that has none', () => {
    const after = putIntoToml('model = "x"\n', 'mcp_servers', 'postrider', entry) ?? '';
    expect(after.startsWith('model = "x"\n\n[mcp_servers.postrider]\n')).toBe(true);
    expect(putIntoToml(after, 'mcp_servers', 'postrider', entry)).toBe(after);
  });

  it('leaves adjacent tables alone, and lines of a string that look like tables', () => {
    const others = [
      'told = """',
      '[mcp_servers.postrider]',
      'command = 1 # \\"""',
      '[z]',
      '"""',
      "raw = '''[y]'''",
      '[a]',
      'b = 1',
      '[c]',
      '',
    ].join('\n');
    const after = putIntoToml(others, 'mcp_servers', 'postrider', entry) ?? '';
    expect(after.startsWith(`${others}\n[mcp_servers.postrider]\n`)).toBe(true);
    expect(removeFromToml(others, 'mcp_servers', 'postrider')).toBe(others);
    expect(removeFromToml(after, 'mcp_servers', 'postrider')).toBe(others);
    const moved = putIntoToml(`[mcp_servers.postrider]\nargs = []\n${others}`, 'mcp_servers', 'postrider', entry) ?? '';
    expect(moved).toContain('\n[a]\nb = 1\n[c]\n');
  });

  it.each([
    'mcp_servers.postrider = { command = "x" }',
    'mcp_servers.postrider.command = "x"',
    'mcp_servers = {}',
    '[mcp_servers]\npostrider = { command = "x" }',
  ])('rejects %j', (text) => expect(putIntoToml(text, 'mcp_servers', 'postrider', entry)).toBeNull());
});
