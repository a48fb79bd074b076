import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { makeSigner } from '../receipts/changed-receipts.ts';
import { runInProcess } from './run-in-process.ts';

const FILE = 'seven';

describe('receipts on the command line', () => {
  let server: TestApp;
  let folder: string;
  let approvalId: string;
  let emailId: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    folder = await mkdtemp(join(tmpdir(), 'postrider-receipts-'));
    const { key: agent } = await holdingKey(server);
    decider = await decidingKey(server);
    const { body } = await server.send(
      {
        ...{
          to: ['"Lovelace, Ada" <ada@receiver.example>', 'Zoë <zoe@receiver.example>'],
          bcc: 'bob@receiver.example',
        },
        ...{ headers: { 'X-Order': '7', 'X-Batch': 'a' }, html: '<p>Grüße</p>', scheduled_at: 'PT1H' },
        attachments: [{ filename: 'invoice.txt', content: Buffer.from(FILE).toString('base64') }],
      },
      { key: agent },
    );
    ({ approvalId, id: emailId } = body);
    expect((await decide(server, decider, approvalId)).body.outcome).toBe('queued');
    const save = (name: string, content: string) => writeFile(join(folder, name), content);
    await save('receipt.jws', (await run('approvals', 'receipt', approvalId)).stdout);
    await save('hold.json', (await run('approvals', 'get', approvalId, '--json')).stdout);
    const keys = await server.call('GET', '/.well-known/postrider-receipts.json', { key: null });
    await save('keys.json', JSON.stringify(keys.body));
    await save('other-keys.json', JSON.stringify({ keys: [makeSigner().jwk] }));
    await save('invoice.txt', FILE);
    await save('other.txt', 'eight');
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const run = (...argv: readonly string[]) =>
    runInProcess(argv, {
      env: { POSTRIDER_API_KEY: decider, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' },
      cwd: folder,
    });
  const verify = async (...argv: readonly string[]) => {
    const { code, stdout } = await run('audit', 'verify-receipt', ...argv, '--json');
    const { ok, reason, receipt } = JSON.parse(stdout);
    return { code, ok, reason, emailId: receipt?.emailId ?? null };
  };
  const valid = () => ({ code: 0, ok: true, reason: null, emailId });
  const refused = (reason: string) => ({ code: 1, ok: false, reason, emailId: null });

  it('prints the receipt alone', { tags: ['receipts.read'] }, async () => {
    const { stdout, code } = await run('approvals', 'receipt', approvalId);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}\n$/)]);
  });

  it('says that an undecided hold has none', async () => {
    const { key } = await holdingKey(server);
    const { body } = await server.send({}, { key });
    const { code, stderr } = await run('approvals', 'receipt', body.approvalId);
    expect([code, stderr]).toEqual([5, expect.stringContaining('is pending and has no receipt')]);
  });

  it('verifies a receipt without the server', { tags: ['receipts.verify-command'] }, async () => {
    const { code, stdout } = await runInProcess(['audit', 'verify-receipt', 'receipt.jws', '--keys', 'keys.json'], {
      cwd: folder,
      columns: 200,
    });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^The receipt is valid\.\nDecision +approved at .*\nBy +the key Decider \(.*\), by api\n/);
    expect(stdout).toContain('(not compared)');
    expect(await verify('hold.json', '--keys', 'keys.json')).toEqual(valid());
  });

  it('compares the message and its files', { tags: ['receipts.verify-command'] }, async () => {
    const given = ['receipt.jws', '--keys', 'keys.json', '--message'] as const;
    expect(await verify(...given, 'hold.json', '--attachment', 'invoice.txt')).toEqual(valid());
    expect(await verify(...given, 'hold.json', '--attachment', 'other.txt')).toEqual(refused('file'));
    const hold = JSON.parse((await run('approvals', 'get', approvalId, '--json')).stdout);
    const changes: Readonly<Record<string, unknown>> = {
      ...{
        subject: 'Another',
        html: '<p>Another</p>',
        text: 'Another',
        from: 'eve@sandbox.test',
        replyTo: 'eve@sandbox.test',
      },
      ...{ to: [hold.to[0]], bcc: [], headers: { 'X-Order': '7' }, unsubscribe: true, emailId: hold.id },
      attachments: [{ ...hold.attachments[0], filename: 'evil.txt' }],
    };
    for (const [name, value] of Object.entries(changes)) {
      await writeFile(join(folder, 'changed.json'), JSON.stringify({ ...hold, [name]: value }));
      expect([name, await verify(...given, 'changed.json')]).toEqual([name, refused('message')]);
    }
  });

  it('knows the issuer by the address of the keys', { tags: ['receipts.verify-command'] }, async () => {
    const keys = `${server.baseUrl}/.well-known/postrider-receipts.json`;
    expect(await verify('receipt.jws', '--keys', keys)).toEqual(valid());
    expect(await verify('receipt.jws', '--keys', 'keys.json', '--issuer', server.baseUrl)).toEqual(valid());
    expect(await verify('receipt.jws', '--keys', 'keys.json', '--issuer', 'https://other.example')).toEqual(
      refused('issuer'),
    );
  });

  it('refuses a changed receipt, and one of another key', { tags: ['receipts.verify-command'] }, async () => {
    const receipt = (await run('approvals', 'receipt', approvalId)).stdout.trim();
    const cases = { signature: `${receipt.slice(0, -9)}AAAA${receipt.slice(-5)}`, malformed: receipt.slice(9) };
    for (const [reason, content] of Object.entries(cases)) {
      await writeFile(join(folder, 'changed.jws'), content);
      expect(await verify('changed.jws', '--keys', 'keys.json')).toEqual(refused(reason));
    }
    expect(await verify('receipt.jws', '--keys', 'other-keys.json')).toEqual(refused('unknown_key'));
  });

  it('says what is missing', async () => {
    const cases: readonly (readonly [readonly string[], string])[] = [
      [['receipt.jws'], '`--keys` is missing'],
      [['receipt.jws', '--keys', 'receipt.jws'], 'is no key set'],
      [['none.jws', '--keys', 'keys.json'], 'cannot be read (ENOENT)'],
    ];
    for (const [argv, said] of cases) {
      const { code, stderr } = await run('audit', 'verify-receipt', ...argv);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
  });
});
