import { spawn } from 'node:child_process';

/** A program in the form that `spawn` expects: `uid` and `gid` only if another user runs it. */
export interface ProgramCall {
  command: string;
  args: readonly string[];
  uid?: number;
  gid?: number;
}

export interface ProgramOptions {
  input?: string;
  /** An open file that the program inherits as descriptor 3. */
  inheritedFd?: number;
  /** Runs it in a separate process group, which terminal signals do not reach. */
  detached?: boolean;
  onSpawn?: (pid: number) => void;
}

/** `code` is null if a signal ended the program or it could not be started; `output` is its output, or that reason. */
interface ProgramResult {
  code: number | null;
  output: string;
}

/**
 * The environment of every program that the launcher runs. With the caller's environment, PGDATA, PGPORT, LC_ALL and
 * similar variables would change how the cluster is created on each machine.
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** How much of a program's output is kept: errors are at its end. */
const OUTPUT_LIMIT_CHARS = 16_384;

/** Runs a program to its end, from `/` so that the user it runs as need not have access to the caller's folder. */
export function runProgram(call: ProgramCall, options: ProgramOptions = {}): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const child = spawn(call.command, call.args, {
      cwd: '/',
      env: PROGRAM_ENVIRONMENT,
      detached: options.detached === true,
      stdio: ['pipe', 'pipe', 'pipe', options.inheritedFd ?? 'ignore'],
      ...(call.uid === undefined ? {} : { uid: call.uid }),
      ...(call.gid === undefined ? {} : { gid: call.gid }),
    });
    let output = '';
    const keep = (chunk: string) => {
      output = (output + chunk).slice(-OUTPUT_LIMIT_CHARS);
    };
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.once('spawn', () => options.onSpawn?.(child.pid ?? 0));
    child.once('error', (error) => resolve({ code: null, output: error.message }));
    child.once('close', (code) => resolve({ code, output: output.trim() }));
    // For a program that ends before it has read its input, the exit code counts, not the broken pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}
