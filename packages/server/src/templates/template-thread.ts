import { Worker } from 'node:worker_threads';
import type { JobSettings } from './run-template-job.ts';
import type { TemplateJob } from './template-job.ts';
import type { WorkerReady } from './template-worker.ts';

export interface ThreadOptions {
  readonly settings: JobSettings;
  /** Of the whole heap. */
  readonly heapMb: number;
  /** A job that runs longer ends with its thread. */
  readonly killAfterMs: number;
}

/** `overrun`: the job was killed for its time or its memory, and the thread with it. */
export type ThreadOutcome = { readonly kind: 'done'; readonly answer: unknown } | { readonly kind: 'overrun' };

export interface TemplateThread {
  /** One job at a time. */
  run(job: TemplateJob): Promise<ThreadOutcome>;
  close(): Promise<void>;
}

/** Of the heap, for objects that were just made; most of a rendering's are never older. */
const YOUNG_MB = 12;
const STACK_MB = 2;
const READY: WorkerReady = 'ready';

/** Starts a thread; resolves once it can take jobs, rejects where it cannot be started. */
export function startTemplateThread({ settings, heapMb, killAfterMs }: ThreadOptions): Promise<TemplateThread> {
  const worker = new Worker(workerFile(), {
    workerData: settings,
    env: {},
    resourceLimits: {
      maxYoungGenerationSizeMb: YOUNG_MB,
      maxOldGenerationSizeMb: heapMb - YOUNG_MB,
      stackSizeMb: STACK_MB,
    },
  });
  let onAnswer: (answer: unknown) => void = () => {};
  let onEnd: (error: unknown) => void = () => {};
  worker.on('message', (answer: unknown) => onAnswer(answer));
  worker.on('error', (error: unknown) => onEnd(error));
  worker.on('exit', () => onEnd(new Error('the template thread ended')));

  function run(job: TemplateJob): Promise<ThreadOutcome> {
    return new Promise((settle) => {
      const finish = (outcome: ThreadOutcome) => {
        clearTimeout(timer);
        worker.unref();
        settle(outcome);
      };
      const timer = setTimeout(() => void worker.terminate(), killAfterMs);
      onAnswer = (answer) => finish({ kind: 'done', answer });
      onEnd = () => finish({ kind: 'overrun' });
      worker.ref();
      worker.postMessage(job);
    });
  }

  const close = async () => void (await worker.terminate());
  return new Promise((resolve, reject) => {
    onEnd = reject;
    onAnswer = (answer) => {
      if (answer !== READY) return;
      // An idle thread keeps no process from ending.
      worker.unref();
      resolve({ run, close });
    };
  });
}

/** Beside this file, in the sources as in what they are compiled to. */
function workerFile(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './template-worker.ts' : './template-worker.js', import.meta.url);
}
