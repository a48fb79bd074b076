import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { checkLimitsOf } from '../packages/server/src/diagnostics/check-runner.ts';
import { exactShareOf, type ProcessPlace, shareOf, strictShareOf } from '../packages/server/src/process-share.ts';

function placesOf(processes: number): readonly ProcessPlace[] {
  return Array.from({ length: processes }, (_, index) => ({ process: index + 1, processes }));
}

describe('the share of a process in a limit of its server', () => {
  it('is an equal part, rounded up, and at least what one process needs', () => {
    expect([shareOf(5_000, 1), shareOf(5_000, 4), shareOf(50, 8), shareOf(1, 8)]).toEqual([5_000, 1_250, 7, 1]);
    expect(shareOf(LIMITS.unfinishedBodyBytes, 16, LIMITS.sendBodyBytes)).toBe(LIMITS.sendBodyBytes);
  });

  it('adds up to the limit if another server sets it', () => {
    for (const limit of [2, 5, 10, 20]) {
      for (const processes of [1, 2, 3, 8, 16, 64]) {
        const shares = placesOf(processes).map((place) => exactShareOf(limit, place, 'google.com'));
        expect(shares.reduce((sum, share) => sum + share)).toBe(limit);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }
    }
  });

  it('is on different processes for different destinations', () => {
    const names = Array.from({ length: 200 }, (_, n) => `destination-${n}.example`);
    for (const place of placesOf(8)) {
      const served = names.filter((name) => exactShareOf(2, place, name) > 0);
      expect(served.length).toBeGreaterThan(20);
      expect(served.length).toBeLessThan(80);
    }
  });

  it('leaves every process one connection to the relay', () => {
    const sharesOf = (processes: number) => placesOf(processes).map((place) => strictShareOf(20, place));
    expect(sharesOf(8).toSorted()).toEqual([2, 2, 2, 2, 3, 3, 3, 3]);
    expect(sharesOf(64)).toEqual(Array.from({ length: 64 }, () => 1));
  });

  it('always allows one check of a name', () => {
    expect(checkLimitsOf(1)).toEqual({
      maxUnderWay: LIMITS.toolChecksUnderWay,
      questionsPerMinute: LIMITS.toolQuestionsPerMinute,
    });
    expect(checkLimitsOf(64)).toEqual({ maxUnderWay: 1, questionsPerMinute: 250 });
  });
});
