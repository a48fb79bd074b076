import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunSummary } from './run-reporter.ts';

/**
 * `pnpm test`: runs vitest and closes with one plain line for users and programs: `N passed, N failed`. A run without a
 * single test counts as failed.
 *
 * If only a few tests fail, their files run again alone, because a test can time out when the workers share few cores. A test that passes
 * only then is listed as unsteady and still has to be fixed: see decision 30.
 */
interface Run {
  readonly code: number;
  readonly summary: RunSummary;
}

/** More failures than this are not caused by a busy machine. */
const MOST_TRIED_AGAIN = 3;

const first = await runTests(process.argv.slice(2));
const { failed, otherErrors } = first.summary;
const second = isWorthAnother(first) ? await runTests([...new Set(failed.map(({ file }) => file))]) : null;
const isRepaired = second?.code === 0 && second.summary.passed > 0;
if (isRepaired) for (const { file, name } of failed) console.log(`unsteady, passed when run again: ${file} > ${name}`);

const hasFailed = first.code !== 0 && !isRepaired;
const passedCount = first.summary.passed + (isRepaired ? failed.length : 0);
const failedCount = hasFailed ? Math.max(failed.length, otherErrors, 1) : 0;
const skipped = first.summary.skipped > 0 ? `, ${first.summary.skipped} skipped` : '';
console.log(`${passedCount} passed, ${failedCount} failed${skipped}`);
process.exitCode = hasFailed || passedCount === 0 ? 1 : 0;

/** Only failed tests run again: not after a crash, a file that did not load, or an uncaught error. */
function isWorthAnother({ code, summary }: Run): boolean {
  return (
    code === 1 && summary.otherErrors === 0 && summary.failed.length > 0 && summary.failed.length <= MOST_TRIED_AGAIN
  );
}

async function runTests(args: readonly string[]): Promise<Run> {
  const path = join(tmpdir(), `postrider-tests-${process.pid}.json`);
  const vitest = spawn('vitest', ['run', ...args], {
    stdio: 'inherit',
    env: { ...process.env, NO_COLOR: '1', RUN_SUMMARY: path },
  });
  const code = await new Promise<number>((resolve) => {
    vitest.once('error', () => resolve(127));
    vitest.once('exit', (status) => resolve(status ?? 127));
  });
  return { code, summary: await readSummary(path) };
}

async function readSummary(path: string): Promise<RunSummary> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as RunSummary; // Our reporter wrote it.
  } catch {
    return { passed: 0, skipped: 0, failed: [], otherErrors: 1 };
  } finally {
    await rm(path, { force: true });
  }
}
