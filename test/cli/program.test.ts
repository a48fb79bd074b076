import { spawnSync } from 'node:child_process';
import { OWN_COMMANDS } from '@postrider/cli';
import { OPERATIONS, type Operation } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { problem } from '../sdk/scripted-server.ts';
import { runAgainst, runInProcess } from './run-in-process.ts';

const OK = { status: 200, body: { id: 'x' } };

describe('postrider api', () => {
  it('sends the request with the key, and prints the response unchanged', async () => {
    const { code, stdout, received } = await runAgainst([OK], ['api', 'get', '/emails?limit=2&tag=a%20b']);
    expect([code, JSON.parse(stdout)]).toEqual([0, { id: 'x' }]);
    expect(received[0]).toMatchObject({ method: 'GET', url: '/emails?limit=2&tag=a%20b' });
    expect(received[0]?.headers['authorization']).toMatch(/^Bearer pr_live_/);
  });

  it('accepts a body from the command line or stdin, headers, and an idempotency key', async () => {
    const flags = ['--idempotency-key', 'once', '-H', 'X-One: 1', '--header', 'x-two: a:b'];
    for (const data of ['{"a":[1]}', '-']) {
      const argv = ['api', 'POST', '/emails', '--data', data, ...flags];
      const { code, received } = await runAgainst([OK], argv, { stdin: '{"a":[1]}' });
      expect(code).toBe(0);
      expect(JSON.parse(received[0]?.body ?? '')).toEqual({ a: [1] });
      expect(received[0]?.headers).toMatchObject({ 'idempotency-key': 'once', 'x-one': '1', 'x-two': 'a:b' });
    }
  });

  it('reports an error with the exit code of its class, and prints the headers with --include', async () => {
    const refused = await runAgainst([problem(404, 'not_found')], ['api', 'GET', '/emails/x']);
    expect([refused.code, refused.stdout, JSON.parse(refused.stderr).code]).toEqual([5, '', 'not_found']);
    const { stdout, stderr } = await runAgainst([OK], ['api', 'GET', '/x', '-i']);
    expect(JSON.parse(stdout)).toEqual({ id: 'x' });
    expect(stderr).toMatch(/^HTTP 200\n(.+\n)*content-type: application\/json/m);
  });

  it.each([
    [['api', 'FETCH', '/x'], 'GET, POST, PATCH, DELETE'],
    [['api', 'GET', 'https://elsewhere.example/x'], 'begins with one /'],
    [['api', 'GET', '//elsewhere.example/x'], 'begins with one /'],
    [['api', 'POST', '/x', '--data', '{'], '--data is not JSON'],
    [['api', 'GET', '/x', '--header', 'none'], 'has no name'],
    [['api', 'GET'], "missing required argument 'path'"],
  ])('rejects %j before anything is sent', async (argv, words) => {
    const { code, stderr, received } = await runAgainst([], argv);
    expect([code, received]).toEqual([2, []]);
    expect(stderr).toContain(words);
  });
});

describe('postrider commands', () => {
  it('lists every operation and every separate command, with their arguments', async () => {
    const { code, stdout } = await runInProcess(['commands', '--json']);
    expect(code).toBe(0);
    const { commands, globalOptions, exitCodes } = JSON.parse(stdout);
    const names = commands.map(({ command }: { command: string }) => command);
    const operations = (OPERATIONS as readonly Operation[]).flatMap(({ cli }) => cli?.command ?? []);
    expect(names).toEqual(expect.arrayContaining([...operations, ...OWN_COMMANDS.map(({ command }) => command)]));
    expect(names).toEqual(names.toSorted());
    const send = commands.find(({ command }: { command: string }) => command === 'emails send');
    expect(send).toMatchObject({ scope: 'emails:send', needsKey: true, examples: expect.arrayContaining([]) });
    const flags = send.options.map(({ long }: { long: string }) => long);
    expect(flags).toEqual(expect.arrayContaining(['--to', '--subject', '--wait', '--attach']));
    expect(flags).not.toContain('--json');
    const source = send.options.find(({ long }: { long: string }) => long === '--source');
    expect(source.choices).toEqual(['agent', 'backend', 'automation', 'system']);
    const get = commands.find(({ command }: { command: string }) => command === 'emails get');
    expect(get.arguments).toMatchObject([{ name: 'id', repeatable: false }]);
    const globals = globalOptions.map(({ long }: { long: string }) => long);
    expect(globals).toEqual(expect.arrayContaining(['--json', '--no-input', '--quiet']));
    expect(exitCodes).toContainEqual({ code: 10, name: 'pendingApproval', meaning: expect.any(String) });
    const table = await runInProcess(['commands', '--no-json']);
    expect(table.stdout).toMatch(/^emails send +Send an email$/m);
  });
});

