import type { TemplateJob } from './template-job.ts';
import { startTemplateThread, type TemplateThread, type ThreadOptions, type ThreadOutcome } from './template-thread.ts';

export interface TemplatePoolOptions extends ThreadOptions {
  readonly threads: number;
  /** A job that found no thread for so long is given up. */
  readonly maxWaitMs: number;
}

/** `busy`: the job did not get its turn in time. */
export type JobOutcome = ThreadOutcome | { readonly kind: 'busy' };

export interface TemplatePool {
  /** Runs a job; `owner` is who takes a turn with it. Rejects only where no thread can be started. */
  run(owner: string, job: TemplateJob): Promise<JobOutcome>;
  close(): Promise<void>;
}

interface Waiting {
  readonly owner: string;
  readonly job: TemplateJob;
  readonly settle: (outcome: JobOutcome) => void;
  readonly fail: (error: unknown) => void;
  readonly giveUp: NodeJS.Timeout;
}

/**
 * A few threads that render for everybody, started when they are needed. Owners take turns, and none has more than all threads but one at
 * work: templates that never end keep nobody waiting but their owner. A thread does one job at a time, so that killing it ends no other.
 */
export function createTemplatePool(options: TemplatePoolOptions): TemplatePool {
  const queues = new Map<string, Waiting[]>();
  const working = new Map<string, number>();
  const idle: TemplateThread[] = [];
  let threads = 0;
  let isClosed = false;

  function run(owner: string, job: TemplateJob): Promise<JobOutcome> {
    return new Promise((settle, fail) => {
      if (isClosed) return settle({ kind: 'busy' });
      const giveUp = setTimeout(() => {
        leaveQueue(waiting);
        settle({ kind: 'busy' });
      }, options.maxWaitMs);
      const waiting: Waiting = { owner, job, settle, fail, giveUp };
      queues.set(owner, [...(queues.get(owner) ?? []), waiting]);
      assign();
    });
  }

  function leaveQueue(waiting: Waiting): void {
    const rest = (queues.get(waiting.owner) ?? []).filter((other) => other !== waiting);
    // At the end of the map, so that the next turn is another owner's.
    queues.delete(waiting.owner);
    if (rest.length > 0) queues.set(waiting.owner, rest);
    clearTimeout(waiting.giveUp);
  }

  /** Gives idle threads to those who wait, and starts one more where all are at work. */
  function assign(): void {
    for (let next = nextWaiting(); next !== null; next = nextWaiting()) {
      const thread = idle.pop();
      if (thread === undefined) {
        startThread();
        return;
      }
      leaveQueue(next);
      void work(thread, next);
    }
  }

  function nextWaiting(): Waiting | null {
    const most = Math.max(1, options.threads - 1);
    for (const [owner, queue] of queues) if ((working.get(owner) ?? 0) < most) return queue[0] ?? null;
    return null;
  }

  async function work(thread: TemplateThread, { owner, job, settle }: Waiting): Promise<void> {
    working.set(owner, (working.get(owner) ?? 0) + 1);
    const outcome = await thread.run(job);
    const left = (working.get(owner) ?? 1) - 1;
    if (left > 0) working.set(owner, left);
    else working.delete(owner);
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
    startTemplateThread(options).then(
      (thread) => {
        if (isClosed) return void thread.close();
        idle.push(thread);
        assign();
      },
      (error: unknown) => {
        threads -= 1;
        // With other threads at work somebody's turn only comes later; without any, nobody's would come.
        if (threads === 0) failAll(error);
      },
    );
  }

  function failAll(error: unknown): void {
    for (const waiting of [...queues.values()].flat()) {
      leaveQueue(waiting);
      waiting.fail(error);
    }
  }

  async function close(): Promise<void> {
    isClosed = true;
    for (const waiting of [...queues.values()].flat()) {
      leaveQueue(waiting);
      waiting.settle({ kind: 'busy' });
    }
    await Promise.all(idle.splice(0).map((thread) => thread.close()));
  }

  return { run, close };
}
