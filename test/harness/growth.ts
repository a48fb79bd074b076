/** Below this time, other factors than the input determine the duration. */
const NEGLIGIBLE_MS = 20;
const FACTOR = 8;
/** Linear work has a growth of about 1, or somewhat more if the input exceeds the caches; quadratic work has that of the factor. */
const MAX_RATIO = 4;
const RUNS = 5;

/**
 * Compares one run on an input eight times as large with eight runs on the smaller one; if the result looks too high, uses the median of
 * several. Measured in processor time of this thread, so that other load does not count. Null if the work is too short to measure.
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

/** Whether the growth is linear. */
export function isLinear(ratio: number | null): boolean {
  return ratio === null || ratio <= MAX_RATIO;
}

async function processorMs(work: (input: string) => unknown, input: string, times: number): Promise<number> {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time += 1) await work(input);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
