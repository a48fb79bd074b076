/** The clock as a port: rules take `now` as a parameter, the outer layers read this clock, and tests advance it. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
