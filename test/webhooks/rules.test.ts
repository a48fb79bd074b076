import { describe, expect, it } from 'vitest';
import { decideDisabling } from '../../packages/server/src/webhooks/disable-rule.ts';
import {
  type EndpointPace,
  FRESH_PACE,
  MAX_WIDTH,
  nextPace,
} from '../../packages/server/src/webhooks/endpoint-pace.ts';
import { nextAttemptAt, readRetryAfter } from '../../packages/server/src/webhooks/retry-time.ts';

const NOW = new Date('2026-03-01T12:00:00Z');
const SECONDS = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];

describe('the schedule of attempts', () => {
  const delayOf = (step: number, random: number, retryAfterMs: number | null = null) => {
    const at = nextAttemptAt({ step, retryAfterMs }, NOW, random);
    return at === null ? null : (at.getTime() - NOW.getTime()) / 1_000;
  };

  it('has ten attempts over about 75 hours, with growing waits', {
    tags: ['events.retry-schedule', 'events.retries'],
  }, () => {
    expect(SECONDS.map((_, index) => delayOf(index + 1, 0.5))).toEqual(SECONDS);
    expect(delayOf(10, 0.5)).toBeNull();
    expect(SECONDS.reduce((sum, seconds) => sum + seconds, 0) / 3_600).toBeCloseTo(75.6, 1);
  });

  it('varies by a fifth in both directions', { tags: ['events.retry-schedule'] }, () => {
    for (const [index, seconds] of SECONDS.entries()) {
      expect(delayOf(index + 1, 0)).toBe(seconds * 0.8);
      expect(delayOf(index + 1, 0.999_999_999)).toBeCloseTo(seconds * 1.2, 2);
    }
  });

  it('calls no endpoint before the time it requested, a day at most', { tags: ['events.retry-schedule'] }, () => {
    expect(delayOf(1, 0.5, 120_000)).toBe(120);
    expect(delayOf(4, 0.5, 120_000)).toBe(7_200);
    expect(delayOf(1, 0.5, 90 * 86_400_000)).toBe(86_400);
  });

  it('reads retry-after as seconds and as a date', () => {
    expect(readRetryAfter('120', NOW)).toBe(120_000);
    expect(readRetryAfter(new Date(NOW.getTime() + 60_000).toUTCString(), NOW)).toBe(60_000);
    expect(readRetryAfter('Sun, 01 Mar 2026 11:00:00 GMT', NOW)).toBe(0);
    expect([readRetryAfter(undefined, NOW), readRetryAfter('soon', NOW)]).toEqual([null, null]);
  });

  it('pauses an endpoint for a day that asks for ages, however many digits they have', () => {
    for (const digits of [9, 10, 13, 400]) {
      const retryAfterMs = readRetryAfter('9'.repeat(digits), NOW);
      expect(nextAttemptAt({ step: 1, retryAfterMs }, NOW, 0.5)).toEqual(new Date(NOW.getTime() + 86_400_000));
    }
  });
});

describe('an endpoint that fails', () => {
  const since = (days: number) => new Date(NOW.getTime() - days * 86_400_000);

  it('is disabled immediately by 410, otherwise after five days with twenty failures', {
    tags: ['events.disabling', 'events.retries'],
  }, () => {
    expect(decideDisabling({ statusCode: 410, failures: 1, failingSince: NOW }, NOW)).toBe('gone');
    expect(decideDisabling({ statusCode: 500, failures: 20, failingSince: since(5) }, NOW)).toBe('failing');
    expect(decideDisabling({ statusCode: null, failures: 19, failingSince: since(9) }, NOW)).toBeNull();
    expect(decideDisabling({ statusCode: 500, failures: 5_000, failingSince: since(4.99) }, NOW)).toBeNull();
  });
});

describe('the pace of an endpoint', () => {
  const after = (
    pace: EndpointPace,
    ...samples: readonly (readonly [statusCode: number | null, durationMs: number])[]
  ) => samples.reduce((last, [statusCode, durationMs]) => nextPace(last, { statusCode, durationMs }, NOW), pace);
  const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value);

  it('widens while responses are quick, to a limit', () => {
    expect(after(FRESH_PACE, [200, 5], [204, 5]).width).toBe(FRESH_PACE.width + 2);
    expect(after(FRESH_PACE, ...times(200, [200, 5] as const)).width).toBe(MAX_WIDTH);
  });

  it('stays as wide when an endpoint rejects quickly, and narrows when it is slow or asks for less', () => {
    const wide = after(FRESH_PACE, ...times(60, [200, 5] as const));
    expect(after(wide, [500, 5]).width).toBe(MAX_WIDTH);
    expect(after(wide, [200, 4_000]).width).toBe(MAX_WIDTH / 2);
    expect(after(wide, ...times(10, [200, 14_000] as const)).width).toBe(2);
    expect(after(wide, ...times(10, [429, 5] as const)).width).toBe(1);
  });

  it('falls to occasional attempts without responses, and recovers with the first response', () => {
    const silent = after(FRESH_PACE, ...times(20, [null, 5_000] as const));
    expect([silent.width, silent.pausedUntil?.getTime()]).toEqual([1, NOW.getTime() + 1_000]);
    const longer = after(silent, ...times(20, [null, 5_000] as const));
    expect(longer.pausedUntil?.getTime()).toBe(NOW.getTime() + 30_000);
    expect(after(longer, [200, 5])).toEqual({ width: 2, silent: 0, pausedUntil: null });
  });
});
