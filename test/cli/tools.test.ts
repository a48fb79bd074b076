import { stripVTControlCharacters } from 'node:util';
import type { SpfCheck } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem } from '../sdk/scripted-server.ts';
import { runAgainst, runInProcess } from './run-in-process.ts';

const PLAIN = { NO_COLOR: '1' };
const WITHOUT_KEY = { POSTRIDER_API_KEY: '' };

const SPF: SpfCheck = {
  ok: false,
  check: 'spf',
  target: 'example.com',
  status: 'fail',
  records: [
    row({ name: 'example.com', value: 'v=spf1 include:_spf.example.com -all', depth: 0, via: 'start', lookups: 1 }),
    row({ name: '_spf.example.com', value: null, depth: 1, via: 'include', parent: 'example.com', state: 'missing' }),
  ],
  findings: [
    {
      level: 'fail',
      code: 'spf_include_missing',
      message: 'An `include` leads to a name without an SPF record.\u001b[2J _spf.example.com is named by example.com.',
      fix: 'Correct the name, or remove the term that leads there, and then check the record again.',
    },
    { level: 'pass', code: 'spf_valid', message: 'There is one record.', fix: 'Nothing to do.' },
  ],
  checkedAt: '2026-01-31T09:00:00.000Z',
};

function row(changes: Partial<SpfCheck['records'][number]>): SpfCheck['records'][number] {
  return {
    type: 'TXT',
    name: '',
    value: null,
    via: 'start',
    parent: null,
    depth: 0,
    lookups: 0,
    state: 'found',
    ...changes,
  };
}

describe('a check', () => {
  const argv = ['tools', 'spf', 'example.com'];
  const answers = [{ status: 200, body: SPF }];

  it('needs no key', async () => {
    const { code, received } = await runAgainst(answers, argv, { env: WITHOUT_KEY });
    expect(code).toBe(0);
    expect(received[0]).toMatchObject({ method: 'POST', url: '/tools/spf', body: '{"domain":"example.com"}' });
    expect(received[0]?.headers.authorization).toBeUndefined();
  });

  it('shows the findings, the worst first, with the fix when something is wrong', async () => {
    const { stdout } = await runAgainst(answers, argv, { columns: 80, env: PLAIN });
    expect(stdout).toMatch(/^spf of example\.com: fail\n\nfail {2}spf_include_missing: An `include` leads/);
    expect(stdout).toMatch(/\n {6}Fix: Correct the name/);
    expect(stdout).toMatch(/\npass {2}spf_valid: There is one record\.\n/);
    expect(stdout).not.toContain('Nothing to do');
    expect(stdout).not.toContain('\u001b');
  });

  it('shows a tree of records as one', async () => {
    const { stdout } = await runAgainst(answers, argv, { columns: 120, env: PLAIN });
    expect(stdout).toMatch(/^ {2}TXT {3}example\.com +v=spf1/m);
    expect(stdout).toMatch(/^ {2}TXT {5}_spf\.example\.com +include +0 +missing$/m);
  });

  it.each([60, 80, 120])('fits a terminal of %i columns', async (columns) => {
    const { stdout } = await runAgainst(answers, argv, { columns });
    const lines = stripVTControlCharacters(stdout).split('\n');
    expect(lines.filter((line) => line.length > columns)).toEqual([]);
  });

  it('has the color of its level at a terminal', async () => {
    const { stdout } = await runAgainst(answers, argv, { columns: 80 });
    expect(stdout).toContain('\u001b[31mfail\u001b[39m');
    expect(stdout).toContain('\u001b[32mpass\u001b[39m');
  });

  it('is the API’s own document with --json', async () => {
    const { stdout } = await runAgainst(answers, [...argv, '--json'], { columns: 80 });
    expect(JSON.parse(stdout)).toEqual(SPF);
  });

  it('exits with 7 when the address has made too many requests', async () => {
    const { code } = await runAgainst(Array(4).fill(problem(429, 'rate_limited', {}, { 'retry-after': '0' })), argv);
    expect(code).toBe(7);
  });
});

describe('inbox-placement', () => {
  const argv = ['tools', 'inbox-placement'];

  it('sends a message that begins with an @ as it is', async () => {
    const { received } = await runAgainst([{ status: 200, body: SPF }], argv, { stdin: '@file\n\nHi' });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ raw: '@file\n\nHi' });
  });

  it('leaves stdin alone when the message is passed in parts', async () => {
    const parts = ['--from', 'a@example.com', '--subject', 'Hi', '--text', 'Hi'];
    const { received } = await runAgainst([{ status: 200, body: SPF }], [...argv, ...parts], { stdin: 'not this' });
    expect(JSON.parse(received[0]?.body ?? '')).toEqual({ from: 'a@example.com', subject: 'Hi', text: 'Hi' });
  });

  it('rejects two messages, and a missing file', async () => {
    expect((await runInProcess([...argv, '--file', 'a.eml', '--raw', 'x'])).code).toBe(2);
    const { code, stderr } = await runInProcess([...argv, '--file', 'none.eml']);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).detail).toMatch(/--file.*none\.eml.*ENOENT/);
  });
});

describe('tools list', () => {
  it('names every tool and where it is', async () => {
    const tools = [
      { name: 'spf', method: 'POST', path: '/tools/spf', description: 'Checks SPF.', input: { type: 'object' } },
    ];
    const { stdout } = await runAgainst([{ status: 200, body: { tools } }], ['tools', 'list'], {
      columns: 80,
      env: PLAIN,
    });
    expect(stdout).toBe('NAME  PATH             DESCRIPTION\nspf   POST /tools/spf  Checks SPF.\n');
  });
});
