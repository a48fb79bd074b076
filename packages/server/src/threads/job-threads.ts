import { reportLargeGarbage } from '../heap.ts';
import { nextSlice } from '../time-slice.ts';
import type { JobReply, SentJob, ThreadJob } from './thread-job.ts';
import { createThreadPool, type JobOwner } from './thread-pool.ts';

/** `busy`: the threads had too much to do, or the job was killed for its time or its memory. The same may be asked again. */
export type JobResult<Output> = { readonly kind: 'done'; readonly output: Output } | { readonly kind: 'busy' };

/** Does work that grows with what a caller sent without keeping other requests waiting, however large it is and whatever is in it. */
export interface JobThreads {
  /**
   * Runs a small job where it is called, and a large one in a thread.
   * @param size of the input, in characters or bytes
   * @throws what the job throws: a fault of ours
   */
  run<Input, Output>(
    owner: JobOwner,
    job: ThreadJob<Input, Output>,
    input: Input,
    size: number,
  ): Promise<JobResult<Output>>;
  close(): Promise<void>;
}

/** To be given as the size of work that is large whatever its input is. */
export const ALWAYS_LARGE = Number.POSITIVE_INFINITY;

/** What is done for callers without a key. One thread at most works for all of them together, and their addresses take turns. */
export function anonymousOwner(address: string): JobOwner {
  return { accountId: 'anonymous', keyId: address };
}

/** An ordinary message is read where it is, in well under a millisecond: asking a thread would take as long. */
const SMALL = 16 * 1024;
/** Above this the worst of inputs takes longer than a time slice. */
const LARGE = 64 * 1024;

/** One can work for an account while the other is free for the others. */
const THREADS = 2;
/** The worst body of 2 MB takes three quarters of it. */
const HEAP_MB = 112;
/** The largest and worst body takes about a second on a slow machine: this is for the unforeseen. */
const KILL_AFTER_MS = 10_000;
const MAX_WAIT_MS = 20_000;

export function createJobThreads(): JobThreads {
  const pool = createThreadPool<SentJob>({
    module: workerModule(),
    settings: null,
    threads: THREADS,
    heapMb: HEAP_MB,
    killAfterMs: KILL_AFTER_MS,
    maxWaitMs: MAX_WAIT_MS,
  });

  return {
    async run<Input, Output>(
      owner: JobOwner,
      job: ThreadJob<Input, Output>,
      input: Input,
      size: number,
    ): Promise<JobResult<Output>> {
      if (size <= LARGE) {
        if (size > SMALL) await nextSlice();
        return { kind: 'done', output: await job.run(input) };
      }
      const outcome = await pool.run(owner, { module: job.module, name: job.name, input });
      if (Number.isFinite(size)) reportLargeGarbage(size);
      if (outcome.kind !== 'done') return { kind: 'busy' };
      const reply = outcome.answer as JobReply; // The worker replies with these.
      if (!reply.ok) throw new Error(`a job failed in its thread: ${reply.error}`);
      return { kind: 'done', output: reply.output as Output }; // The job has this output, wherever it runs.
    },
    close: pool.close,
  };
}

/** Beside this file, in the sources as in what they are compiled to. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './job-worker.ts' : './job-worker.js', import.meta.url);
}
