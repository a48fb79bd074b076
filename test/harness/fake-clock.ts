import type { Clock } from '../../packages/server/src/clock.ts';

/** A clock that runs in real time and can be moved ahead. */
export interface FakeClock extends Clock {
  advance(ms: number): void;
}

export function createFakeClock(): FakeClock {
  let aheadMs = 0;
  return {
    now: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
  };
}
