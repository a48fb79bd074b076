import { spawn } from 'node:child_process';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `pnpm test`: runs vitest and closes with one plain line that people and programs can count on: `N passed, N failed`. A run without a
 * single test counts as failed.
 */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly numPendingTests: number;
}

const report = join(tmpdir(), `postrider-tests-${process.pid}.json`);
const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`, ...process.argv.slice(2)];
const vitest = spawn('vitest', args, { stdio: 'inherit', env: { ...process.env, NO_COLOR: '1' } });
const code = await new Promise<number>((resolve) => {
  vitest.once('error', () => resolve(1));
  vitest.once('exit', (status) => resolve(status ?? 1));
});
const counts = await readReport();
// A run can fail without a failed test: a file that does not load, an error nobody caught.
const failed = Math.max(counts.numFailedTests, counts.numFailedTestSuites > 0 || code !== 0 ? 1 : 0);
const skipped = counts.numPendingTests > 0 ? `, ${counts.numPendingTests} skipped` : '';
console.log(`${counts.numPassedTests} passed, ${failed} failed${skipped}`);
process.exitCode = code !== 0 || counts.numPassedTests === 0 ? 1 : 0;

async function readReport(): Promise<Report> {
  try {
    return JSON.parse(await readFile(report, 'utf8')) as Report; // vitest's own JSON reporter wrote it.
  } catch {
    return { numPassedTests: 0, numFailedTests: 1, numFailedTestSuites: 1, numPendingTests: 0 };
  } finally {
    await rm(report, { force: true });
  }
}
