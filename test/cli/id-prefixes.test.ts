import { Readable } from 'node:stream';
import { runCli } from '@postrider/cli';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isIdPrefix, spanOf } from '../../packages/cli/src/ids/id-prefix.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { problem } from '../sdk/scripted-server.ts';
import { runAgainst, runInProcess } from './run-in-process.ts';

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

const idAt = (place: number) => `01980d3c-0000-7000-8000-00000000000${place}`;
const pageOf = (count: number, nextCursor: string | null = null) => ({
  status: 200,
  body: { approvals: Array.from({ length: count }, (_, at) => ({ id: idAt(at), subject: `No. ${at}` })), nextCursor },
});
const APPROVE = ['approvals', 'approve', '01980d3c', '--json'];

describe('an ambiguous prefix', () => {
  it('of a hold to decide matches only pending holds', async () => {
    const { stderr, received } = await runAgainst([pageOf(2)], APPROVE);
    expect(received.map(({ url }) => url)).toEqual([expect.stringMatching(/(?=.*status=pending)(?=.*content=false)/)]);
    expect(JSON.parse(stderr).detail).toBe('2 pending holds have an id that begins with 01980d3c');
  });

  it('of a hold to decide matches decided holds if none is pending', async () => {
    const { stderr, received } = await runAgainst([pageOf(0), pageOf(1)], APPROVE);
    expect(received[1]?.url).not.toContain('status=');
    expect(JSON.parse(stderr).detail).toContain(idAt(0));
  });

  it('has its number of matches, of which some are listed', async () => {
    const detailOf = async (page: ReturnType<typeof pageOf>) => {
      const { stderr } = await runAgainst([page], APPROVE);
      const { detail, errors } = JSON.parse(stderr);
      return [detail, errors.length];
    };
    const words = 'pending holds have an id that begins with 01980d3c, of which 5 are listed';
    expect(await detailOf(pageOf(7))).toEqual([`7 ${words}`, 5]);
    expect(await detailOf(pageOf(7, 'next'))).toEqual([`at least 7 ${words}`, 5]);
  });
});

describe('an id that is cut too short', () => {
  it('is explained if no record is found', async () => {
    const missing = problem(404, 'not_found', { fix: 'Check the path and the id.' });
    const { code, stderr } = await runAgainst([missing], ['keys', 'get', '01980d', '--json']);
    expect([code, JSON.parse(stderr).fix]).toEqual([
      5,
      'Check the path and the id. The beginning of an id needs at least 8 characters.',
    ]);
    const named = await runAgainst([missing], ['templates', 'get', 'welcome', '--json']);
    expect(JSON.parse(named.stderr).fix).toBe('Check the path and the id.');
  });

  it('is explained by the help of the command', async () => {
    const { stdout } = await runInProcess(['approvals', 'approve', '--help'], { columns: 200 });
    expect(stdout).toMatch(/^ {2}id .* The first 8 or more characters of an id are enough\.$/m);
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
