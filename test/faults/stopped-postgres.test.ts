import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { callApi } from '../harness/test-app.ts';

const WITHIN_MS = 2_000;
const BACK_WITHIN = { timeout: 15_000, interval: 50 };

describe.runIf(process.platform === 'linux')('a server whose PostgreSQL is stopped by a signal', () => {
  let dataDir: string;
  let server: ServerProcess;
  let stopped: readonly number[] = [];
  beforeEach(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'postrider-stopped-'));
    const settings = { POSTRIDER_DATA_DIR: dataDir, POSTRIDER_PORT: '0', POSTRIDER_ROLES: 'api,worker' };
    server = startServerProcess(['start'], settings);
  });
  afterEach(async () => {
    signalAll(stopped, 'SIGCONT');
    server.child.kill('SIGTERM');
    await server.finished;
    await rm(dataDir, { recursive: true, force: true });
  });

  function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
    for (const pid of pids) process.kill(pid, signal);
  }

  /** The server and all its processes, the server last: it must not miss one that it starts meanwhile. */
  async function readProcesses(): Promise<readonly number[]> {
    const [first] = (await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8')).split('\n');
    const numbers = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
    const parents = await Promise.all(numbers.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
    const children = numbers.filter((_, index) => parents[index]?.split(') ').at(-1)?.split(' ')[1] === first);
    return [...children, Number(first)];
  }

  it('returns 503 within two seconds, never a false 202, and recovers within 15 s of its return', async () => {
    const baseUrl = await server.ready;
    const { key } = JSON.parse(await readFile(path.join(dataDir, 'quickstart.json'), 'utf8'));
    const call = (method: string, url: string, options = {}) => callApi(baseUrl, key, method, url, options);
    const send = (name: string) =>
      call('POST', '/emails', {
        headers: { 'idempotency-key': name },
        body: { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: name, text: 'Hi' },
      });
    const first = await send('before');
    expect(first.status).toBe(202);

    stopped = await readProcesses();
    expect(stopped.length).toBeGreaterThan(5);
    signalAll(stopped, 'SIGSTOP');
    for (const name of ['one', 'two']) {
      const beganMs = performance.now();
      const responses = await Promise.all([send(name), send(name.toUpperCase()), call('GET', '/emails')]);
      expect(performance.now() - beganMs).toBeLessThan(WITHIN_MS);
      for (const response of responses) expectProblem(response, 503, 'unavailable');
    }
    expect((await call('GET', '/health')).status).toBe(200);
    signalAll(stopped, 'SIGCONT');
    stopped = [];

    await expect.poll(async () => (await call('GET', '/emails')).status, BACK_WITHIN).toBe(200);
    const ids = new Map<string, string>();
    for (const name of ['before', 'one', 'ONE', 'two', 'TWO']) {
      await expect
        .poll(async () => {
          const response = await send(name);
          if (response.status === 202) ids.set(name, response.body.id);
          return response.status;
        }, BACK_WITHIN)
        .toBe(202);
    }
    expect(ids.get('before')).toBe(first.body.id);
    for (const id of ids.values()) expect((await call('GET', `/emails/${id}?wait=20`)).body.status).toBe('delivered');
    const { messages } = (await call('GET', '/emails?limit=100')).body;
    expect(messages.filter(({ source }: { source: string }) => source !== 'system')).toHaveLength(5);
  }, 90_000);
});
