import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

const SEND = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi' };

describe('postrider batch, cancel, reschedule, resend and dry runs', () => {
  let server: TestApp;
  let folder: string;
  beforeAll(async () => {
    server = await startTestApp();
    folder = await mkdtemp(path.join(tmpdir(), 'postrider-batch-'));
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true, force: true });
  });

  const run = (argv: readonly string[], terminal: Terminal = {}) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    return runInProcess(argv, { env, cwd: folder, ...terminal });
  };
  const scheduled = async () => (await server.send({ scheduled_at: 'PT1H' })).body.id as string;
  const lines = (...items: readonly unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

  it.each([
    ['a JSON array', JSON.stringify([SEND, { ...SEND, subject: 'Second' }], null, 2)],
    ['the API’s own body', JSON.stringify({ emails: [SEND, SEND] })],
    ['one object a line', `\ufeff${lines(SEND, SEND).replace('\n', '\r\n\r\n')}`],
  ])('sends the contents of a file: %s', async (_form, content) => {
    await writeFile(path.join(folder, 'sends.json'), content);
    const { code, stdout } = await run(['batch', 'sends.json']);
    expect(code).toBe(0);
    const answer = JSON.parse(stdout);
    expect(answer).toMatchObject({ accepted: 2, refused: 0, total: 2 });
    expect((await server.call('GET', `/emails/${answer.results[0].id}`)).body.channel).toBe('sdk');
  });

  it('sends what arrives on stdin, and exits with 6 when an item is rejected', async () => {
    const { code, stdout, stderr } = await run(['emails', 'batch', '-', '--json'], {
      stdin: lines(SEND, { ...SEND, from: 'a@nowhere.example' }, 7),
    });
    expect([code, stderr]).toEqual([6, '']);
    const { results, accepted } = JSON.parse(stdout);
    expect(accepted).toBe(1);
    expect(results.map(({ error }: { error?: { code: string } }) => error?.code)).toEqual([
      undefined,
      'domain_not_verified',
      'validation_failed',
    ]);
  });

  it('shows one line per item at a terminal', async () => {
    const stdin = lines(SEND, { ...SEND, from: 'a@nowhere.example' });
    const { code, stdout, stderr } = await run(['batch', '-', '--no-json'], { stdin, columns: 100 });
    expect(code).toBe(6);
    expect(stdout).toMatch(/^0 +queued +[0-9a-f-]{36}$/m);
    expect(stdout).toMatch(/^1 +refused +domain_not_verified: [\s\S]* Fix: /m);
    expect(stderr).toContain('1 of 2 accepted, 1 refused.');
  });

  it('checks and sends nothing with --dry-run', async () => {
    const before = (await server.call('GET', '/emails')).body.total;
    const stdin = lines(SEND, { ...SEND, to: 'a@example.com', from: 'a@nowhere.example' });
    const { code, stdout } = await run(['batch', '-', '--dry-run', '--no-json'], { stdin });
    expect(code).toBe(6);
    expect(stdout).toContain('would be accepted');
    expect(stdout).toMatch(/would be refused +domain_not_verified/);
    expect((await server.call('GET', '/emails')).body.total).toBe(before);
    expect((await run(['batch', '-', '--dry-run'], { stdin: lines(SEND) })).code).toBe(0);
  });

  it('waits for every outcome with --wait', async () => {
    const good = await run(['batch', '-', '--wait', '10'], { stdin: lines(SEND, SEND) });
    expect(good.code).toBe(0);
    expect(JSON.parse(good.stdout).results.map(({ status }: { status: string }) => status)).toEqual([
      'delivered',
      'delivered',
    ]);
    const bad = await run(['batch', '-', '--wait', '10'], {
      stdin: lines(SEND, { ...SEND, to: 'bounced@sandbox.test' }),
    });
    expect(bad.code).toBe(12);
    const late = await run(['batch', '-', '--wait', '1'], { stdin: lines(SEND, { ...SEND, scheduled_at: 'PT1H' }) });
    expect(late.code).toBe(11);
    expect(JSON.parse(late.stdout).results[1].status).toBe('queued');
  });

  it('repeats with an idempotency key without sending twice', async () => {
    const argv = ['batch', '-', '--idempotency-key', 'from a shell'];
    const first = await run(argv, { stdin: lines(SEND) });
    expect(JSON.parse((await run(argv, { stdin: lines(SEND) })).stdout)).toEqual(JSON.parse(first.stdout));
  });

  it('names a file that cannot be read, a line that is not JSON, and an empty file', async () => {
    await writeFile(path.join(folder, 'broken.jsonl'), `${JSON.stringify(SEND)}\n{"from":\n`);
    await writeFile(path.join(folder, 'empty.jsonl'), '\n\n');
    const missing = await run(['batch', 'nowhere.json', '--no-json']);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('nowhere.json')]);
    const broken = await run(['batch', 'broken.jsonl', '--no-json']);
    expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('line 2')]);
    expect((await run(['batch', 'empty.jsonl'])).code).toBe(2);
    expect((await run(['batch'])).code).toBe(2);
  });

  it('lets the server reject more than a hundred', async () => {
    const { code, stderr } = await run(['batch', '-', '--json'], {
      stdin: lines(...Array.from({ length: 101 }, () => SEND)),
    });
    expect([code, JSON.parse(stderr).errors[0].path]).toEqual([6, 'emails']);
  });

  it('cancels once, and exits with 6 the second time', async () => {
    const id = await scheduled();
    const first = await run(['emails', 'cancel', id]);
    expect([first.code, JSON.parse(first.stdout)]).toEqual([0, { id, status: 'canceled' }]);
    const second = await run(['emails', 'cancel', id, '--json']);
    expect([second.code, JSON.parse(second.stderr)]).toEqual([
      6,
      expect.objectContaining({ code: 'message_not_queued', currentStatus: 'canceled' }),
    ]);
  });

  it('reschedules', async () => {
    const id = await scheduled();
    const { code, stdout } = await run(['emails', 'reschedule', id, '--scheduled-at', 'P3D']);
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { id, status: 'queued' }]);
  });

  it('resends, follows the new message with --wait, and exits with 6 when the body is gone', {
    tags: ['contract-cli.exit-6-expired'],
  }, async () => {
    const { body } = await server.send();
    await server.settled(body.id);
    const again = await run(['emails', 'resend', body.id, '--wait', '10']);
    expect([again.code, JSON.parse(again.stdout)]).toMatchObject([0, { status: 'delivered', resendOf: body.id }]);
    const id = await scheduled();
    await run(['emails', 'cancel', id]);
    const gone = await run(['emails', 'resend', id, '--json']);
    expect([gone.code, JSON.parse(gone.stderr).code]).toEqual([6, 'body_expired']);
  });

  it('shows the findings of a dry run, and exits as the send would', async () => {
    const flags = ['--to', 'b@example.com', '--subject', 'Hello', '--text', 'Hi there', '--dry-run'];
    const fine = await run(['send', '--from', 'a@sandbox.test', ...flags, '--no-json'], { columns: 100 });
    expect(fine.code).toBe(0);
    for (const shown of [/^dry run +would be accepted$/m, /^ +domain +ok$/m, /^ +to +b@example.com ok$/m, /Hi there/]) {
      expect(fine.stdout).toMatch(shown);
    }
    expect(fine.stderr).toContain('Nothing was sent');
    const wrong = await run(['send', '--from', 'a@nowhere.example', ...flags, '--no-json']);
    expect(wrong.code).toBe(6);
    expect(wrong.stdout).toMatch(/^ +domain +domain_not_verified: /m);
    const json = await run(['send', '--from', 'a@sandbox.test', ...flags, '--wait']);
    expect(JSON.parse(json.stdout)).toMatchObject({ dryRun: true, ok: true });
  });
});
