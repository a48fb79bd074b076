import type { Sample } from './exposition.ts';

/** Counts observations by how large they are. */
export interface Histogram {
  observe(value: number): void;
  samples(): readonly Sample[];
}

/** @param bounds the upper bounds of the buckets, the smallest first; one without a bound comes behind them. */
export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = Array<number>(bounds.length + 1).fill(0);
  let sum = 0;

  return {
    observe(value) {
      const found = bounds.findIndex((bound) => value <= bound);
      const bucket = found === -1 ? bounds.length : found;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
    samples() {
      let total = 0;
      const buckets = counts.map((count, bucket): Sample => {
        total += count;
        return { suffix: '_bucket', labels: { le: String(bounds[bucket] ?? '+Inf') }, value: total };
      });
      return [...buckets, { suffix: '_sum', value: sum }, { suffix: '_count', value: total }];
    },
  };
}
