import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { callApi } from '../harness/test-app.ts';

const ROOT = join(import.meta.dirname, '../..');
const MAIN = join(ROOT, 'packages/cli/src/main.ts');

describe('postrider dev', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'postrider-dev-'));
  });
  afterAll(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('runs the server of the workspace, shows an event, and leaves nothing running when it is terminated', {
    timeout: 120_000,
  }, async () => {
    const any = { POSTRIDER_SMTP_PORT: '0', POSTRIDER_SMTPS_PORT: '0', POSTRIDER_INBOUND_PORT: '0' };
    const child = spawn(process.execPath, [MAIN, 'dev', '--data-dir', folder], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], HOME: folder, POSTRIDER_PORT: '0', ...any },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    const events = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    for await (const line of createInterface({ input: child.stderr })) if (line.startsWith('Listening')) break;
    child.stderr.resume();
    const { baseUrl, key } = JSON.parse(await readFile(join(folder, 'quickstart.json'), 'utf8'));
    const body = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' };
    expect((await callApi(baseUrl, key, 'POST', '/emails', { body })).status).toBe(202);
    expect(JSON.parse((await events.next()).value ?? '')).toMatchObject({ event: { type: 'email.queued' } });
    child.kill('SIGTERM');
    expect(await ended).toEqual([130, null]);
    await expect(fetch(`${baseUrl}/health`)).rejects.toThrow('fetch failed');
  });
});
