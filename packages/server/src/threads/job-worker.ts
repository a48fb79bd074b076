import { parentPort } from 'node:worker_threads';
import { workAtLowPriority } from './low-priority.ts';
import type { JobReply, SentJob, ThreadJob } from './thread-job.ts';
import { createHeapTidier } from './tidy-heap.ts';
import { READY } from './worker-thread.ts';

workAtLowPriority();
const tidyHeap = createHeapTidier();

/** The thread that runs jobs. The pool in job-threads.ts starts it and sends one job at a time. It loads a module with its first job. */
parentPort?.on('message', (job: SentJob) => void reply(job));
parentPort?.postMessage(READY);

async function reply(job: SentJob): Promise<void> {
  parentPort?.postMessage(await run(job));
  tidyHeap();
}

async function run({ module, name, input }: SentJob): Promise<JobReply> {
  try {
    const exported: Readonly<Record<string, ThreadJob<unknown, unknown>>> = await import(module);
    const job = exported[name];
    if (job === undefined) throw new Error(`${module} exports no job ${name}`);
    return { ok: true, output: await job.run(input) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
