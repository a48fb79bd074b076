import { createFairQueue } from './fair-queue.ts';
import { startWorkerThread, type ThreadOptions, type ThreadOutcome, type WorkerThread } from './worker-thread.ts';

export interface ThreadPoolOptions extends ThreadOptions {
  readonly threads: number;
  /** A job that found no thread for so long is given up; null for never. */
  readonly maxWaitMs: number | null;
}

/** `busy`: no thread became free for the job in time. */
export type JobOutcome = ThreadOutcome | { readonly kind: 'busy' };

/** Whose job it is. Accounts take turns, and so do the keys of one account. */
export interface JobOwner {
  readonly accountId: string;
  /** Absent where jobs of an account are not told apart by key. */
  readonly keyId?: string;
}

export interface ThreadPool<Job> {
  /** Runs a job in a thread. Rejects only where no thread can be started. */
  run(owner: JobOwner, job: Job): Promise<JobOutcome>;
  close(): Promise<void>;
}

interface Waiting<Job> {
  readonly owner: JobOwner;
  readonly job: Job;
  readonly settle: (outcome: JobOutcome) => void;
  readonly fail: (error: unknown) => void;
  readonly giveUp: NodeJS.Timeout | undefined;
}

/**
 * A few threads that work for all accounts, started when they are needed. Accounts take turns, and none occupies more than all threads but
 * one: jobs that never end delay only the account they belong to. A thread runs one job at a time, so that killing it ends no other.
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
      const giveUp =
        options.maxWaitMs === null
          ? undefined
          : setTimeout(() => {
              queue.remove(waiting);
              settle({ kind: 'busy' });
            }, options.maxWaitMs);
      const waiting: Waiting<Job> = { owner, job, settle, fail, giveUp };
      queue.add(owner.accountId, owner.keyId ?? '', waiting);
      assign();
    });
  }

  /** Gives idle threads to the jobs that wait, and starts one more where all are at work. */
  function assign(): void {
    while (queue.size > 0) {
      const thread = idle.at(-1);
      if (thread === undefined) {
        // One that starts may be all that is needed: whether it is will be seen when it has.
        if (starting === 0 && queue.has(mayStart)) startThread();
        return;
      }
      const next = queue.take(mayStart);
      if (next === undefined) return;
      idle.pop();
      clearTimeout(next.giveUp);
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
    // A thread that was killed is replaced at once, so that the next job need not wait for one to start.
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
        // With other threads at work the jobs only start later; without any, none would start.
        if (threads === 0) for (const { giveUp, fail } of takeAll()) [clearTimeout(giveUp), fail(error)];
      },
    );
  }

  function takeAll(): readonly Waiting<Job>[] {
    const all: Waiting<Job>[] = [];
    for (let next = queue.take(); next !== undefined; next = queue.take()) all.push(next);
    return all;
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const { giveUp, settle } of takeAll()) {
      clearTimeout(giveUp);
      settle({ kind: 'busy' });
    }
    await Promise.all(idle.splice(0).map((thread) => thread.close()));
  }

  return { run, close };
}
