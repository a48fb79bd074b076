import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

describe('postrider suppressions', () => {
  let server: TestApp;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], terminal: Terminal = {}) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    return runInProcess(['suppressions', ...argv], { env, cwd: folder, ...terminal });
  };
  const totalOf = async (q: string) => (await server.call('GET', `/suppressions?q=${q}`)).body.total;

  it('adds one address, reads it, lists it and removes it again', async () => {
    const added = await run(['add', 'Ann@example.com', '--note', 'asked by phone', '--json']);
    expect(added.code).toBe(0);
    const record = JSON.parse(added.stdout);
    expect(record).toMatchObject({ email: 'ann@example.com', note: 'asked by phone', reason: 'manual' });
    expect(JSON.parse((await run(['get', 'ann@example.com', '--json'])).stdout)).toEqual(record);
    const table = (await run(['list', '--reason', 'manual'], { columns: 200 })).stdout;
    expect(table).toMatch(/EMAIL +REASON +NOTE/);
    expect(table).toMatch(/ann@example\.com +manual +asked by phone/);
    const removed = await run(['remove', record.id, '--note', 'asked again', '--json']);
    expect([removed.code, JSON.parse(removed.stdout)]).toEqual([0, record]);
    expect((await run(['remove', 'ann@example.com'])).code).toBe(5);
    const [audit] = await server.database.sql`SELECT details FROM audit_log ORDER BY seq DESC LIMIT 1`;
    expect(audit?.['details']).toMatchObject({ note: 'asked again' });
  });

  it('adds the addresses of a file, of any number, in calls the API accepts', async () => {
    const addresses = Array.from({ length: 1_203 }, (_, index) => `f${index}@file.example`);
    const lines = ['\ufeff# from the former provider', '', ...addresses, 'F0@File.example'];
    await writeFile(join(folder, 'list.txt'), `${lines.join('\r\n')}\r\n`);
    const { code, stdout } = await run(['add', '--emails', '@list.txt', '--reason', 'hard_bounce', '--json']);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ added: 1_203, existing: 1 });
    expect(answer.suppressions).toHaveLength(1_204);
    expect(await totalOf('file.example')).toBe(1_203);
    const again = await run(['add', '--emails', '@list.txt'], { columns: 200 });
    expect(again.stderr).toMatch(/1,000 addresses processed\.[\s\S]*0 added, 1204 already suppressed\./);
  });

  it('adds addresses from stdin and from arguments together', async () => {
    const argv = ['add', '--emails', '-', '--emails', 'third@stdin.example', '--expires-at', '2099-01-01T00:00:00Z'];
    const { code, stdout, stderr } = await run(argv, {
      columns: 200,
      stdin: 'first@stdin.example\n  second@stdin.example  \n',
    });
    expect([code, stderr]).toEqual([0, expect.stringContaining('3 added, 0 already suppressed.')]);
    expect(stdout).toMatch(
      /first@stdin.example[\s\S]*second@stdin.example[\s\S]*third@stdin.example +manual.*2099-01-01/,
    );
  });

  it('says what is wrong, and adds nothing from the failed call', async () => {
    const bad = await run(['add', '--emails', 'good@bad.example', '--emails', 'nobody', '--json']);
    expect([bad.code, JSON.parse(bad.stderr).errors[0].path]).toEqual([6, 'emails.1']);
    expect(await totalOf('bad.example')).toBe(0);
    expect((await run(['add'])).code).toBe(6);
    for (const argv of [
      ['--emails', '@nothing.txt'],
      ['--emails', '-', '--emails', '-'],
      ['--emails', '-'],
    ]) {
      expect((await run(['add', ...argv])).code, argv.join(' ')).toBe(2);
    }
  });

  it('says in its help that a file is accepted', async () => {
    const { stdout } = await run(['add', '--help'], { columns: 120 });
    expect(stdout).toMatch(/Usage: postrider suppressions add \[address\]/);
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Use @file to read addresses from a file');
  });
});
