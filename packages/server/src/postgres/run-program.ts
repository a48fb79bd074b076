import { spawn } from 'node:child_process';

/** A program as it is handed to `spawn`: `uid` and `gid` only where another user is to run it. */
export interface ProgramCall {
  command: string;
  args: readonly string[];
  uid?: number;
  gid?: number;
}

export interface ProgramOptions {
  input?: string;
  /** An open file the program inherits as descriptor 3. */
  inheritedFd?: number;
  /** Runs it in a process group of its own, which a signal from the terminal does not reach. */
  detached?: boolean;
  onSpawn?: (pid: number) => void;
}

/** `code` is null where a signal ended the program or it could not be started; `output` is what it wrote, or that reason. */
interface ProgramResult {
  code: number | null;
  output: string;
}

/**
 * The environment of every program the launcher runs. The caller's own would let PGDATA, PGPORT, LC_ALL and their like
 * decide how the cluster is made, differently on every machine.
 */
export const PROGRAM_ENVIRONMENT: Readonly<Record<string, string>> = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** How much of a program's output is kept: its end is where it says what failed. */
const OUTPUT_LIMIT_CHARS = 16_384;

/** Runs a program to its end, from `/` so that the caller's own folder need not be open to the user it runs as. */
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
    // A program that ends before it has read its input is judged by its exit code, not by the broken pipe.
    child.stdin?.on('error', () => {});
    child.stdin?.end(options.input ?? '');
  });
}