describe('postrider completion', () => {
  const complete = (script: string, words: readonly string[]) => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(postrider ${line}); COMP_CWORD=${words.length}; _postrider; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { status, stdout, stderr } = spawnSync('bash', ['--norc', '-c', `${script}\n${ask}`], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([0, '']);
    return stdout.trim().split('\n');
  };

  it('completes commands and flags in bash, without running anything', async () => {
    const { code, stdout: script } = await runInProcess(['completion', 'bash']);
    expect(code).toBe(0);
    expect(complete(script, ['em'])).toEqual(['emails']);
    expect(complete(script, ['emails', 'se'])).toEqual(['send']);
    expect(complete(script, ['emails', 'send', '--sub'])).toEqual(['--subject']);
    expect(complete(script, ['--json', 'emails', 'send', '--sub'])).toEqual(['--subject']);
    expect(complete(script, ['emails', '--no-in'])).toEqual(['--no-input']);
    expect(complete(script, ['completion', 'po'])).toEqual(['powershell']);
    expect(complete(script, ['send', '--su'])).toEqual(['--subject']);
  });

  it.each([
    [['emails', 'list', '--status', 'bou'], ['bounced']],
    [['emails', 'list', '--status', '=', 'bou'], ['bounced']],
    [
      ['--output', ''],
      ['json', 'table'],
    ],
    [
      ['keys', 'create', '--approval-mode', ''],
      ['off', 'always', 'policy'],
    ],
    [['webhooks', 'listen', '--events', 'domain.d'], ['domain.degraded']],
    [['webhooks', 'trigger', 'quota'], ['quota.threshold']],
    // This --output is a file.
    [['emails', 'export', '--output', ''], ['']],
  ])('knows in bash what can be at the end of %j', async (words, values) => {
    const { stdout: script } = await runInProcess(['completion', 'bash']);
    expect(complete(script, words)).toEqual(values);
  });

  // Of shells that are no part of every machine those are asked that are there.
  const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;
  const CASES = [
    ['em', ['emails']],
    ['emails se', ['send']],
    ['emails list --status bou', ['bounced']],
    ['--output ', ['json', 'table']],
    ['send --subj', ['--subject']],
  ] as const;

  it.each(has('fish') ? CASES : [])('completes `postrider %s` in fish', async (line, words) => {
    const { stdout: script } = await runInProcess(['completion', 'fish']);
    const ask = `${script}\ncomplete -C 'postrider ${line}'`;
    const { status, stdout } = spawnSync('fish', ['--no-config', '-c', ask], { encoding: 'utf8' });
    const offered = stdout.trim().split('\n');
    expect([status, offered.map((entry) => entry.split('\t')[0])]).toEqual([0, words]);
  });

  it.each(has('zsh') ? CASES : [])('completes `postrider %s` in zsh', async (line, words) => {
    const { stdout: script } = await runInProcess(['completion', 'zsh']);
    // What zsh's own parts do with the candidates is theirs: here they are printed.
    const parts = `compdef() { :; }; compset() { :; }; compadd() { print -l -- "\${(@P)2}"; }; _describe() { print -l -- "\${(@P)2}"; }`;
    const typed = ['postrider', ...line.split(' ')].map((word) => `'${word}'`).join(' ');
    const ask = `${parts}\n${script}\nwords=(${typed}); CURRENT=\${#words}; _postrider`;
    const { status, stdout, stderr } = spawnSync('zsh', ['-f', '-c', ask], { encoding: 'utf8' });
    const last = line.split(' ').at(-1) ?? '';
    const offered = stdout
      .trim()
      .split('\n')
      .map((entry) => entry.split(':')[0] ?? '');
    expect([status, stderr, offered.filter((word) => word.startsWith(last))]).toEqual([0, '', words]);
  });

  it.each([
    ['zsh', 'compdef _postrider postrider\n', "'send:Send an email'"],
    ['fish', "complete -c postrider -a '(__postrider_complete)'\n", "'send\tSend an email'"],
    ['powershell', 'Register-ArgumentCompleter -Native -CommandName postrider', "'emails send' = @("],
  ])('has a script for %s, with every command', async (shell, registers, entry) => {
    const { code, stdout, stderr } = await runInProcess(['completion', shell]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(registers);
    expect(stdout).toContain(entry);
    for (const { command } of OWN_COMMANDS) expect(stdout).toContain(command.split(' ').at(-1));
  });

  it('rejects another shell', async () => {
    const { code, stderr } = await runInProcess(['completion', 'tcsh']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish, powershell')]);
  });
});

describe('--no-input', () => {
  it('turns a question into an error that names the flag, even at a terminal', async () => {
    const argv = ['account', 'delete', '--no-input', '--no-json'];
    const { code, stderr, received } = await runAgainst([], argv, { columns: 80 });
    expect([code, received]).toEqual([2, []]);
    expect(stderr).toContain('--yes');
  });

  it('leaves what is piped in as it is', async () => {
    const argv = ['send', '--to', 'a@example.com', '--from', 'b@example.com', '--subject', 'x', '--text', '-'];
    const { code, received } = await runAgainst([OK], [...argv, '--no-input'], { stdin: 'piped' });
    expect([code, JSON.parse(received[0]?.body ?? '').text]).toEqual([0, 'piped']);
  });
});

describe('following a log', () => {
  const REQUEST = {
    method: 'POST',
    path: '/emails',
    status: 202,
    code: null,
    durationMs: 3,
    keyId: null,
    emailId: null,
  };
  const request = (id: string, second: number) => ({
    ...{ ...REQUEST, id, createdAt: `2026-01-02T03:04:0${second}.000Z` },
  });

  it('prints new requests whatever their ids, and omits its own', async () => {
    const page = (requests: readonly unknown[]) => ({ requests, total: requests.length, nextCursor: null });
    const stop = new AbortController();
    const replies = [
      { status: 200, headers: { 'x-request-id': 'own-1' }, body: page([request('zz', 2), request('aa', 1)]) },
      {
        status: 200,
        headers: { 'x-request-id': 'own-2' },
        body: page([
          request('bb', 4),
          { ...request('own-1', 3), path: '/requests' },
          request('zz', 2),
          request('aa', 1),
        ]),
      },
    ];
    const seen: string[] = [];
    const { code } = await runAgainst(replies, ['logs', 'tail', '--interval', '1', '--json'], {
      signal: stop.signal,
      onStdout: (text) => {
        seen.push(...text.trim().split('\n'));
        if (seen.length >= 3) stop.abort(new Error('enough'));
      },
    });
    expect(code).toBe(130);
    expect(seen.map((line) => JSON.parse(line).id)).toEqual(['aa', 'zz', 'bb']);
  });

  it('is also called tail', async () => {
    const { code, stdout } = await runInProcess(['tail', '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining('--interval')]);
    expect((await runInProcess(['logs', 'tail', '--help'])).stdout).toContain('newest requests');
  });
});
