import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../../tools/run-program.ts';
import { readTree } from './source-tree.ts';

const { packageManager, optionalDependencies } = manifestOf('package.json');
const { optionalDependencies: _downloads, ...link } = manifestOf('tools/node/package.json');

/** The real pnpm and hooks install the real package, but for the Node that it downloads, on a machine whose Node says the version that a test wants. */
describe('the Node for old machines', { timeout: 60_000 }, () => {
  let clone: string;
  beforeEach(async () => {
    clone = await mkdtemp(join(tmpdir(), 'postrider-clone-'));
    await cp(join(ROOT, 'tools/node'), join(clone, 'tools/node'), { recursive: true });
    await copyFile(join(ROOT, '.pnpmfile.mjs'), join(clone, '.pnpmfile.mjs'));
    await writeFile(join(clone, 'tools/node/package.json'), JSON.stringify(link));
    await writeFile(join(clone, 'pnpm-workspace.yaml'), 'verifyDepsBeforeRun: install\npmOnFail: ignore\n');
    await depend([]);
    await writeFile(join(clone, 'tools/node/bin/node'), nodeSaying('26.10.0'), { mode: 0o755 });
  });
  afterEach(() => rm(clone, { recursive: true, force: true }));

  /** Has the clone depend on empty packages, as a pulled change would. */
  async function depend(names: readonly string[]): Promise<void> {
    for (const name of names) {
      await mkdir(join(clone, name), { recursive: true });
      await writeFile(join(clone, name, 'package.json'), JSON.stringify({ name, version: '1.0.0' }));
    }
    const dependencies = Object.fromEntries(names.map((name) => [name, `file:${name}`]));
    const scripts = { which: 'node --version' };
    const manifest = { name: 'clone', private: true, packageManager, scripts, dependencies, optionalDependencies };
    await writeFile(join(clone, 'package.json'), JSON.stringify(manifest));
  }

  /** Runs pnpm as npx does: what is installed in the folder comes first on the PATH. */
  async function pnpm(version: string, ...args: string[]): Promise<string> {
    const machine = join(clone, 'machine');
    await mkdir(machine, { recursive: true });
    await writeFile(join(machine, 'node'), nodeSaying(version), { mode: 0o755 });
    const path = [join(clone, 'node_modules/.bin'), machine, ...machinePath()].join(delimiter);
    const env = { ...process.env, PATH: path, CI: '' };
    const run = spawnSync('npx', ['-y', packageManager as string, ...args], { cwd: clone, env, encoding: 'utf8' });
    expect(run.status, run.stdout + run.stderr).toBe(0);
    return run.stdout;
  }

  const isLinked = () => existsSync(join(clone, 'node_modules/.bin/node'));

  it('stays, however often the dependencies are installed', async () => {
    for (const args of [['--no-frozen-lockfile'], [], ['--frozen-lockfile'], ['--force'], ['--force']]) {
      await pnpm('20.20.2', 'install', ...args);
      expect(isLinked(), args.join(' ')).toBe(true);
    }
  });

  it('stays when a script installs changed dependencies before it runs', async () => {
    await pnpm('20.20.2', 'install', '--no-frozen-lockfile');
    for (const names of [['one'], ['one', 'two']]) {
      await depend(names);
      expect(await pnpm('20.20.2', 'run', 'which')).toContain('v26.10.0');
      expect(isLinked()).toBe(true);
    }
  });

  it('is not installed when Node is new enough, and is removed when Node has been updated', async () => {
    await pnpm('22.19.0', 'install', '--no-frozen-lockfile');
    expect(isLinked()).toBe(false);
    await pnpm('22.18.0', 'install', '--force');
    expect(isLinked()).toBe(true);
    await pnpm('24.1.0', 'install', '--force');
    expect(isLinked()).toBe(false);
  });
});

/** pnpm asks the Node on the PATH for its version, and runs the hooks with it. */
function nodeSaying(version: string): string {
  return `#!/bin/sh\n[ "$*" = --version ] && echo v${version} && exit\nexec "${process.execPath}" "$@"\n`;
}

/** The PATH without the folders of this installation, as a shell has it. */
function machinePath(): readonly string[] {
  const isOurs = (folder: string) => folder.includes('node_modules') || folder === dirname(process.execPath);
  return (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !isOurs(folder));
}

function manifestOf(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readTree().find((file) => file.path === path)?.text ?? '{}');
}
