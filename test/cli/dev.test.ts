import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

describe('postrider dev', () => {
  let server: TestApp;
  let folder: string;
  let dataDir: string;
  beforeAll(async () => {
    server = await startTestApp();
    folder = await mkdtemp(join(tmpdir(), 'postrider-dev-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    dataDir = await mkdtemp(join(folder, 'data-'));
  });

  const profile = () => JSON.stringify({ key: server.key, baseUrl: server.baseUrl });
  /** A program that starts nothing: the server whose profile it writes runs already. What it was started with is on its line. */
  const program = async (name: string, script: string) => {
    const path = join(folder, name);
    const lines = [
      '#!/usr/bin/env node',
      "const { writeFileSync } = require('node:fs');",
      'const { POSTRIDER_DATA_DIR: dir, POSTRIDER_PORT: port, POSTRIDER_MODE: mode } = process.env;',
      `const ready = () => { writeFileSync(dir + '/quickstart.json', ${JSON.stringify(profile())}); console.log('ready in 0.1 s: ' + mode + ' ' + port); };`,
      script,
    ];
    await writeFile(path, `${lines.join('\n')}\n`, { mode: 0o755 });
    return path;
  };
  const LASTING = `process.on('SIGTERM', () => { console.log('stopped cleanly'); process.exit(0); }); setInterval(() => {}, 60_000); console.log('preparing'); ready();`;

  /** Runs until this text is on stdout or stderr, then calls `then`. Returns how the process ended. */
  const dev = async (argv: readonly string[], heard: string, then: (stop: () => void) => unknown, env = {}) => {
    const interruption = new AbortController();
    let words = '';
    let isHeard = false;
    const hear: NonNullable<Terminal['onStdout']> = (text) => {
      words += text;
      if (isHeard || !words.includes(heard)) return;
      isHeard = true;
      void then(() => interruption.abort(new Error('interrupted')));
    };
    return await runInProcess(['dev', '--data-dir', dataDir, ...argv], {
      ...{ signal: interruption.signal, onStdout: hear, onStderr: hear, cwd: folder },
      env: { PATH: process.env['PATH'], ...env },
    });
  };

  it('starts a server, prints its log on stderr and events on stdout, and stops it on exit', async () => {
    const path = await program('lasting', LASTING);
    const interruption = new AbortController();
    const finished = await runInProcess(['dev', '--data-dir', dataDir, '--port', '9025', '--server', path], {
      cwd: folder,
      env: { PATH: process.env['PATH'] },
      signal: interruption.signal,
      onStderr: (text) => {
        if (text.startsWith('Listening')) void server.send({ to: 'delivered@sandbox.test' });
      },
      onStdout: () => interruption.abort(new Error('interrupted')),
    });
    expect(finished.code).toBe(130);
    expect(JSON.parse(finished.stdout.split('\n')[0] ?? '')).toMatchObject({ event: { type: 'email.queued' } });
    expect(finished.stderr).toMatch(
      /^preparing\nready in 0\.1 s: development 9025\nListening\. Signing secret: whsec_\S+ \(Ctrl-C to stop\)\nstopped cleanly\n$/,
    );
  });

  it('follows a server that already runs, and leaves it running', async () => {
    await writeFile(join(dataDir, 'quickstart.json'), profile());
    const { code, stderr } = await dev(['--server', '/nowhere', '--no-json'], 'Listening', (stop) => stop());
    expect(code).toBe(130);
    expect(stderr).toContain(
      `A server is already running at ${server.baseUrl}. It keeps running when this command ends.\n`,
    );
    expect((await server.call('GET', '/health')).status).toBe(200);
  });

  it('ignores a server that does not know the key of this directory', async () => {
    const stale = { key: 'pr_live_00000000000000000000000000000000', baseUrl: server.baseUrl };
    await writeFile(join(dataDir, 'quickstart.json'), JSON.stringify(stale));
    const path = await program('beside', LASTING);
    const { code, stderr } = await dev(['--server', path, '--no-json'], 'Listening', (stop) => stop());
    expect(code).toBe(130);
    expect(stderr).toMatch(/^preparing\n/);
    expect(stderr).toContain('stopped cleanly');
  });

  it('finds the program in node_modules of a parent folder', async () => {
    const bin = join(folder, 'node_modules', '.bin');
    await mkdir(bin, { recursive: true });
    await program('node_modules/.bin/postrider-server', LASTING);
    const { code, stderr } = await dev([], 'Listening', (stop) => stop(), { PATH: '' });
    expect(code).toBe(130);
    expect(stderr).toContain('stopped cleanly');
  });

  it('says why a server does not start, and exits with 8', async () => {
    const path = await program('failing', "console.error('Port 9025 is taken.'); process.exitCode = 1;");
    const { code, stderr } = await dev(['--server', path, '--json', '--quiet'], 'nothing', () => {});
    expect(code).toBe(8);
    const problem = JSON.parse(stderr);
    expect(problem).toMatchObject({ code: 'server_ended', fix: expect.stringContaining('postrider-server doctor') });
    expect(problem.detail).toBe('The server did not start: it exited with code 1. Port 9025 is taken.');
  });

  it('exits with 8 when the server stops while it is followed', async () => {
    const path = await program('dying', 'ready(); process.stdin.resume(); setTimeout(() => process.exit(3), 300);');
    const { code, stderr } = await dev(['--server', path, '--no-json'], 'nothing', () => {});
    expect(code).toBe(8);
    expect(stderr).toContain('Error: The server stopped: it exited with code 3. (server_ended)');
  });

  it('stops the server when interrupted before it is ready', async () => {
    const path = await program('slow', "setInterval(() => {}, 60_000); console.log('preparing');");
    const { code } = await dev(['--server', path], 'preparing', (stop) => stop());
    expect(code).toBe(130);
  });

  it.each([
    [['--server', './none'], 2, 'no_server_program', '--server'],
    [['--port', '0'], 2, 'usage', '--help'],
    [['--base-url', 'http://127.0.0.1:1'], 2, 'usage', 'webhooks listen'],
    [['--api-key', 'pr_live_x'], 2, 'usage', 'webhooks listen'],
  ])('rejects %j and says what to do', async (argv, exitCode, code, fix) => {
    const finished = await dev(argv, 'nothing', () => {});
    expect(finished.code).toBe(exitCode);
    expect(JSON.parse(finished.stderr)).toMatchObject({ code, fix: expect.stringContaining(fix) });
  });
});
