import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type ScriptedServer, startScriptedServer } from '../sdk/scripted-server.ts';
import { runInProcess } from './run-in-process.ts';

const afterwards = useCleanUps();

async function startServer(): Promise<ScriptedServer> {
  const server = await startScriptedServer([{ status: 200, body: { id: 'k1' } }]);
  afterwards(() => server[Symbol.asyncDispose]());
  return server;
}

/** A working directory with a profile in it. */
async function directoryWithProfile(profile: object | string, dataDir = '.postrider'): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'cli-profile-'));
  afterwards(() => rm(directory, { recursive: true }));
  await mkdir(path.join(directory, dataDir));
  const content = typeof profile === 'string' ? profile : JSON.stringify(profile);
  await writeFile(path.join(directory, dataDir, 'quickstart.json'), content);
  return directory;
}

function keysSeenBy(server: ScriptedServer): readonly (string | undefined)[] {
  return server.received.map(({ headers }) => headers.authorization);
}

describe('the server and the key', () => {
  it('come from the environment', { tags: ['contract-surfaces.cli-environment'] }, async () => {
    const server = await startServer();
    const env = { POSTRIDER_API_KEY: 'from-environment', POSTRIDER_BASE_URL: server.baseUrl };
    expect((await runInProcess(['whoami'], { env })).code).toBe(0);
    expect(keysSeenBy(server)).toEqual(['Bearer from-environment']);
  });

  it('come from the profile when the environment has none', {
    tags: ['contract-surfaces.cli-environment'],
  }, async () => {
    const server = await startServer();
    const cwd = await directoryWithProfile({ baseUrl: server.baseUrl, key: 'from-profile' });
    expect((await runInProcess(['whoami'], { cwd })).code).toBe(0);
    expect(keysSeenBy(server)).toEqual(['Bearer from-profile']);
  });

  it('are only the server for a command that needs no key, and also the key when there is one', async () => {
    const [server, other] = await Promise.all([startServer(), startServer()]);
    const argv = ['tools', 'utm', 'https://x.test/', '--source', 's', '--medium', 'm', '--campaign', 'c'];
    expect((await runInProcess(argv, { env: { POSTRIDER_BASE_URL: server.baseUrl } })).code).toBe(0);
    const env = { POSTRIDER_API_KEY: 'from-environment', POSTRIDER_BASE_URL: other.baseUrl };
    expect((await runInProcess(argv, { env })).code).toBe(0);
    expect([server, other].map(keysSeenBy)).toEqual([[undefined], ['Bearer from-environment']]);
  });

  it('come from the environment before the profile', async () => {
    const [server, other] = await Promise.all([startServer(), startServer()]);
    const cwd = await directoryWithProfile({ baseUrl: other.baseUrl, key: 'from-profile' });
    const env = { POSTRIDER_API_KEY: 'from-environment', POSTRIDER_BASE_URL: server.baseUrl };
    await runInProcess(['whoami'], { cwd, env });
    expect([keysSeenBy(server), keysSeenBy(other)]).toEqual([['Bearer from-environment'], []]);
  });

  it('come from flags before the environment, wherever the flags appear', async () => {
    const [first, second, other] = await Promise.all([startServer(), startServer(), startServer()]);
    const env = { POSTRIDER_API_KEY: 'from-environment', POSTRIDER_BASE_URL: other.baseUrl };
    await runInProcess(['--api-key', 'from-flag', '--base-url', first.baseUrl, 'whoami'], { env });
    await runInProcess(['whoami', '--api-key', 'from-flag', '--base-url', second.baseUrl], { env });
    expect([first, second, other].map(keysSeenBy)).toEqual([['Bearer from-flag'], ['Bearer from-flag'], []]);
  });

  it('come from the profile in --data-dir, or in POSTRIDER_DATA_DIR', async () => {
    const [flagged, named] = await Promise.all([startServer(), startServer()]);
    const cwd = await directoryWithProfile({ baseUrl: named.baseUrl, key: 'named' }, 'named');
    const other = await directoryWithProfile({ baseUrl: flagged.baseUrl, key: 'flagged' }, 'flagged');
    const env = { POSTRIDER_DATA_DIR: 'named' };
    await runInProcess(['whoami'], { cwd, env });
    await runInProcess(['whoami', '--data-dir', path.join(other, 'flagged')], { cwd, env });
    expect([keysSeenBy(named), keysSeenBy(flagged)]).toEqual([['Bearer named'], ['Bearer flagged']]);
  });
});

describe('a profile', () => {
  it('is named if it cannot be read', async () => {
    const cwd = await directoryWithProfile('{');
    const { code, stderr } = await runInProcess(['whoami'], { cwd });
    expect(code).toBe(3);
    expect(JSON.parse(stderr).detail).toContain('quickstart.json');
  });

  it('keeps its key from a server that only the flags name', async () => {
    const server = await startServer();
    const cwd = await directoryWithProfile({ baseUrl: 'http://127.0.0.1:1', key: 'from-profile' });
    expect((await runInProcess(['whoami', '--base-url', server.baseUrl], { cwd })).code).toBe(3);
    expect(server.received).toEqual([]);
  });

  it('in another user’s directory does not receive the key from the environment', async () => {
    const cwd = await directoryWithProfile({ baseUrl: 'https://mail.attacker.example', key: 'bait' });
    const { code, stderr } = await runInProcess(['whoami'], { cwd, env: { POSTRIDER_API_KEY: 'precious' } });
    expect(code).toBe(3);
    expect(JSON.parse(stderr).detail).toContain('https://mail.attacker.example');
  });

  it('on this machine may choose where the key from the environment is sent', async () => {
    const server = await startServer();
    const cwd = await directoryWithProfile({ baseUrl: server.baseUrl, key: 'from-profile' });
    await runInProcess(['whoami'], { cwd, env: { POSTRIDER_API_KEY: 'from-environment' } });
    expect(keysSeenBy(server)).toEqual(['Bearer from-environment']);
  });
});
