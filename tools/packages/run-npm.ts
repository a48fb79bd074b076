import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type ProgramRun, runProgram } from '../run-program.ts';

/** Runs npm with the Node it belongs to: an npm that came with another Node may not run on the Node of this project. */
export function runNpm(args: readonly string[], cwd: string): ProgramRun {
  const path = (process.env['PATH'] ?? '').split(delimiter);
  const home = path.find((folder) => existsSync(join(folder, 'npm')));
  return runProgram('npm', args, cwd, home === undefined ? [] : [home]);
}
