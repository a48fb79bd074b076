import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPackages } from '../../tools/packages/package-list.ts';
import { stagePackage } from '../../tools/packages/stage-package.ts';
import { ROOT, runProgram } from '../../tools/run-program.ts';
import { startChild } from '../parts/child.ts';
import { describeMachine, judge, median, quantile, round } from '../parts/report.ts';
import type { RespondingProcessReady } from '../sdk/server-process.ts';

/** The maximum duration of a command without a view, from start to exit. */
const BOUND_MS = 150;

/**
 * `pnpm bench cli [--count N]`: commands of the installed CLI and of the single-file bundle, from process start to exit, compared with
 * `node -e 0`. Runs alternate, with a warm compile cache. One command calls a server that does nothing.
 */
export async function benchCli({ count }: { readonly count: number }): Promise<boolean> {
  const place = await mkdtemp(join(tmpdir(), 'postrider-bench-cli-'));
  const server = await startChild<RespondingProcessReady>(new URL('../sdk/server-process.ts', import.meta.url), {});
  try {
    const forms = { installed: await install(place), 'one file': bundle(place) };
    const address = ['--base-url', `http://127.0.0.1:${server.ready.port}`, '--api-key', 'pr_live_bench'];
    const commands = [
      ['--version'],
      ['--help'],
      ['emails', 'get', '--help'],
      ['completion', 'bash'],
      ['emails', 'get', '01936a2e-0000-7000-8000-000000000001', '--json', ...address],
    ];
    console.log(`${describeMachine({})}\n\n${count} runs of each, alternating`);
    const cases = Object.entries(forms).flatMap(([form, file]) =>
      commands.map((argv) => ({ name: `${form}: postrider ${argv.slice(0, 2).join(' ')}`, argv: [file, ...argv] })),
    );
    return judgeRuns(timeRuns([{ name: 'node -e 0', argv: ['-e', '0'] }, ...cases], count, place));
  } finally {
    await server.stop();
    await rm(place, { recursive: true });
  }
}

async function install(place: string): Promise<string> {
  const build = runProgram(process.execPath, ['tools/build.ts']);
  if (!build.ok) throw new Error(build.output);
  const modules = join(place, 'node_modules');
  for (const one of listPackages(ROOT)) await stagePackage(one, modules);
  return join(modules, '@postrider/cli/dist/main.js');
}

function bundle(place: string): string {
  const file = join(place, 'postrider.mjs');
  const run = runProgram(process.execPath, ['tools/bundle-cli.ts', file]);
  if (!run.ok) throw new Error(run.output);
  return file;
}

interface Case {
  readonly name: string;
  readonly argv: readonly string[];
}

interface Timed {
  readonly name: string;
  readonly tookMs: readonly number[];
}

function timeRuns(cases: readonly Case[], count: number, place: string): readonly Timed[] {
  const timed = cases.map(({ name, argv }) => ({ name, argv, tookMs: [] as number[] }));
  // The first round fills the caches.
  for (let current = 0; current <= count; current += 1) {
    for (const { argv, tookMs } of timed) {
      const took = timeRun(argv, place);
      if (current > 0) tookMs.push(took);
    }
  }
  return timed;
}

function timeRun(argv: readonly string[], place: string): number {
  const env = { PATH: process.env['PATH'], XDG_CACHE_HOME: place, NO_COLOR: '1' };
  const began = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env, cwd: place, encoding: 'utf8' });
  const tookMs = performance.now() - began;
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return tookMs;
}

function judgeRuns([bare, ...runs]: readonly Timed[]): boolean {
  const bareMs = median(bare?.tookMs ?? []);
  console.log(`\nnode -e 0: median ${round(bareMs)} ms`);
  const reached = runs.map(({ name, tookMs }) => {
    const ms = median(tookMs);
    console.log(judge(`${name}, ms`, ms, BOUND_MS, 'at most'));
    console.log(`         ${round(ms / bareMs, 2)} times node -e 0, p95 ${round(quantile(tookMs, 0.95))} ms`);
    return ms <= BOUND_MS;
  });
  return reached.every(Boolean);
}
