import { ownUsage } from './child.ts';

/** One way to do a piece of work, by the number of the piece. */
export type Work = (index: number) => unknown;

/**
 * The CPU time of one piece of work in µs, for each case and round. The cases alternate, so that other load on the machine affects all
 * equally, and the first round, which warms up, does not count.
 */
export function cpuInTurns<Case extends string>(
  cases: Readonly<Record<Case, Work>>,
  { count, rounds }: { readonly count: number; readonly rounds: number },
): Readonly<Record<Case, readonly number[]>> {
  const names = Object.keys(cases) as Case[]; // Its own keys are all there are.
  const spent = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Case, number[]>;
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const before = ownUsage().cpuMs;
      for (let index = 0; index < count; index += 1) cases[name](index);
      if (round >= 0) spent[name].push(((ownUsage().cpuMs - before) * 1_000) / count);
    }
  }
  return spent;
}

/** The median over the rounds of one case in relation to others of the same round. */
export function ratiosOf(own: readonly number[], ...others: readonly (readonly number[])[]): readonly number[] {
  return own.map((us, round) => us / others.reduce((sum, other) => sum + (other[round] ?? 0), 0));
}
