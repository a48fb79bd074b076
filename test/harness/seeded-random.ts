import { randomInt } from 'node:crypto';

/** Random choices that a seed makes repeatable. */
export interface SeededRandom {
  readonly seed: number;
  /** At least 0 and less than 1. */
  next(): number;
  /** An integer from `least` to `most`, inclusive. */
  integer(least: number, most: number): number;
  chance(probability: number): boolean;
  pick<T>(choices: readonly [T, ...T[]]): T;
}

/**
 * Random choices for generated tests. The seed is POSTRIDER_TEST_SEED or random, and is printed so that a failure can be replayed. `usual`
 * is the default seed of a test that makes the same choices in every run.
 */
export function seededRandom(purpose: string, usual?: number): SeededRandom {
  const given = process.env['POSTRIDER_TEST_SEED'];
  const seed = given === undefined ? (usual ?? randomInt(2 ** 31)) : Number.parseInt(given, 10);
  console.log(`${purpose}: POSTRIDER_TEST_SEED=${seed}`);
  return randomOf(seed);
}

/** Mulberry32: 32 bits of state, random enough to vary test input, and the same on every machine. */
function randomOf(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const integer = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    seed,
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (choices) => choices[integer(0, choices.length - 1)] ?? choices[0],
  };
}
