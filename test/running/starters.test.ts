import { mkdir, mkdtemp, readFile, rm, stat, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/run-program.ts';
import { type Environment, type ServerProcess, startByCommand, startServerProcess } from '../harness/server-process.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';

/** A start with its own Postgres, by a package manager that first checks what is installed. */
const START_MS = 90_000;

let folder: string;
let environment: Environment;
let server: ServerProcess | null = null;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'postrider-starters-'));
  environment = {
    POSTRIDER_DATA_DIR: join(folder, 'data'),
    POSTRIDER_PORT: String(await freePort()),
    // The package manager that runs this test is in the cache of npx.
    npm_config_prefer_offline: 'true',
  };
});
afterEach(async () => {
  server?.child.kill('SIGKILL');
  await server?.finished;
  server = null;
  await rm(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function postgresPid(): Promise<number> {
  return Number((await readFile(join(folder, 'data/postgres/postmaster.pid'), 'utf8')).split('\n')[0]);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Fails if something still listens on the port. */
async function takePort(): Promise<void> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject).listen(Number(environment['POSTRIDER_PORT']), '127.0.0.1', resolve);
  });
  await new Promise((resolve) => probe.close(resolve));
}

describe('a server that was started by a package manager', () => {
  it.each([
    ['npx', 'SIGTERM'],
    ['npx', 'SIGINT'],
    ['pnpm', 'SIGTERM'],
    ['pnpm', 'SIGINT'],
  ] as const)(
    'stops cleanly when its %s alone receives a %s',
    {
      tags: ['contract-running.drain'],
      timeout: 2 * START_MS,
    },
    async (starter, signal) => {
      const { packageManager } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
      server = startByCommand(
        [...(starter === 'npx' ? ['npx', '-y', packageManager] : ['pnpm']), 'start'],
        environment,
      );
      const baseUrl = await server.ready;
      expect((await fetch(`${baseUrl}/health`)).status).toBe(200);
      const pid = await postgresPid();
      expect(isRunning(pid)).toBe(true);
      // To the process alone: a terminal would send it to every process of the group.
      server.child.kill(signal);
      // The server writes to the same pipes, so they close when it has ended.
      const { stderr } = await server.finished;
      expect(stderr).not.toMatch(/"level":(50|60)/);
      expect(isRunning(pid)).toBe(false);
      await expect(stat(join(folder, 'data/postgres/postmaster.pid'))).rejects.toThrow('ENOENT');
      await takePort();
      server = startServerProcess(['start'], environment);
      expect(await server.ready).toBe(baseUrl);
      server.child.kill('SIGTERM');
      expect(await server.finished).toMatchObject({ code: 0, signal: null });
    },
  );
});

describe('the documented start in production', () => {
  it('needs no npx, and no package manager on the PATH', {
    tags: ['contract-running.production-start'],
    timeout: START_MS,
  }, async () => {
    const command = './node_modules/.bin/postrider-server start';
    const page = await readFile(join(ROOT, 'docs/operating.md'), 'utf8');
    expect(page).toContain(`\n${command}\n\`\`\``);
    const programs = join(folder, 'programs');
    await mkdir(programs);
    // On a machine with an old Node, the Node of the installation is found by a script that needs the other two.
    await symlink(process.execPath, join(programs, 'node'));
    for (const name of ['readlink', 'dirname']) await symlink(join('/usr/bin', name), join(programs, name));
    server = startByCommand(command.split(' '), {
      ...environment,
      PATH: programs,
      POSTRIDER_MODE: 'production',
      POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64'),
      POSTRIDER_TRANSPORT: 'capture',
    });
    const baseUrl = await server.ready;
    expect(server.stdout).toContain('(production)');
    expect((await fetch(`${baseUrl}/health/ready`)).status).toBe(200);
    const pid = await postgresPid();
    server.child.kill('SIGTERM');
    expect(await server.finished).toMatchObject({ code: 0, signal: null });
    expect(isRunning(pid)).toBe(false);
  });
});
