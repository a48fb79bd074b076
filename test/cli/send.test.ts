import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { problem, type Reply } from '../sdk/scripted-server.ts';
import { KEY, runAgainst, runInProcess, type Terminal } from './run-in-process.ts';

const ID = '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e01';
const ACCEPTED: Reply = { status: 202, body: { id: ID, status: 'queued' } };
const BASICS = ['--from', 'app@example.com', '--to', 'ada@example.org', '--subject', 'Hello'];

const afterwards = useCleanUps();

async function directoryWith(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'cli-send-'));
  afterwards(() => rm(directory, { recursive: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(path.join(directory, name), content);
  return directory;
}

/** The request body of a send with these arguments beside the basic ones. */
async function bodyOf(argv: readonly string[], terminal: Terminal = {}): Promise<Record<string, unknown>> {
  const { code, stderr, received } = await runAgainst([ACCEPTED], ['send', ...BASICS, ...argv], terminal);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(received[0]?.body ?? '');
}

describe('send', () => {
  it('posts the message and prints the response unchanged', async () => {
    const { code, stdout, stderr, received } = await runAgainst([ACCEPTED], ['send', ...BASICS, '--text', 'Hi']);
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: `{"id":"${ID}","status":"queued"}\n`, stderr: '' });
    expect(received).toMatchObject([{ method: 'POST', url: '/emails', headers: { authorization: `Bearer ${KEY}` } }]);
  });

  it('does the same as `emails send`', { tags: ['contract-surfaces.cli-names'] }, async () => {
    const argv = [...BASICS, '--text', 'Hi', '--idempotency-key', 'k1'];
    const runs = await Promise.all(
      [['send'], ['emails', 'send']].map((words) => runAgainst([ACCEPTED], [...words, ...argv])),
    );
    const [short, long] = runs.map(({ received }) => ({ url: received[0]?.url, body: received[0]?.body }));
    expect(short).toEqual(long);
  });

  it('names the channel sdk', { tags: ['contract-sending.channel-clients'] }, async () => {
    expect(await bodyOf(['--text', 'Hi'])).toMatchObject({ channel: 'sdk' });
  });

  it('contains every field that was passed, and no other', async () => {
    const given = await bodyOf([
      ...[
        '--to',
        'Bob <bob@example.org>',
        '--cc',
        'c1@example.org',
        '--cc',
        'c2@example.org',
        '--bcc',
        'b@example.org',
      ],
      ...['--reply-to', 'help@example.com', '--html', '<p>Hi</p>', '--text', '', '--tag', 'one', '--tags', 'two'],
      ...['--header', 'X-Team: a: b', '--header', 'X-Other:c', '--metadata', 'order=1=7', '--metadata', 'empty='],
      ...['--source', 'automation', '--agent-name', 'bot'],
    ]);
    expect(given).toEqual({
      from: 'app@example.com',
      to: ['ada@example.org', 'Bob <bob@example.org>'],
      cc: ['c1@example.org', 'c2@example.org'],
      bcc: ['b@example.org'],
      reply_to: 'help@example.com',
      subject: 'Hello',
      html: '<p>Hi</p>',
      text: '',
      tags: ['one', 'two'],
      headers: { 'X-Team': 'a: b', 'X-Other': 'c' },
      metadata: { order: '1=7', empty: '' },
      source: 'automation',
      agent_name: 'bot',
      channel: 'sdk',
    });
  });

  it('leaves validation of the content to the server', async () => {
    const refusal = problem(422, 'validation_failed', {
      errors: [{ path: 'html', code: 'required', message: 'needs a body' }],
    });
    const { code, stderr, received } = await runAgainst([refusal], ['send', ...BASICS]);
    expect(code).toBe(6);
    expect(received).toHaveLength(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'validation_failed', errors: [{ path: 'html' }] });
  });

  it('accepts a value that looks like a flag after an equals sign', async () => {
    expect(await bodyOf(['--text=--json', '--agent-name=-q'])).toMatchObject({ text: '--json', agent_name: '-q' });
  });
});

describe('the idempotency key of a send', () => {
  it('is the one that was passed', async () => {
    const { received } = await runAgainst([ACCEPTED], ['send', ...BASICS, '--idempotency-key', 'order 17']);
    expect(received[0]?.headers['idempotency-key']).toBe('order 17');
  });

  it('is generated when none is passed, so that retrying after a lost response does not send twice', async () => {
    const { code, received } = await runAgainst(['reset', ACCEPTED], ['send', ...BASICS]);
    const keys = received.map(({ headers }) => headers['idempotency-key']);
    expect(code).toBe(0);
    expect(keys[0]).toMatch(/^[\w-]{20,}$/);
    expect(keys).toEqual([keys[0], keys[0]]);
  });

  it('is printed when the outcome stays unknown', async () => {
    const { code, stderr, received } = await runAgainst(['reset', 'reset', 'reset'], ['send', ...BASICS]);
    expect(code).toBe(8);
    expect(JSON.parse(stderr).fix).toContain(`--idempotency-key ${received[0]?.headers['idempotency-key']}`);
  });

  it('that was used before is reported', async () => {
    const replayed = { ...ACCEPTED, headers: { 'idempotency-replayed': 'true' } };
    const { stderr } = await runAgainst([replayed], ['send', ...BASICS, '--idempotency-key', 'k'], { columns: 80 });
    expect(stderr).toContain('Nothing was sent again');
  });
});

