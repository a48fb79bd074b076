import { createFairQueue } from './fair-queue.ts';
import { startWorkerThread, type ThreadOptions, type ThreadOutcome, type WorkerThread } from './worker-thread.ts';

export interface ThreadPoolOptions extends ThreadOptions {
  readonly threads: number;
  /** A job that gets no thread within this time is given up; null waits forever. */
  readonly maxWaitMs: number | null;
}

/** `busy`: no thread became free for the job in time. */
export type JobOutcome = ThreadOutcome | { readonly kind: 'busy' };

/** The owner of a job. Accounts are served in round-robin order, and so are the keys of one account. */
export interface JobOwner {
  readonly accountId: string;
  /** Absent if jobs of an account are not separated by key. */
  readonly keyId?: string;
}

export interface ThreadPool<Job> {
  /** Runs a job in a thread. Rejects only if no thread can be started. */
  run(owner: JobOwner, job: Job): Promise<JobOutcome>;
  close(): Promise<void>;
}

interface Waiting<Job> {
  readonly owner: JobOwner;
  readonly job: Job;
  readonly settle: (outcome: JobOutcome) => void;
  readonly fail: (error: unknown) => void;
  readonly timeout: NodeJS.Timeout | undefined;
}

/**
 * A few threads for all accounts, started on demand. Accounts are served in round-robin order, and none can use all
 * threads: jobs that never end delay only their own account. A thread runs one job at a time, so that killing it ends no
 * other job.
 */
export function createThreadPool<Job>(options: ThreadPoolOptions): ThreadPool<Job> {
  const queue = createFairQueue<Waiting<Job>>();
  const working = new Map<string, number>();
  const idle: WorkerThread<Job>[] = [];
  let threads = 0;
  let starting = 0;
  let isClosed = false;

  function run(owner: JobOwner, job: Job): Promise<JobOutcome> {
    return new Promise((settle, fail) => {
      if (isClosed) return settle({ kind: 'busy' });
      const timeout =
        options.maxWaitMs === null
          ? undefined
          : setTimeout(() => {
              queue.remove(waiting);
              settle({ kind: 'busy' });
            }, options.maxWaitMs);
      const waiting: Waiting<Job> = { owner, job, settle, fail, timeout };
      queue.add(owner.accountId, owner.keyId ?? '', waiting);
      assign();
    });
  }

  /** Assigns waiting jobs to idle threads, and starts another thread if all are busy. */
  function assign(): void {
    while (queue.size > 0) {
      const thread = idle.at(-1);
      if (thread === undefined) {
        // The one that is starting may be enough; this is checked again when it has started.
        if (starting === 0 && queue.has(mayStart)) startThread();
        return;
      }
      const next = queue.take(mayStart);
      if (next === undefined) return;
      idle.pop();
      clearTimeout(next.timeout);
      void work(thread, next);
    }
  }

  function mayStart(accountId: string): boolean {
    return (working.get(accountId) ?? 0) < Math.max(1, options.threads - 1);
  }

  async function work(thread: WorkerThread<Job>, { owner: { accountId }, job, settle }: Waiting<Job>): Promise<void> {
    working.set(accountId, (working.get(accountId) ?? 0) + 1);
    const outcome = await thread.run(job);
    const left = (working.get(accountId) ?? 1) - 1;
    if (left > 0) working.set(accountId, left);
    else working.delete(accountId);
    settle(outcome);
    if (outcome.kind === 'done' && !isClosed) idle.push(thread);
    else threads -= 1;
    // A killed thread is replaced at once, so that the next job need not wait for a start.
    if (outcome.kind === 'overrun') startThread();
    assign();
  }

  function startThread(): void {
    if (isClosed || threads >= options.threads) return;
    threads += 1;
    starting += 1;
    startWorkerThread<Job>(options).then(
      (thread) => {
        starting -= 1;
        if (isClosed) return void thread.close();
        idle.push(thread);
        assign();
      },
      (error: unknown) => {
        threads -= 1;
        starting -= 1;
        // If other threads work, the jobs only start later. Without any thread, none would start.
        if (threads === 0) for (const { timeout, fail } of removeAll()) [clearTimeout(timeout), fail(error)];
      },
    );
  }

  function removeAll(): readonly Waiting<Job>[] {
    const all: Waiting<Job>[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) all.push(next);
    return all;
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const { timeout, settle } of removeAll()) {
      clearTimeout(timeout);
      settle({ kind: 'busy' });
    }
    await Promise.all(idle.splice(0).map((thread) => thread.close()));
  }

  return { run, close };
}
