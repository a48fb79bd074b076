import { Readable } from 'node:stream';
import { runCli } from '@postrider/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIdPrefix, spanOf } from '../../packages/cli/src/ids/id-prefix.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess } from './run-in-process.ts';

describe('a prefix of an id', () => {
  it.each([
    ['01980d3c', true],
    ['01980D3C-0000', true],
    ['01980d3c-0000-7000-8000-00000000000', true],
    ['01980d3c-0000-7000-8000-000000000000', false],
    ['01980d3', false],
    ['01980d3c-0000-4', false],
    ['mail.example.com', false],
    ['deadbeef.example', false],
    ['welcome-mail', false],
  ])('%s is told from names and whole ids', (text, expected) => {
    expect(isIdPrefix(text)).toBe(expected);
  });

  it('has the time of the ids that begin with it', () => {
    const { from, to } = spanOf('019c12e7-e000');
    const at = 0x019c12e7e000;
    expect([Date.parse(from) < at, Date.parse(to) > at]).toEqual([true, true]);
    expect(Date.parse(to) - Date.parse(from)).toBeLessThan(200_000);
  });
});

describe('commands', () => {
  let server: TestApp;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startTestApp();
    env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
  });
  afterAll(() => server.close());

  const run = (...argv: string[]) => runInProcess(argv, { env });
  const json = async (...argv: string[]) => JSON.parse((await run(...argv, '--json')).stdout);
  const newKey = async (name: string) =>
    (await json('keys', 'create', '--name', name, '--scope', 'sending')).id as string;
  /** As many characters as no other id of the list begins with. */
  const uniquePrefix = async (id: string, list: 'keys' | 'emails' = 'keys') => {
    const answer = await json(list, 'list', '--limit', '100');
    const others: string[] = (answer.keys ?? answer.messages).map((row: { id: string }) => row.id);
    const isUnique = (length: number) => others.filter((one) => one.startsWith(id.slice(0, length))).length === 1;
    let length = 8;
    while (!isUnique(length)) length += 1;
    return id.slice(0, length);
  };

  /** At a terminal where this is typed. */
  async function runTyping(typed: string, argv: readonly string[]) {
    let written = '';
    const sink = { write: (text: string) => (written += text), isTTY: true, columns: 100 };
    const stdin = Object.assign(Readable.from([typed]), { isTTY: true });
    const code = await runCli(argv, { stdout: sink, stderr: sink, stdin, env, cwd: import.meta.dirname });
    return { code, written };
  }

  it('accept a prefix that only one id begins with', async () => {
    const first = await newKey('First of two');
    await newKey('Second of two');
    expect((await json('keys', 'get', await uniquePrefix(first))).name).toBe('First of two');
    const sent = [await server.send({ subject: 'One' }), await server.send({ subject: 'Two' })];
    const [one = ''] = sent.map(({ body }) => body.id as string);
    expect((await json('emails', 'get', await uniquePrefix(one, 'emails'))).subject).toBe('One');
    const missing = await run('keys', 'get', '01980d3c-0000-7000');
    expect(missing.code).toBe(5);
  });

  it('list the candidates of an ambiguous prefix', async () => {
    let ids: readonly string[] = [];
    // The first characters are those of a minute or so, which may end between the two.
    do ids = [await newKey('Twin one'), await newKey('Twin two')];
    while (ids[0]?.slice(0, 8) !== ids[1]?.slice(0, 8));
    const { code, stderr } = await run('keys', 'get', ids[0]?.slice(0, 8) ?? '');
    const problem = JSON.parse(stderr);
    expect([code, problem.code]).toEqual([2, 'ambiguous_id']);
    expect(problem.errors.map(({ path, message }: { path: string; message: string }) => [path, message])).toEqual(
      expect.arrayContaining([
        [ids[0], 'Twin one'],
        [ids[1], 'Twin two'],
      ]),
    );
  });

  it('show what matched before anything final, and ask for it', async () => {
    const [id, other] = [await newKey('To revoke'), await newKey('To keep')];
    const prefix = await uniquePrefix(id);
    const script = await run('keys', 'revoke', prefix);
    expect([script.code, JSON.parse(script.stderr).fix]).toEqual([2, expect.stringContaining(id)]);
    const refused = await runTyping('n\n', ['keys', 'revoke', prefix]);
    expect([refused.code, refused.written]).toEqual([2, expect.stringContaining(`Matched ${id}: To revoke`)]);
    expect((await json('keys', 'get', id)).revokedAt).toBeNull();
    const confirmed = await runTyping('y\n', ['keys', 'revoke', prefix]);
    expect(confirmed.code).toBe(0);
    expect((await json('keys', 'get', id)).revokedAt).not.toBeNull();
    const changed = await runInProcess(['keys', 'update', await uniquePrefix(other), '--rate-limit', '7'], {
      env,
      columns: 100,
    });
    expect(changed.stderr).toContain(`Matched ${other}: To keep`);
  });
});
