import { Worker } from 'node:worker_threads';

export interface ThreadOptions {
  /** The module that runs in the thread. It posts `READY` once, and then one reply to each message. */
  readonly module: URL;
  /** The module's `workerData`. */
  readonly settings: unknown;
  /** The limit for the whole heap. */
  readonly heapMb: number;
  /** A job that runs longer is killed together with its thread. */
  readonly killAfterMs: number;
}

/** `overrun`: the job and its thread were killed for its time or memory. */
export type ThreadOutcome = { readonly kind: 'done'; readonly response: unknown } | { readonly kind: 'overrun' };

export interface WorkerThread<Job> {
  /** One job at a time. */
  run(job: Job): Promise<ThreadOutcome>;
  close(): Promise<void>;
}

/** The message a thread sends when it can run jobs. */
export const READY = 'ready';

/** The heap for new objects. Most objects of a job never get older. */
const YOUNG_MB = 12;
const STACK_MB = 2;

/** Starts a thread. Resolves when it can run jobs; rejects if it cannot be started. */
export function startWorkerThread<Job>(options: ThreadOptions): Promise<WorkerThread<Job>> {
  const { module, settings, heapMb, killAfterMs } = options;
  const worker = new Worker(module, {
    workerData: settings,
    env: {},
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: heapMb - YOUNG_MB,
      stackSizeMb: STACK_MB,
    },
  });
  let onResponse: (response: unknown) => void = nothing;
  let onEnd: (error: unknown) => void = nothing;
  worker.on('message', (response: unknown) => onResponse(response));
  worker.on('error', (error: unknown) => onEnd(error));
  worker.on('exit', () => onEnd(new Error('the thread ended')));

  function run(job: Job): Promise<ThreadOutcome> {
    return new Promise((settle) => {
      const finish = (outcome: ThreadOutcome) => {
        clearTimeout(timer);
        // Otherwise the job, which these references keep alive, would stay in memory until the next one.
        onResponse = onEnd = nothing;
        worker.unref();
        settle(outcome);
      };
      const timer = setTimeout(() => void worker.terminate(), killAfterMs);
      onResponse = (response) => finish({ kind: 'done', response });
      onEnd = () => finish({ kind: 'overrun' });
      worker.ref();
      worker.postMessage(job);
    });
  }

  const close = async () => void (await worker.terminate());
  return new Promise((resolve, reject) => {
    onEnd = reject;
    onResponse = (response) => {
      if (response !== READY) return;
      // An idle thread must not keep the process running.
      worker.unref();
      resolve({ run, close });
    };
  });
}

function nothing(): void {}