describe('--html and --text', () => {
  it('read the content of a file, relative to the working directory', async () => {
    const cwd = await directoryWith({ 'report.html': '<p>Grüße</p>\n', 'report.txt': '\ufeffGrüße\r\n' });
    expect(await bodyOf(['--html', '@report.html', '--text', '@report.txt'], { cwd })).toMatchObject({
      html: '<p>Grüße</p>\n',
      text: 'Grüße\r\n',
    });
  });

  it('read stdin', async () => {
    expect(await bodyOf(['--text', '-'], { stdin: 'Hi Ada\n' })).toMatchObject({ text: 'Hi Ada\n' });
    expect(await bodyOf(['--html', '@-'], { stdin: new TextEncoder().encode('<p>ü</p>') })).toMatchObject({
      html: '<p>ü</p>',
    });
  });

  it('read @@ as an @ at the beginning', async () => {
    expect(await bodyOf(['--text', '@@ada, look'])).toMatchObject({ text: '@ada, look' });
  });

  it('cannot both read stdin', async () => {
    const { code, stderr } = await runInProcess(['send', ...BASICS, '--html', '-', '--text', '-', '--api-key', KEY]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).detail).toContain('--html and --text');
  });

  it('name the flag and the file when it cannot be read', async () => {
    const { code, stderr } = await runInProcess(['send', ...BASICS, '--html', '@none.html', '--api-key', KEY]);
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({
      detail: expect.stringMatching(/--html.*none\.html.*ENOENT/),
      fix: expect.stringContaining('@@'),
    });
  });

  it('reject what is not UTF-8 instead of sending other characters', async () => {
    const argv = ['send', ...BASICS, '--text', '-', '--api-key', KEY];
    const { code, stderr } = await runInProcess(argv, { stdin: new Uint8Array([0x47, 0xfc]) });
    expect(code).toBe(2);
    expect(JSON.parse(stderr).detail).toContain('UTF-8');
  });

  it('stop reading stdin when the user interrupts', async () => {
    const interruption = new AbortController();
    const argv = ['send', ...BASICS, '--text', '-', '--api-key', KEY];
    const endless = new ReadableStream<string>(
      { pull: () => interruption.abort(new Error('interrupted')) },
      { highWaterMark: 0 },
    );
    const { code } = await runInProcess(argv, { stdin: endless, signal: interruption.signal });
    expect(code).toBe(130);
  });
});

describe('--attach', () => {
  it('attaches a file under its own name, inline when a content id follows', async () => {
    const cwd = await directoryWith({ 'logo.png': new Uint8Array([0x89, 0x50, 0, 0xff]), 'a b.txt': 'Grüße' });
    const { attachments } = await bodyOf(['--attach', 'logo.png:logo', '--attach', './a b.txt'], { cwd });
    expect(attachments).toEqual([
      { filename: 'logo.png', content: 'iVAA/w==', content_id: 'logo' },
      { filename: 'a b.txt', content: Buffer.from('Grüße').toString('base64') },
    ]);
  });

  it('accepts a name with a colon when such a file exists', async () => {
    const cwd = await directoryWith({ '10:30.txt': 'x' });
    expect(await bodyOf(['--attach', '10:30.txt'], { cwd })).toMatchObject({
      attachments: [{ filename: '10:30.txt' }],
    });
    expect(await bodyOf(['--attach', '10:30.txt:id'], { cwd })).toMatchObject({
      attachments: [{ filename: '10:30.txt', content_id: 'id' }],
    });
  });

  it('works beside --attachments, which passes the field unchanged', async () => {
    const cwd = await directoryWith({ 'a.txt': 'x' });
    const byUrl = { filename: 'b.pdf', url: 'https://example.com/b.pdf' };
    expect(await bodyOf(['--attach', 'a.txt', '--attachments', JSON.stringify([byUrl])], { cwd })).toMatchObject({
      attachments: [byUrl, { filename: 'a.txt', content: 'eA==' }],
    });
  });

  it('names the file that cannot be read', async () => {
    for (const path of ['none.pdf', 'none.pdf:logo', '.']) {
      const { code, stderr } = await runInProcess(['send', ...BASICS, '--attach', path, '--api-key', KEY]);
      expect([path, code]).toEqual([path, 2]);
      expect(JSON.parse(stderr)).toMatchObject({ detail: expect.stringMatching(/--attach: .*cannot be read \(E/) });
    }
    const { code } = await runInProcess(['send', ...BASICS, '--attach', 'x', '--attachments', '{}', '--api-key', KEY]);
    expect(code).toBe(2);
  });
});

describe('a send at a terminal', () => {
  it('prints id and status, and on stderr what to do next', async () => {
    const { stdout, stderr } = await runAgainst([ACCEPTED], ['send', ...BASICS], {
      columns: 80,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toBe(`id      ${ID}\nstatus  queued\n`);
    expect(stderr).toContain(`postrider emails get ${ID} --wait 60`);
  });

  it('prints no hint with --quiet', async () => {
    const { stderr } = await runAgainst([ACCEPTED], ['send', ...BASICS, '--quiet'], { columns: 80 });
    expect(stderr).toBe('');
  });

  it('exits with 10 when the message is held', async () => {
    const held = { status: 202, body: { id: ID, status: 'pending_approval' } };
    const { code, stderr } = await runAgainst([held], ['send', ...BASICS], { columns: 80 });
    expect(code).toBe(10);
    expect(stderr).toContain('until an approver decides');
  });
});
