import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { COMMANDS, EXIT_CODES, helpPages } from '@postrider/cli';
import { argumentsOf, OPERATIONS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { cliHelpFiles } from '../../tools/generate/cli-help.ts';
import { runInProcess } from './run-in-process.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

describe('help', () => {
  it.each([
    ['domains add', '<domain>'],
    ['tools spf', '<domain>'],
    ['tools dkim', '<domain>'],
    ['tools dmarc', '<domain>'],
    ['tools mx', '<domain>'],
    ['tools blocklist', '<domain-or-address>'],
  ])('names the arguments of %s: %s', async (command, argument) => {
    const { stdout } = await runInProcess([...command.split(' '), '--help']);
    expect(stdout).toContain(`Usage: postrider ${command} ${argument} [options]`);
  });

  it('is printed for no arguments, for --help and for help', async () => {
    const [bare, flag, word] = await Promise.all([[], ['--help'], ['help']].map((argv) => runInProcess(argv)));
    expect(bare).toMatchObject({ code: 0, stderr: '' });
    expect([flag?.stdout, word?.stdout]).toEqual([bare?.stdout, bare?.stdout]);
  });

  it.each(['emails get', 'profiles use', 'emails'])(
    'is the same for `help %s` as with --help after it',
    async (words) => {
      const [word, flag] = await Promise.all(
        [
          ['help', ...words.split(' ')],
          [...words.split(' '), '--help'],
        ].map((argv) => runInProcess(argv)),
      );
      expect(word).toMatchObject({ code: 0, stdout: flag?.stdout });
      expect(word?.stdout).toContain(`Usage: postrider ${words} `);
    },
  );

  it('lists every exit code', async () => {
    const { stdout } = await runInProcess(['--help']);
    for (const code of Object.values(EXIT_CODES)) expect(stdout).toMatch(new RegExp(`^ +${code}  `, 'm'));
  });

  it('offers --json on every command', { tags: ['contract-cli.json'] }, () => {
    for (const { text } of helpPages(COMMANDS, 80)) expect(text).toMatch(/^ +--json /m);
  });

  it('offers --wait [seconds] on sends', { tags: ['contract-cli.wait'] }, async () => {
    const { stdout } = await runInProcess(['emails', 'send', '--help']);
    expect(stdout).toContain('--wait [seconds]');
  });

  it('is the same for `send` as for `emails send`', { tags: ['contract-surfaces.cli-names'] }, async () => {
    const [short, long] = await Promise.all([
      runInProcess(['send', '--help']),
      runInProcess(['emails', 'send', '--help']),
    ]);
    expect(short.stdout.replace('postrider send', 'postrider emails send')).toBe(long.stdout);
  });

  it('fits the width of the terminal', async () => {
    const { stdout } = await runInProcess(['--help'], { columns: 80 });
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  });

  it('wraps the descriptions of flags in a narrow terminal', async () => {
    const { stdout } = await runInProcess(['approvals', 'edit', '--help'], { columns: 60 });
    const [help = ''] = stdout.split('Examples:');
    expect(help.split('\n').filter((line) => line.length > 60)).toEqual([]);
  });

  it('explains every flag of a command and shows its examples', () => {
    for (const command of COMMANDS) {
      const page = helpPages([command], 80).at(-1)?.text ?? '';
      for (const flag of command.inputs.flatMap(({ flags }) => flags)) expect(page).toContain(flag);
      for (const example of command.examples) expect(page).toContain(example);
    }
  });

  it('prints the version of the package', async () => {
    const manifest = JSON.parse(await readFile(path.join(ROOT, 'packages/cli/package.json'), 'utf8'));
    expect((await runInProcess(['--version'])).stdout).toBe(`${manifest.version}\n`);
  });
});

describe('the catalog of commands', () => {
  const offered = OPERATIONS.filter(({ cli }) => cli !== null);

  it('has every operation that is shown in the CLI, and no other', () => {
    expect(COMMANDS.map(({ id, command }) => [id, command])).toEqual(offered.map(({ id, cli }) => [id, cli?.command]));
  });

  it('groups commands as the SDK groups methods', { tags: ['contract-surfaces.cli-names'] }, () => {
    const grouped = COMMANDS.filter(({ command }) => command.includes(' '));
    for (const { id, command } of grouped) expect(command.split(' ')[0]).toBe(id.split('.')[0]);
  });

  it('has every argument of each operation but the channel of sends', () => {
    for (const operation of offered) {
      const names = COMMANDS.find(({ id }) => id === operation.id)?.inputs.map(({ name }) => name);
      const expected = argumentsOf(operation).map(({ name }) => name);
      const withoutChannel = operation.effect === 'send' ? expected.filter((name) => name !== 'channel') : expected;
      expect(names?.toSorted()).toEqual(withoutChannel.toSorted());
    }
  });

  it('matches the registry', async () => {
    for (const [file, content] of Object.entries(await cliHelpFiles())) {
      expect(await readFile(path.join(ROOT, file), 'utf8')).toBe(content);
    }
  });
});
