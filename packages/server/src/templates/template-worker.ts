import { parentPort, workerData } from 'node:worker_threads';
import { createHeapTidier } from '../threads/tidy-heap.ts';
import { READY } from '../threads/worker-thread.ts';
import { createJobRunner, type JobSettings } from './run-template-job.ts';
import type { TemplateJob } from './template-job.ts';

/**
 * The thread that parses and renders templates. It has no access to the service, its heap is limited, and it can be killed during a job.
 * template-renderer.ts starts it through its pool, which sends one job at a time.
 */
const runner = createJobRunner(workerData as JobSettings); // template-renderer.ts passes exactly these settings.

const tidyHeap = createHeapTidier();

parentPort?.on('message', (job: TemplateJob) => {
  parentPort?.postMessage(job.kind === 'inspect' ? runner.inspect(job) : runner.render(job));
  tidyHeap();
});
parentPort?.postMessage(READY);
