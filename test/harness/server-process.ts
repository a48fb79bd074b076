import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { inject } from 'vitest';
import { ROOT } from '../../tools/run-program.ts';
import { COMPILE_CACHE } from './compile-cache.ts';
import type { TestDatabase } from './test-database.ts';

const MAIN = path.join(ROOT, 'packages/server/src/main.ts');

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ServerProcess {
  readonly child: ChildProcess;
  /** Everything printed so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Resolves with the base URL of the ready line. Rejects with the output if the process ends first. */
  readonly ready: Promise<string>;
  /** Resolves when the process has ended. */
  readonly finished: Promise<Finished>;
}

export type Environment = Readonly<Record<string, string>>;

/** The search path for programs. */
const INHERITED = Object.fromEntries(['PATH', 'HOME'].map((name) => [name, process.env[name]]));

/** Test servers run in parallel. */
const FREE_SMTP_PORTS = { POSTRIDER_SMTP_PORT: '0', POSTRIDER_SMTPS_PORT: '0', POSTRIDER_INBOUND_PORT: '0' };

/**
 * Starts `postrider-server` in its own process, with only the given environment variables, and free ports for SMTP submission. `starter` is
 * the script and first arguments of a program that starts the server.
 */
export function startServerProcess(
  args: readonly string[],
  env: Environment,
  starter: readonly string[] = [],
): ServerProcess {
  return startByCommand([process.execPath, ...starter, MAIN, ...args], env);
}

/** Starts the server by a command line, in the root of the repository. */
export function startByCommand([program = '', ...args]: readonly string[], env: Environment): ServerProcess {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...INHERITED, ...COMPILE_CACHE, NO_COLOR: '1', ...FREE_SMTP_PORTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  const ready = Promise.withResolvers<string>();
  ready.promise.catch(() => undefined); // Some tests do not wait for it.
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    const match = /^ready.* (http\S+)\n/m.exec(stdout);
    if (match?.[1] !== undefined) ready.resolve(match[1]);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const finished = once(child, 'close').then(([code, signal]): Finished => {
    ready.reject(new Error(`The server ended before it was ready.\n${stdout}\n${stderr}`));
    return { code, signal, stdout, stderr };
  });
  return {
    child,
    ready: ready.promise,
    finished,
    get stdout() {
      return stdout;
    },
    get stderr() {
      return stderr;
    },
  };
}

/** Runs `postrider-server` until it exits. */
export async function runServer(args: readonly string[], env: Environment): Promise<Finished> {
  return await startServerProcess(args, env).finished;
}

/** The environment for a test's database: a URL without a host makes the driver read the socket from its own variables. */
export function databaseEnvironment({ target }: TestDatabase): Environment {
  const { host, user } = inject('postgres');
  if (target.kind !== 'socket') throw new Error('The test database is reached over a socket.');
  return { DATABASE_URL: `postgres:///${target.database}`, PGHOST: host, PGUSER: user };
}
