import { spawnSync } from 'node:child_process';
import { delimiter, dirname, join } from 'node:path';

export interface ProgramRun {
  readonly ok: boolean;
  /** Its output, or the reason why it could not start. */
  readonly output: string;
  /** Its stdout only. */
  readonly stdout: string;
}

export const ROOT = join(import.meta.dirname, '..');

/** The search path: this Node and the installed tools come first, whatever the caller's PATH and working directory are. */
const FOLDERS = [dirname(process.execPath), join(ROOT, 'node_modules/.bin'), process.env['PATH']];

/** Disables update checks and usage reports of tools. */
const QUIET = { NO_COLOR: '1', REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

/** Runs a program to its end and returns its output. Programs in the folders `before` take precedence. */
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
