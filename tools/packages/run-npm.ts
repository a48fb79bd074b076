import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type ProgramRun, runProgram } from '../run-program.ts';

/** Runs npm with the Node that it came with: an npm as old as the Node that people start with need not work on the one of this project. */
export function runNpm(args: readonly string[], cwd: string): ProgramRun {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const home = path.find((folder) => existsSync(join(folder, 'npm')));
  return runProgram('npm', args, cwd, home === undefined ? [] : [home]);
}
