import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { checkLimitsOf } from '../packages/server/src/diagnostics/check-runner.ts';
import { shareOf, strictShareOf } from '../packages/server/src/process-share.ts';

describe('the share of a process in a limit of its server', () => {
  it('is an equal part, rounded up, and at least what one process needs', () => {
    expect([shareOf(5_000, 1), shareOf(5_000, 4), shareOf(50, 8), shareOf(1, 8)]).toEqual([5_000, 1_250, 7, 1]);
    expect(shareOf(LIMITS.unfinishedBodyBytes, 16, LIMITS.sendBodyBytes)).toBe(LIMITS.sendBodyBytes);
  });

  it('is rounded down if another server sets the limit', () => {
    expect([strictShareOf(20, 1), strictShareOf(20, 8), strictShareOf(2, 8)]).toEqual([20, 2, 1]);
  });

  it('always allows one check of a name', () => {
    expect(checkLimitsOf(1)).toEqual({
      maxUnderWay: LIMITS.toolChecksUnderWay,
      questionsPerMinute: LIMITS.toolQuestionsPerMinute,
    });
    expect(checkLimitsOf(64)).toEqual({ maxUnderWay: 1, questionsPerMinute: 250 });
  });
});
