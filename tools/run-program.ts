import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

export interface ProgramRun {
  readonly ok: boolean;
  /** What it wrote, or why it could not start. */
  readonly output: string;
  /** What it wrote to stdout alone. */
  readonly stdout: string;
}

export const ROOT = join(import.meta.dirname, '..');

/** Where programs are looked for: this Node and the installed tools come first, whoever starts us and from wherever. */
const FOLDERS = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env['PATH']];

/** Tools that would ask their maker for news or report their use do neither. */
const QUIET = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs a program to its end and keeps what it says. It finds programs in the folders `before` any others. */
export function runProgram(
  command: string,
  args: readonly string[],
  cwd: string = ROOT,
  before: readonly string[] = [],
): ProgramRun {
  const env = { ...process.env, PATH: [...before, ...FOLDERS].join(delimiter), ...QUIET };
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, encoding: 'utf8' });
  return {
    ok: status === 0,
    output: [error?.message, stdout, stderr].filter(Boolean).join('\n'),
    stdout: stdout ?? '',
  };
}
