/**
 * The times of each case in ms. The cases alternate, so that other load on the machine affects all equally, and the first round, which warms
 * up, does not count.
 */
export async function timeInTurns(
  cases: Readonly<Record<string, string>>,
  rounds: number,
  run: (path: string) => Promise<void>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const times = new Map<string, number[]>(Object.keys(cases).map((name) => [name, []]));
  for (let n = -1; n < rounds; n += 1) {
    for (const [name, path] of Object.entries(cases)) {
      const began = performance.now();
      await run(path);
      if (n >= 0) times.get(name)?.push(performance.now() - began);
    }
  }
  return times;
}
