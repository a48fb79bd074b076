/** The clock as a port: rules take `now`, the edges ask this, and tests move it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
