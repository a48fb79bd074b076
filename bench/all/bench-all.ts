import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { VERSION } from '../../packages/server/src/version.ts';
import { FINDINGS_VARIABLE, type Finding, isReached, readFindings } from '../parts/findings.ts';
import { PLAN, type PlannedBench } from './plan.ts';
import { type BenchResult, mergeRuns, RESULTS_FILE, type RunResults, remarkOf, toResult } from './results.ts';
import { renderTable } from './table.ts';

const MAIN = path.join(import.meta.dirname, '..', 'main.ts');
const ROOT = path.join(import.meta.dirname, '..', '..');

export interface BenchAllOptions {
  /**
   * Runs each benchmark with the settings that its bounds apply to, and saves the results, from which `pnpm generate` writes
   * docs/performance.md. Saved results of other benchmarks are kept.
   */
  readonly isFull: boolean;
  /** The names of the benchmarks to run; all if it is empty. */
  readonly only: readonly string[];
}

/** `pnpm bench [all] [--full] [--only NAME,NAME]`: runs every benchmark in its own process, and prints one table of all values. */
export async function benchAll({ isFull, only }: BenchAllOptions): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'postrider-bench-findings-'));
  const all: Finding[] = [];
  const results: BenchResult[] = [];
  try {
    for (const planned of PLAN.filter(({ name }) => only.length === 0 || only.includes(name))) {
      const file = path.join(folder, `${planned.name}.jsonl`);
      const run = await runOne(planned, isFull ? planned.full : planned.short, file);
      const findings = readFindings(file);
      all.push(...findings);
      results.push(toResult(run, findings));
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const machine = remarkOf(all, 'machine') ?? '';
  const postgres = remarkOf(all, 'postgres') ?? '';
  console.log(`\nmachine: ${machine}\npostgres: ${postgres}\n\n${renderTable(results)}`);
  if (isFull) await keep({ version: VERSION, commit: readCommit(), machine, postgres, results });
  return results.every(({ fault, judgements }) => fault === null && judgements.every(isReached));
}

type Run = Omit<BenchResult, 'judgements' | 'rates'>;

async function runOne({ name, title }: PlannedBench, args: readonly string[], findings: string): Promise<Run> {
  const command = ['pnpm bench', name, ...args].join(' ');
  console.log(`\n── ${command}`);
  const beganMs = performance.now();
  const child = spawn(process.execPath, [MAIN, name, ...args], {
    stdio: 'inherit',
    env: { ...process.env, [FINDINGS_VARIABLE]: findings },
  });
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  // A missed bound and a crash have the same exit code.
  const hasEnded = readFindings(findings).some(({ kind }) => kind === 'ended');
  const seconds = Math.round((performance.now() - beganMs) / 1_000);
  const date = new Date().toISOString();
  return { name, title, command, date, seconds, fault: hasEnded ? null : `failed with exit code ${code}` };
}

async function keep(run: RunResults): Promise<void> {
  const file = path.join(ROOT, RESULTS_FILE);
  const kept = existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as RunResults) : null; // Written here.
  const order = PLAN.map(({ name }) => name);
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify(mergeRuns(kept, run, order), null, 2)}\n`);
  console.log(`\nThe results are in ${RESULTS_FILE}. Run \`pnpm generate\` to write docs/performance.md.`);
}

/** Null outside a git repository. */
function readCommit(): string | null {
  try {
    return execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { cwd: ROOT, encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
