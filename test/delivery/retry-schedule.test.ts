import { describe, expect, it } from 'vitest';
import { nextAttemptAt } from '../../packages/server/src/delivery/retry-schedule.ts';

const START = new Date('2026-03-01T00:00:00Z');
const HOUR_MS = 3_600_000;
const NO_JITTER = 0.5;

function hoursAfterStart(hours: number): Date {
  return new Date(START.getTime() + hours * HOUR_MS);
}

/** The waits in seconds from the first attempt until the schedule gives up. */
function waitsUntil(expiresAt: Date): number[] {
  const waits: number[] = [];
  let now = START;
  for (let attempt = 1; ; attempt += 1) {
    const next = nextAttemptAt({ attempt, now, expiresAt, random: NO_JITTER });
    if (next === null) return waits;
    waits.push((next.getTime() - now.getTime()) / 1_000);
    now = next;
  }
}

describe('nextAttemptAt', () => {
  it('waits 30 s, 2, 5, 10, 20 and 40 minutes, 1 and 2 hours, then 4 hours each time', () => {
    const waits = waitsUntil(hoursAfterStart(24));
    expect(waits.slice(0, 11)).toEqual([30, 120, 300, 600, 1_200, 2_400, 3_600, 7_200, 14_400, 14_400, 14_400]);
  });

  it('makes its last attempt at the expiry and none after it', () => {
    for (const hours of [24, 72]) {
      const waits = waitsUntil(hoursAfterStart(hours));
      expect(waits.reduce((sum, wait) => sum + wait, 0)).toBe(hours * 3_600);
      expect(Math.max(...waits)).toBe(14_400);
    }
  });

  it('gives up at the expiry and after it', () => {
    const facts = { attempt: 1, expiresAt: START, random: NO_JITTER };
    expect(nextAttemptAt({ ...facts, now: START })).toBeNull();
    expect(nextAttemptAt({ ...facts, now: hoursAfterStart(1) })).toBeNull();
  });

  it('varies every wait by up to a fifth in both directions', () => {
    const facts = { attempt: 4, now: START, expiresAt: hoursAfterStart(24) };
    const waitMs = (random: number) => (nextAttemptAt({ ...facts, random })?.getTime() ?? 0) - START.getTime();
    expect(waitMs(0)).toBe(480_000);
    expect(waitMs(0.25)).toBe(540_000);
    expect(waitMs(0.999_999)).toBeLessThanOrEqual(720_000);
    expect(waitMs(0.999_999)).toBeGreaterThan(719_000);
  });
});
