import { reportLargeGarbage } from '../heap.ts';
import { nextSlice } from '../time-slice.ts';
import { whenKnown } from '../when-known.ts';
import type { JobReply, SentJob, ThreadJob } from './thread-job.ts';
import { createThreadPool, type JobOwner } from './thread-pool.ts';

/** `busy`: the threads were overloaded, or the job was killed for its time or memory. The caller may retry. */
export type JobResult<Output> = { readonly kind: 'done'; readonly output: Output } | { readonly kind: 'busy' };

/** Runs work whose cost depends on the caller's input, without blocking other requests, whatever the size or content of the input. */
export interface JobThreads {
  /**
   * Runs a small job on the event loop, at once, and a large one in a thread.
   * @param size of the input, in characters or bytes
   * @throws what the job throws, which is an internal error
   */
  run<Input, Output>(
    owner: JobOwner,
    job: ThreadJob<Input, Output>,
    input: Input,
    size: number,
  ): JobResult<Output> | Promise<JobResult<Output>>;
  close(): Promise<void>;
}

/** The size to pass for work that is expensive for any input. */
export const ALWAYS_LARGE = Number.POSITIVE_INFINITY;

/** Work for callers without a key. One thread at most serves all of them, in round-robin order of their addresses. */
export function anonymousOwner(address: string): JobOwner {
  return { accountId: 'anonymous', keyId: address };
}

/** An ordinary message is parsed on the event loop in well under a millisecond: a thread would take as long. */
const SMALL = 16 * 1024;
/** Above this size the worst inputs take longer than a time slice. */
const LARGE = 64 * 1024;

/** While one works for an account, the other is free for the rest. */
const THREADS = 2;
/** The worst 2 MB body uses three quarters of it. */
const HEAP_MB = 112;
/** The largest and worst body takes about a second on a slow machine, so this limit is only for unexpected cases. */
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

  async function runLater<Input, Output>(
    owner: JobOwner,
    job: ThreadJob<Input, Output>,
    input: Input,
    size: number,
  ): Promise<JobResult<Output>> {
    if (size <= LARGE) {
      await nextSlice();
      return { kind: 'done', output: await job.run(input) };
    }
    const outcome = await pool.run(owner, { module: job.module, name: job.name, input });
    if (Number.isFinite(size)) reportLargeGarbage(size);
    if (outcome.kind !== 'done') return { kind: 'busy' };
    const reply = outcome.response as JobReply; // The worker sends these replies.
    if (!reply.ok) throw new Error(`a job failed in its thread: ${reply.error}`);
    return { kind: 'done', output: reply.output as Output }; // The job has this output type, wherever it runs.
  }

  return {
    run: (owner, job, input, size) =>
      size > SMALL
        ? runLater(owner, job, input, size)
        : whenKnown(job.run(input), (output) => ({ kind: 'done', output })),
    close: pool.close,
  };
}

/** Next to this file, both in the sources and in the compiled output. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './job-worker.ts' : './job-worker.js', import.meta.url);
}
