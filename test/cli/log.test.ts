import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { problem } from '../sdk/scripted-server.ts';
import { type Finished, runAgainst, runInProcess, type Terminal } from './run-in-process.ts';

describe('the commands of the message log', () => {
  let server: TestApp;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    folder = await mkdtemp(join(tmpdir(), 'postrider-cli-'));
    env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    for (const tags of [['order'], ['order', 'vip'], []]) await server.send({ subject: `Tags: ${tags.length}`, tags });
  });
  afterAll(async () => {
    await server.close();
    await rm(folder, { recursive: true });
  });

  const run = (argv: string, terminal: Terminal = {}): Promise<Finished> =>
    runInProcess(argv.split(' '), { env, cwd: folder, ...terminal });

  describe('emails list', () => {
    it('accepts every filter as a flag, and the tag more than once', async () => {
      const subjects = async (flags: string) => {
        const { stdout } = await run(`emails list ${flags} --json`);
        return JSON.parse(stdout).messages.map(({ subject }: { subject: string }) => subject);
      };
      expect(await subjects('--tag order')).toEqual(['Tags: 2', 'Tags: 1']);
      expect(await subjects('--tag order --tag VIP')).toEqual(['Tags: 2']);
      const all = '--q tags --channel api --source backend --recipient delivered@sandbox.test --domain sandbox.test';
      expect(await subjects(`${all} --from 2020-01-01 --to 2100-01-01 --status queued`)).toHaveLength(3);
      expect(await subjects('--agent-name nobody')).toEqual([]);
    });
  });

  describe('emails export', () => {
    it('writes the file to stdout unchanged, and nothing else there', async () => {
      const { code, stdout, stderr } = await run('emails export --tag order');
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.split('\n')[0]).toBe('id,created_at,from,to,subject,status,channel,source,agent_name,tags');
      expect(stdout.trimEnd().split('\n')).toHaveLength(3);
      const lines = (await run('emails export --format jsonl', { columns: 100 })).stdout.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line).subject)).toEqual(['Tags: 0', 'Tags: 2', 'Tags: 1']);
    });

    it('writes to the file that --output names, and says what it wrote', async () => {
      const { code, stdout } = await run('emails export --output mine.csv --tag order');
      expect(code).toBe(0);
      const path = join(folder, 'mine.csv');
      const text = await readFile(path, 'utf8');
      expect(JSON.parse(stdout)).toEqual({ file: path, rows: 2, bytes: text.length, truncated: false });
      expect(text).toContain(',Tags: 2,');
      const human = await run('emails export -o mine.json --format json --no-json');
      expect(human.stdout).toBe(`Wrote 3 messages to ${join(folder, 'mine.json')}\n`);
      expect(JSON.parse(await readFile(join(folder, 'mine.json'), 'utf8'))).toHaveLength(3);
      expect(JSON.parse((await run('emails export -o none.json --format json --tag x')).stdout).rows).toBe(0);
    });

    it('uses the server’s file name when --output names a folder', async () => {
      await mkdir(join(folder, 'exports'));
      await run('emails export --output exports --format jsonl');
      expect(await readdir(join(folder, 'exports'))).toEqual([
        `acme-messages-${server.clock.now().toISOString().slice(0, 10)}.jsonl`,
      ]);
    });

    it('shows progress at a terminal, and removes it at the end', async () => {
      const { stderr } = await run('emails export --output bar.csv', { columns: 100 });
      expect(stderr).toMatch(/█+ 100 % {2}\d messages, 0\.0 MB/);
      expect(stderr.endsWith('\r\u001b[K')).toBe(true);
      expect((await run('emails export --output bar.csv --quiet', { columns: 100 })).stderr).toBe('');
      expect((await run('emails export --output bar.csv', { isErrTty: false })).stderr).toBe('');
    });

    it('leaves no partial file behind: not after an interruption, nor when it cannot be written', async () => {
      const cut = await runAgainst(['stall'], ['emails', 'export', '--output', 'cut.csv', '--timeout', '1'], {
        cwd: folder,
      });
      expect(cut.code).toBe(8);
      expect((await readdir(folder)).filter((name) => name.startsWith('cut'))).toEqual([]);
      const { code, stderr } = await run('emails export --output no/such/folder.csv');
      expect(code).toBe(2);
      expect(JSON.parse(stderr).detail).toContain('ENOENT');
    });

    it('reports errors as every command does, and keeps the global meaning of --output elsewhere', async () => {
      const wrong = await run('emails export --from soon --output mine.csv');
      expect([wrong.code, JSON.parse(wrong.stderr).code]).toEqual([2, 'usage']);
      const refused = await run('emails export --from 2026-02-30 --output mine.csv');
      expect([refused.code, JSON.parse(refused.stderr).code]).toEqual([6, 'validation_failed']);
      expect(await readFile(join(folder, 'mine.csv'), 'utf8')).toContain('Tags: 2');
      expect((await run('emails list --output table')).stdout).toContain('SUBJECT');
      expect((await run('emails export --help')).stdout).toContain('-o, --output <file>');
      expect((await run('emails export --help')).stdout).not.toContain('--output <format>');
    });
  });

  describe('emails tail', () => {
    /** Runs the command until what it has written satisfies, then interrupts it. */
    async function follow(argv: string, until: (text: string) => boolean, terminal: Terminal = {}): Promise<string> {
      const interruption = new AbortController();
      const written: string[] = [];
      const { promise: satisfied, resolve } = Promise.withResolvers<void>();
      const running = runInProcess(argv.split(' '), {
        env,
        ...terminal,
        signal: interruption.signal,
        onStdout: (text) => {
          written.push(text);
          if (until(written.join(''))) resolve();
        },
      });
      await satisfied;
      interruption.abort(new Error('interrupted'));
      expect((await running).code).toBe(130);
      return written.join('');
    }

    it('prints the newest and then every new message, oldest first, each once', async () => {
      const { key } = await server.newAccount();
      const account = { ...env, POSTRIDER_API_KEY: key };
      for (const subject of ['one', 'two', 'three']) await server.send({ subject }, { key });
      let sent = 0;
      const text = await follow(
        'emails tail --last 2 --interval 1 --json',
        (soFar) => {
          const lines = soFar.trimEnd().split('\n').length;
          if (lines === 2 + sent && sent < 2) {
            sent += 1;
            void server.send({ subject: `new ${sent}` }, { key });
          }
          return lines >= 4;
        },
        { env: account },
      );
      const subjects = text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).subject);
      expect(subjects).toEqual(['two', 'three', 'new 1', 'new 2']);
    });

    it('accepts the filters of the list, and prints one line each at a terminal', async () => {
      const text = await follow('emails tail --tag vip --no-json', (soFar) => soFar.includes('\n'));
      expect(text).toMatch(
        /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}queued {12}\S+ {2}delivered@sandbox\.test {2}Tags: 2\n$/,
      );
    });

    it('prints two lines for each message in a narrow terminal, and never exceeds it', async () => {
      const row = { id: '01980d3c-7a52-7c31-9d5e-2f0c6a1b4e01', createdAt: '2026-01-31T09:00:00.000Z' };
      const messages = [
        { ...row, status: 'sent', to: 'ada@example.org', subject: `See https://example.org/${'a'.repeat(900)}` },
        {
          ...row,
          status: 'pending_approval',
          to: `${'b'.repeat(64)}@example.org`,
          subject: 'Your invoice for January',
        },
      ];
      const body = { messages, total: 2, totalIsEstimate: false, nextCursor: null };
      const { stdout } = await runAgainst(
        [{ status: 200, body }, problem(401, 'key_revoked')],
        ['emails', 'tail', '--interval', '1'],
        { columns: 60, env: { NO_COLOR: '1' } },
      );
      const lines = stdout.trimEnd().split('\n');
      expect(lines).toEqual([
        '01-31 09:00:00Z  pending_approval  bbbbbbbbbbbbbbbbbbbbbbbb…',
        '    01980d3c-7a52  Your invoice for January',
        '01-31 09:00:00Z  sent              ada@example.org',
        '    01980d3c-7a52  See https://example.org/aaaaaaaaaaaaaaaa…',
      ]);
      expect(Math.max(...lines.map((line) => line.length))).toBe(60);
    });

    it('continues after temporary failures, and exits on permanent ones', async () => {
      const page = (subjects: readonly string[]) => ({
        status: 200,
        body: {
          messages: subjects.map((subject) => ({
            id: `id-${subject}`,
            status: 'queued',
            to: '',
            subject,
            createdAt: '',
          })),
          total: subjects.length,
          totalIsEstimate: false,
          nextCursor: null,
        },
      });
      const down = problem(503, 'unavailable', { retryable: true });
      const revoked = problem(401, 'key_revoked');
      const { code, stdout, received } = await runAgainst(
        [page(['a']), down, down, down, page(['b', 'a']), revoked],
        ['emails', 'tail', '--interval', '1', '--json'],
      );
      expect(code).toBe(3);
      expect(
        stdout
          .trimEnd()
          .split('\n')
          .map((line) => JSON.parse(line).subject),
      ).toEqual(['a', 'b']);
      expect(received).toHaveLength(6);
    }, 30_000);
  });
});
