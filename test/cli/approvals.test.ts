import { spawn } from 'node:child_process';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { runCli } from '@postrider/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decidingKey, holdingKey } from '../approvals/approving.ts';
import { COMPILE_CACHE } from '../harness/compile-cache.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { KEY, runInProcess, type Terminal } from './run-in-process.ts';

describe('approvals at the command line', () => {
  let server: TestApp;
  let agent: string;
  let decider: string;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server));
    decider = await decidingKey(server);
    folder = await mkdtemp(join(tmpdir(), 'postrider-approvals-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], terminal: Terminal = {}) =>
    runInProcess(['approvals', ...argv], {
      ...terminal,
      env: { POSTRIDER_API_KEY: decider, POSTRIDER_BASE_URL: server.baseUrl, ...terminal.env },
    });
  const hold = async (body: Readonly<Record<string, unknown>> = {}): Promise<{ id: string; approvalId: string }> =>
    (await server.send({ to: 'bob@receiver.example', ...body }, { key: agent })).body;
  const approval = async (id: string) => (await server.call('GET', `/keys/approvals/${id}`, { key: decider })).body;

  it('lists held sends when there is no terminal for the inbox', async () => {
    const { approvalId } = await hold({ subject: 'Waits' });
    const { code, stdout } = await run([]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout).approvals[0]).toMatchObject({ id: approvalId, status: 'pending', subject: 'Waits' });
    const table = (await run(['--no-json'])).stdout;
    expect(table).toMatch(/^ID +STATUS +SUBJECT/);
    expect(table).toContain(approvalId);
    const { code: wrong, stderr } = await run(['aprove', approvalId]);
    expect([wrong, JSON.parse(stderr)]).toEqual([2, expect.objectContaining({ detail: "unknown command 'aprove'" })]);
  });

  it('approve, bound to a content hash when one is given, and remember', async () => {
    const { approvalId } = await hold();
    const stale = await run(['approve', approvalId, '--content-hash', 'another']);
    expect([stale.code, JSON.parse(stale.stderr).code]).toEqual([6, 'approval_changed']);
    const { contentHash } = await approval(approvalId);
    const flags = ['--content-hash', contentHash, '--remember', '--note', 'Known.'];
    const { code, stdout } = await run(['approve', approvalId, ...flags]);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ status: 'approved', note: 'Known.' })]);
    const again = await run(['approve', approvalId]);
    expect([again.code, JSON.parse(again.stderr).code]).toEqual([6, 'approval_already_decided']);
    expect((await run(['approve', '01980000-0000-7000-8000-000000000000'])).code).toBe(5);
    const own = await run(['approve', (await hold()).approvalId], { env: { POSTRIDER_API_KEY: agent } });
    expect(own.code).toBe(4);
  });

  it('exit with 12 when an approved mail can no longer be sent', { tags: ['contract-cli.exit-12'] }, async () => {
    const { approvalId } = await hold({ to: 'gone@receiver.example' });
    await server.call('POST', '/suppressions', { body: { email: 'gone@receiver.example' } });
    const { code, stdout } = await run(['approve', approvalId, '--no-json']);
    expect(code).toBe(12);
    expect(stdout).toMatch(/^Not sent +\S/m);
  });

  it.each([
    ['that may send as well', ['approvals:decide', 'approvals:read', 'emails:send']],
    ['that may only read the list', ['approvals:decide', 'approvals:read', 'suppressions:read']],
  ])('warn a key %s at a terminal, if the acceptance check would refuse, and ask', async (_, scopes) => {
    const email = `suppressed-${scopes.length}-${scopes.at(-1)?.length}@receiver.example`;
    const { approvalId } = await hold({ to: email });
    await server.call('POST', '/suppressions', { body: { email } });
    const env = { POSTRIDER_API_KEY: await server.newKey({ scopes: [...scopes] }), POSTRIDER_BASE_URL: server.baseUrl };
    const type = async (typed: string, id: string) => {
      let written = '';
      const sink = { write: (part: string) => (written += part), isTTY: true, columns: 200 };
      const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
      const io = { stdout: sink, stderr: sink, stdin, env, cwd: folder };
      return { code: await runCli(['approvals', 'approve', id], io), written };
    };
    const declined = await type('n\n', approvalId);
    expect([declined.code, declined.written]).toEqual([
      2,
      expect.stringMatching(new RegExp(`^Warning: ${email}.*suppression list`)),
    ]);
    expect((await approval(approvalId)).status).toBe('pending');
    expect((await type('y\n', approvalId)).code).toBe(12);
    const fine = await type('', (await hold()).approvalId);
    expect([fine.code, fine.written]).toEqual([0, expect.not.stringContaining('Warning')]);
  });

  it('reject with a code and a note', async () => {
    const { approvalId } = await hold();
    expect((await run(['reject', approvalId, '--code', 'nonsense'])).code).toBe(2);
    const { code, stdout } = await run(['reject', approvalId, '--code', 'policy', '--note', 'No.', '--no-json']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Status +rejected by /m);
    expect(await approval(approvalId)).toMatchObject({ status: 'rejected', rejectCode: 'policy', note: 'No.' });
  });

  it('decide many in one call, with all the ids given', async () => {
    const ids = [(await hold()).approvalId, (await hold()).approvalId];
    const { code, stdout } = await run(['decide-many', ...ids, '--decision', 'reject']);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ accepted: 2, total: 2 })]);
  });

  it('edit in an editor, send only what changed, and show it first', async () => {
    const { approvalId } = await hold({ subject: 'Before', html: '<p>Hi</p>', scheduled_at: 'PT1H' });
    const editor = join(folder, 'editor');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/Subject: Before/Subject: After/" "$1"\n');
    await chmod(editor, 0o755);
    const asked = await run(['edit', approvalId], { env: { EDITOR: editor } });
    expect([asked.code, JSON.parse(asked.stderr).code]).toEqual([2, 'usage']);
    const unchanged = await run(['edit', approvalId, '--yes'], { env: { VISUAL: 'true', EDITOR: editor } });
    expect([unchanged.code, JSON.parse(unchanged.stderr).code]).toEqual([2, 'nothing_changed']);
    const { code, stdout, stderr } = await run(['edit', approvalId, '--yes'], { env: { EDITOR: editor } });
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'Subject\n- Before\n+ After\n' });
    expect(JSON.parse(stdout)).toMatchObject({ subject: 'After', edited: ['subject'], outcome: 'queued' });
    const over = await run(['edit', approvalId, '--yes'], { env: { EDITOR: editor } });
    expect([over.code, JSON.parse(over.stderr).code]).toEqual([6, 'approval_already_decided']);
  });

  it('warn before an edited message that the acceptance check would refuse, and ask', async () => {
    await server.call('POST', '/suppressions', { body: { email: 'blocked@receiver.example' } });
    const editor = join(folder, 'readdress');
    await writeFile(editor, '#!/bin/sh\nsed -i "s/^To: .*/To: blocked@receiver.example/" "$1"\n');
    await chmod(editor, 0o755);
    const key = await server.newKey({ scopes: ['approvals:decide', 'approvals:read', 'suppressions:read'] });
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl, EDITOR: editor, NO_COLOR: '1' };
    const edit = async (typed: string, id: string) => {
      let written = '';
      const sink = { write: (part: string) => (written += part), isTTY: true, columns: 200 };
      const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
      const io = { stdout: sink, stderr: sink, stdin, env, cwd: folder };
      return { code: await runCli(['approvals', 'edit', id], io), written };
    };
    const { approvalId } = await hold();
    const declined = await edit('n\n', approvalId);
    expect(declined.code).toBe(2);
    expect(declined.written).toMatch(
      /^\+ blocked@receiver\.example\nWarning: blocked@receiver\.example: .*suppression list/m,
    );
    expect(declined.written).toContain('Approve it with these changes anyway? Type y: ');
    expect((await approval(approvalId)).status).toBe('pending');
    expect((await edit('y\n', approvalId)).code).toBe(12);
  });

  it('load terminal rendering for the inbox only', async () => {
    const trace =
      "import { registerHooks } from 'node:module';" +
      'registerHooks({ load(url, context, next) { process._rawDebug(url); return next(url, context); } });';
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(trace)}`];
    const main = join(import.meta.dirname, '../../packages/cli/src/main.ts');
    const env = { ...COMPILE_CACHE, POSTRIDER_API_KEY: KEY, POSTRIDER_BASE_URL: 'http://127.0.0.1:1' };
    const child = spawn(process.execPath, [...flags, main, 'approvals', 'list'], { env });
    const loaded = await text(child.stderr);
    expect(loaded).toMatch(/\/execute\.ts/);
    expect(loaded).not.toMatch(/\/(?:ink|react|react-reconciler)@|\/inbox\//);
  });
});
