import { parentPort, workerData } from 'node:worker_threads';
import { createJobRunner, type JobSettings } from './run-template-job.ts';
import type { TemplateJob } from './template-job.ts';

/** What the thread says once it can take jobs. */
export type WorkerReady = 'ready';

/**
 * The thread that templates are parsed and rendered in: nothing of the service is in its reach, its heap is limited, and it can be killed in
 * the middle of a job. Started by template-thread.ts, which sends one job at a time.
 */
const runner = createJobRunner(workerData as JobSettings); // template-thread.ts gives exactly these.

parentPort?.on('message', (job: TemplateJob) => {
  parentPort?.postMessage(job.kind === 'inspect' ? runner.inspect(job) : runner.render(job));
});
const ready: WorkerReady = 'ready';
parentPort?.postMessage(ready);
