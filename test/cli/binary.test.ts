import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../harness/compile-cache.ts';
import { ID, sampleRecord } from '../mcp/sample-messages.ts';
import { type Reply, type ScriptedServer, startScriptedServer } from '../sdk/scripted-server.ts';
import { KEY } from './run-in-process.ts';

const MAIN = path.resolve(import.meta.dirname, '../../packages/cli/src/main.ts');
const SEND = ['send', '--from', 'app@example.com', '--to', 'ada@example.org', '--subject', 'Hello'];

/** Prints the address of every module that is loaded. */
const LOAD_TRACE = `data:text/javascript,${encodeURIComponent(
  "import { registerHooks } from 'node:module';" +
    'registerHooks({ load(url, context, next) { process._rawDebug(url); return next(url, context); } });',
)}`;

function start(argv: readonly string[], server?: ScriptedServer, nodeFlags: readonly string[] = []) {
  const env = server === undefined ? {} : { POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: server.baseUrl };
  return spawn(process.execPath, [...nodeFlags, MAIN, ...argv], {
    env: { ...COMPILE_CACHE, ...env },
    cwd: import.meta.dirname,
  });
}

async function finished(child: ChildProcessWithoutNullStreams) {
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code, stdout, stderr };
}

describe('the binary', () => {
  it('runs a command with the environment and stdin of its process', async () => {
    await using server = await startScriptedServer([{ status: 202, body: { id: ID, status: 'queued' } }]);
    const child = start([...SEND, '--text', '-'], server);
    child.stdin.end('Hi from a pipe');
    expect(await finished(child)).toEqual({ code: 0, stdout: `{"id":"${ID}","status":"queued"}\n`, stderr: '' });
    expect(JSON.parse(server.received[0]?.body ?? '')).toMatchObject({ text: 'Hi from a pipe' });
  });

  it('exits with the exit code of the command', async () => {
    const { code, stdout, stderr } = await finished(start(['emails', 'get']));
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(JSON.parse(stderr)).toMatchObject({ code: 'usage' });
  });

  it('exits with 130 on SIGINT', async () => {
    await using server = await startScriptedServer(['hang']);
    const child = start(['whoami'], server);
    const result = finished(child);
    await server.nextRequest();
    child.kill('SIGINT');
    expect(await result).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('exits with 130 on SIGINT while it reads from stdin', async () => {
    const child = start([...SEND, '--text', '-', '--api-key', KEY, '--base-url', 'http://127.0.0.1:1']);
    const result = finished(child);
    // More than a pipe holds: once it is written, the reader is reading.
    await new Promise((resolve) => child.stdin.write('x'.repeat(1_000_000), resolve));
    child.kill('SIGINT');
    expect(await result).toEqual({ code: 130, stdout: '', stderr: '' });
  });

  it('exits quietly when the reader closes the pipe', async () => {
    const messages = Array(2_000).fill(sampleRecord());
    const reply: Reply = { status: 200, body: { messages, total: 2_000, totalIsEstimate: false, nextCursor: null } };
    await using server = await startScriptedServer([reply]);
    const child = start(['emails', 'list'], server);
    await once(child.stdout, 'readable');
    child.stdout.destroy();
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('writes all of a large response into a pipe', async () => {
    const messages = Array(2_000).fill(sampleRecord());
    await using server = await startScriptedServer([{ status: 200, body: { messages } }]);
    const { stdout } = await finished(start(['emails', 'list'], server));
    expect(JSON.parse(stdout).messages).toHaveLength(2_000);
  });

  it('starts as a separate program', async () => {
    expect(await readFile(MAIN, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

/** The modules that a command loads, and its output. */
async function traced(argv: readonly string[], server?: ScriptedServer) {
  const { code, stdout, stderr } = await finished(start(argv, server, ['--import', LOAD_TRACE]));
  const loaded = stderr.split('\n').filter((line) => /^(?:file|node):/.test(line));
  expect(loaded).toContain(pathToFileURL(MAIN).href);
  return { code, stdout, loaded };
}

describe('startup', () => {
  // Loading zod, the registry, the SDK and the MCP package takes several times as long as all the rest.
  it.each([[['--help']], [['send', '--help']], [['emails', 'lisst']], [['completion', 'bash']]])(
    'of %j loads nothing but the parser',
    async (argv) => {
      const { loaded } = await traced(argv);
      const files = loaded.filter((url) => url.startsWith('file:'));
      expect(files.length).toBeGreaterThan(5);
      expect(files.filter((url) => !/\/packages\/cli\/src\/|\/commander\//.test(url))).toEqual([]);
    },
  );

  it.each(['--version', '-V'])('of %s loads nothing but the number', async (flag) => {
    const { loaded, stdout } = await traced([flag]);
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
    const files = loaded.flatMap((url) => /\/packages\/cli\/src\/(.+)/.exec(url)?.[1] ?? []);
    expect(files.sort()).toEqual(['exit-codes.ts', 'main.ts', 'version.ts']);
    expect(loaded.filter((url) => url.startsWith('file:'))).toHaveLength(3);
  });

  // To import `node:http` takes as long as the rest of the command: it brings the platform's own undici.
  it('of a call loads neither zod, ink, undici, the MCP tools nor any terminal view', async () => {
    await using server = await startScriptedServer([{ status: 200, body: { id: ID } }]);
    const { code, stdout, loaded } = await traced(['emails', 'get', ID], server);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `{"id":"${ID}"}\n` });
    const heavy =
      /\/(?:zod|ink|react|react-reconciler|undici|@modelcontextprotocol)\/|\/packages\/(?:core|server)\/|\/output\/views\/|^node:(?:https?2?|tls|crypto|zlib)$/;
    expect(loaded.filter((url) => heavy.test(url))).toEqual([]);
    const commands = loaded.flatMap((url) => /\/cli\/src\/(commands\/.+)/.exec(url)?.[1] ?? []);
    // Its own file alone.
    expect(commands).toEqual(['commands/emails/get.ts']);
  });
});
