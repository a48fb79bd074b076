import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';

/** A server process that this command started. */
export interface ServerProcess {
  /** Resolves when the server accepts requests; rejects with an Error if it ends before. */
  readonly ready: Promise<void>;
  /** Resolves with the reason when the server has ended. */
  readonly ended: Promise<string>;
  /** Stops the server cleanly and waits for its end. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  readonly program: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Called with each line of its output. */
  readonly onLine: (line: string) => void;
}

/** The last line of a start begins with this. */
const READY = /^ready\b/;
const LAST_LINES_MAX = 5;

export function startServer({ program, env, cwd, onLine }: ServerOptions): ServerProcess {
  const child = spawn(program, [], { env: { ...env }, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  const last: string[] = [];
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<string>();
  const handleLine = (line: string) => {
    if (line.trim() !== '') last.push(line.trim());
    if (last.length > LAST_LINES_MAX) last.shift();
    onLine(line);
    if (READY.test(line)) ready.resolve();
  };
  readLines(child.stdout, handleLine);
  readLines(child.stderr, handleLine);
  const end = (reason: string) => {
    ready.reject(new Error([reason, ...last].join(' ')));
    ended.resolve(reason);
  };
  child.once('error', (error) => end(`it could not be started: ${error.message}.`));
  child.once('close', (code, signal) => end(code === null ? `${signal} ended it.` : `it exited with code ${code}.`));
  // No unhandled rejection if no one waits for `ready`.
  ready.promise.catch(() => {});
  return { ready: ready.promise, ended: ended.promise, stop: () => stop(child, ended.promise) };
}

function readLines(stream: Readable, handleLine: (line: string) => void): void {
  createInterface({ input: stream }).on('line', handleLine);
}

async function stop(child: ChildProcess, ended: Promise<unknown>): Promise<void> {
  // At a terminal, Ctrl-C also reached the server, which counts both as one signal.
  if (child.pid !== undefined) child.kill('SIGTERM');
  await ended;
}
