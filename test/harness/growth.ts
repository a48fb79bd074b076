/** Below this, other things than the input decide how long a run takes. */
const NEGLIGIBLE_MS = 20;
const FACTOR = 8;
/** Linear work comes to about 1, and to somewhat more where the input outgrows the caches; quadratic work comes to the factor. */
const MAX_RATIO = 4;
const RUNS = 5;

/**
 * How much longer one run on an input that is eight times as large takes than eight runs on the smaller one: the median of several where it
 * looks like too much. In processor time of this thread, so that nothing else on the machine counts. Null where the work is over at once.
 */
export async function growthOf(
  work: (input: string) => unknown,
  make: (characters: number) => string,
  characters: number,
): Promise<number | null> {
  const small = make(characters);
  const large = make(FACTOR * characters);
  const ratios: number[] = [];
  while (ratios.length < RUNS) {
    const largeMs = await processorMs(work, large, 1);
    if (largeMs < NEGLIGIBLE_MS) return null;
    ratios.push(largeMs / Math.max(1, await processorMs(work, small, FACTOR)));
    if (ratios.length === 1 && isLinear(ratios[0] ?? 0)) break;
  }
  return ratios.sort((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? null;
}

/** Whether the growth is that of linear work. */
export function isLinear(ratio: number | null): boolean {
  return ratio === null || ratio <= MAX_RATIO;
}

async function processorMs(work: (input: string) => unknown, input: string, times: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time += 1) await work(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
