import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { dividedAmong } from '../packages/server/src/commands/divided-limits.ts';
import { readConfig } from '../packages/server/src/config.ts';
import { checkLimitsOf } from '../packages/server/src/diagnostics/check-runner.ts';
import {
  clientShareOf,
  exactShareOf,
  type ProcessPlace,
  shareOf,
  strictShareOf,
} from '../packages/server/src/process-share.ts';

function placesOf(processes: number): readonly ProcessPlace[] {
  return Array.from({ length: processes }, (_, index) => ({ process: index + 1, processes }));
}

describe('the share of a process in a limit of its server', () => {
  it('is an equal part, rounded up, and at least what one process needs', () => {
    expect([shareOf(5_000, 1), shareOf(5_000, 4), shareOf(50, 8), shareOf(1, 8)]).toEqual([5_000, 1_250, 7, 1]);
    expect(shareOf(LIMITS.unfinishedBodyBytes, 16, LIMITS.sendBodyBytes)).toBe(LIMITS.sendBodyBytes);
  });

  it('has slack for each client, up to the whole limit', () => {
    const shares = [clientShareOf(500, 1), clientShareOf(500, 32), clientShareOf(50, 32), clientShareOf(2, 8)];
    expect(shares).toEqual([500, 28, 7, 2]);
  });

  it('divides the connections before login as a tenth of the whole limit', () => {
    const verdict = readConfig({ POSTRIDER_MODE: 'development' });
    if (!verdict.ok) throw new Error('the settings are wrong');
    const { smtpConnections } = dividedAmong(32, verdict.config);
    expect(smtpConnections).toEqual({ total: 63, perAddress: 28, waitingPerAddress: 7 });
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
