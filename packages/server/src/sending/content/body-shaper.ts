import { createThreadPool, type JobOwner } from '../../threads/thread-pool.ts';
import { nextSlice } from '../../time-slice.ts';
import type { ShapedInThread } from './body-worker.ts';
import { type BodyOrder, type ShapedBodies, shapeBodies } from './shape-bodies.ts';

/** The threads had too much to do: the same may be asked again. */
export type Busy = { readonly busy: true };

/** Shapes bodies without keeping other requests waiting, however large and whatever is in them. */
export interface BodyShaper {
  shape(owner: JobOwner, order: BodyOrder): Promise<ShapedBodies | Busy>;
  close(): Promise<void>;
}

/** An ordinary message is shaped where it is, in well under a millisecond: asking a thread would take as long. */
const SMALL_CHARACTERS = 16 * 1024;
/** Above this the worst of inputs takes longer than a time slice. */
const LARGE_CHARACTERS = 64 * 1024;

/** One can work for an account while the other is free for the others. */
const THREADS = 2;
/** The worst body of 2 MB takes three quarters of it. */
const HEAP_MB = 112;
/** The largest and worst body takes about a second on a slow machine: this is for the unforeseen. */
const KILL_AFTER_MS = 10_000;
const MAX_WAIT_MS = 20_000;

export function createBodyShaper(): BodyShaper {
  const pool = createThreadPool<BodyOrder>({
    module: workerModule(),
    settings: null,
    threads: THREADS,
    heapMb: HEAP_MB,
    killAfterMs: KILL_AFTER_MS,
    maxWaitMs: MAX_WAIT_MS,
  });

  return {
    async shape(owner, order) {
      const characters = (order.html?.length ?? 0) + (order.text?.length ?? 0);
      if (characters > LARGE_CHARACTERS) {
        const outcome = await pool.run(owner, order);
        return outcome.kind === 'done' ? whole(order, outcome.answer as ShapedInThread) : { busy: true }; // The worker replies with these.
      }
      if (characters > SMALL_CHARACTERS) await nextSlice();
      return shapeBodies(order);
    },
    close: pool.close,
  };
}

function whole(order: BodyOrder, { asGiven, ...shaped }: ShapedInThread): ShapedBodies {
  const { html, text } = shaped;
  return { ...shaped, html: asGiven.html ? order.html : html, text: asGiven.text ? (order.text ?? null) : text };
}

/** Beside this file, in the sources as in what they are compiled to. */
function workerModule(): URL {
  return new URL(import.meta.url.endsWith('.ts') ? './body-worker.ts' : './body-worker.js', import.meta.url);
}
