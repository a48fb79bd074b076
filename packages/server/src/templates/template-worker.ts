import { parentPort, workerData } from 'node:worker_threads';
import { createHeapTidier } from '../threads/tidy-heap.ts';
import { READY } from '../threads/worker-thread.ts';
import { createJobRunner, type JobSettings } from './run-template-job.ts';
import type { TemplateJob } from './template-job.ts';

/**
 * The thread that templates are parsed and rendered in: nothing of the service is in its reach, its heap is limited, and it can be killed in
 * the middle of a job. Started by the pool of template-renderer.ts, which sends one job at a time.
 */
const runner = createJobRunner(workerData as JobSettings); // template-renderer.ts gives exactly these.

const tidyHeap = createHeapTidier();

parentPort?.on('message', (job: TemplateJob) => {
  parentPort?.postMessage(job.kind === 'inspect' ? runner.inspect(job) : runner.render(job));
  tidyHeap();
});
parentPort?.postMessage(READY);
