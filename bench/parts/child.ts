import { type ChildProcess, fork } from 'node:child_process';
import { MALLOC_SETTINGS } from '../../packages/server/src/malloc.ts';

/** A child process that is ready and responds to one request at a time. */
export interface Child<Ready> {
  readonly ready: Ready;
  ask<Result>(question: unknown): Promise<Result>;
  stop(): Promise<void>;
}

/**
 * Starts a script of `bench/` in its own process, so that the measured code has its own event loop. `env` extends the environment, which has the
 * settings of malloc with which the product starts.
 */
export async function startChild<Ready>(
  script: URL,
  settings: unknown,
  env: Readonly<Record<string, string>> = {},
): Promise<Child<Ready>> {
  const child = fork(script, [JSON.stringify(settings)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    serialization: 'advanced',
    env: { ...process.env, ...MALLOC_SETTINGS, ...env },
  });
  const ready = await nextMessage<Ready>(child);
  return {
    ready,
    ask: (question) => {
      const response = nextMessage<never>(child);
      child.send(question as object);
      return response;
    },
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
        setTimeout(() => child.kill('SIGKILL'), 10_000).unref();
      }),
  };
}

/** In the child: reports that it is ready, and responds to each request. */
export function serveParent(ready: unknown, response: (question: unknown) => Promise<unknown>): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', (question) => {
    response(question).then((result) => process.send?.(result as object));
  });
  process.send?.(ready as object);
}

export function childSettings<Settings>(): Settings {
  return JSON.parse(process.argv[2] ?? '{}') as Settings; // Written by startChild.
}

/** CPU time and memory of this process so far. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssMb: number;
  /** What its objects use; without garbage if the process was started with `COLLECTING`. */
  readonly usedMb: number;
}

/** The environment of a child that collects its garbage whenever it is asked for its usage. */
export const COLLECTING = { NODE_OPTIONS: '--expose-gc' } as const;

export function ownUsage(): Usage {
  globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const { rss, heapUsed, external } = process.memoryUsage();
  return { cpuMs: (user + system) / 1_000, rssMb: rss / 2 ** 20, usedMb: (heapUsed + external) / 2 ** 20 };
}

function nextMessage<Message>(child: ChildProcess): Promise<Message> {
  return new Promise((resolve, reject) => {
    const onExit = (code: number | null) => reject(new Error(`a child process ended (${code})`));
    child.once('exit', onExit);
    child.once('message', (message) => {
      child.off('exit', onExit);
      resolve(message as Message);
    });
  });
}
