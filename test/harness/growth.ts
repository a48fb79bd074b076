/** Below this, other things than the input decide how long a run takes. */
const NEGLIGIBLE_MS = 15;
const FACTOR = 8;
/** Linear work grows by the factor, and somewhat more where the input outgrows the caches; quadratic work by its square. */
const MAX_RATIO = 3 * FACTOR;
const MAX_RUNS = 8;

/**
 * How many times longer a piece of work takes on an input that is eight times as large: by the fastest of several runs of each, since what
 * disturbs a run only makes it slower. In processor time of this thread, so that nothing else on the machine counts. Null where the work is
 * over at once.
 */
export async function growthOf(
  work: (input: string) => unknown,
  make: (characters: number) => string,
  characters: number,
): Promise<number | null> {
  const small = make(characters);
  const large = make(FACTOR * characters);
  let smallMs = Number.POSITIVE_INFINITY;
  let largeMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < MAX_RUNS; run += 1) {
    largeMs = Math.min(largeMs, await processorMs(work, large));
    if (largeMs < NEGLIGIBLE_MS) return null;
    smallMs = Math.min(smallMs, await processorMs(work, small));
    if (isLinear(largeMs / smallMs) && run > 0) break;
  }
  return largeMs / smallMs;
}

/** Whether the growth is that of linear work. */
export function isLinear(ratio: number | null): boolean {
  return ratio === null || ratio <= MAX_RATIO;
}

async function processorMs(work: (input: string) => unknown, input: string): Promise<number> {
  const before = process.threadCpuUsage();
  await work(input);
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(0.1, (user + system) / 1_000);
}
