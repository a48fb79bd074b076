import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ProgramRun, ROOT, runProgram } from './run-program.ts';

/** Runs the pnpm version that package.json names, whichever is installed. */
export function runPnpm(args: readonly string[]): ProgramRun {
  const { packageManager } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { packageManager: string }; // Our own manifest.
  return runProgram('npx', ['-y', packageManager, ...args]);
}
