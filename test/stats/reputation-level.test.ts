import { describe, expect, it } from 'vitest';
import { reputationLevel } from '../../packages/server/src/stats/reputation-level.ts';

describe('the reputation level', () => {
  it.each([
    [0, 0, 0, 'good'],
    [99, 99, 99, 'good'],
    [100, 0, 0, 'good'],
    [100, 2, 0, 'good'],
    [100, 3, 0, 'watch'],
    [100, 4, 0, 'watch'],
    [100, 5, 0, 'at_risk'],
    [100, 9, 0, 'at_risk'],
    [100, 10, 0, 'suspended'],
    [1_000, 29, 0, 'good'],
    [1_000, 30, 0, 'watch'],
    [1_000, 49, 0, 'watch'],
    [1_000, 50, 0, 'at_risk'],
    [1_000, 99, 0, 'at_risk'],
    [1_000, 100, 0, 'suspended'],
    [10_000, 0, 4, 'good'],
    [10_000, 0, 5, 'watch'],
    [10_000, 0, 9, 'watch'],
    [10_000, 0, 10, 'at_risk'],
    [10_000, 0, 49, 'at_risk'],
    [10_000, 0, 50, 'suspended'],
    [2_001, 0, 1, 'good'],
    [2_000, 0, 1, 'watch'],
    [1_000, 0, 1, 'at_risk'],
    [201, 0, 1, 'at_risk'],
    [200, 0, 1, 'suspended'],
    [10_000, 300, 10, 'at_risk'],
    [10_000, 500, 5, 'at_risk'],
    [10_000, 1_000, 0, 'suspended'],
  ] as const)(
    'of %i sent with %i bounced and %i complained is %s',
    { tags: ['statistics.reputation'] },
    (sent, bounced, complained, level) => {
      expect(reputationLevel({ sent, bounced, complained })).toBe(level);
    },
  );
});
