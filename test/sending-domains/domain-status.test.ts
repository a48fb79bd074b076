import { describe, expect, it } from 'vitest';
import {
  beginPending,
  decideStatus,
  type StatusFacts,
} from '../../packages/server/src/sending-domains/domain-status.ts';

const START = new Date('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const at = (ms: number) => new Date(START.getTime() + ms);
const since = (status: StatusFacts['status']): StatusFacts => ({ status, since: START });

describe('the status of a domain', () => {
  it('starts pending, with its first lookup after five minutes', () => {
    expect(beginPending(START)).toEqual({ status: 'pending', since: START, nextCheckAt: at(5 * MINUTE) });
  });

  it.each(['missing', 'unknown'] as const)(
    'stays pending while the records are %s, and is failed after 72 h',
    { tags: ['domains.pending-checks'] },
    (outcome) => {
      let facts: StatusFacts & { nextCheckAt: Date | null } = beginPending(START);
      const pauses: number[] = [];
      let now = START;
      while (facts.nextCheckAt !== null) {
        pauses.push((facts.nextCheckAt.getTime() - now.getTime()) / MINUTE);
        now = facts.nextCheckAt;
        facts = decideStatus(facts, outcome, false, now);
      }
      expect(facts).toEqual({ status: 'failed', since: at(72 * HOUR), nextCheckAt: null });
      expect(pauses.slice(0, 4)).toEqual([5, 5, 5, 5]);
      expect(Math.max(...pauses)).toBe(60);
      expect(pauses.slice(0, -1).every((pause, index) => pause >= (pauses[index - 1] ?? 0))).toBe(true);
      expect(pauses.length).toBeGreaterThan(72);
    },
  );

  it.each(['pending', 'failed', 'degraded'] as const)('is verified from %s once the records are complete', (status) => {
    const now = at(HOUR);
    expect(decideStatus(since(status), 'complete', false, now)).toEqual({
      status: 'verified',
      since: now,
      nextCheckAt: at(25 * HOUR),
    });
  });

  it('is not verified while another account has the name', () => {
    expect(decideStatus(since('pending'), 'complete', true, at(HOUR)).status).toBe('pending');
    expect(decideStatus(since('pending'), 'complete', true, at(72 * HOUR)).status).toBe('failed');
    expect(decideStatus(since('failed'), 'complete', true, at(HOUR))).toEqual({
      ...since('failed'),
      nextCheckAt: null,
    });
  });

  it('stays failed until it is complete', () => {
    for (const outcome of ['missing', 'unknown'] as const) {
      expect(decideStatus(since('failed'), outcome, false, at(HOUR))).toEqual({
        ...since('failed'),
        nextCheckAt: null,
      });
    }
  });

  it('is checked daily while it is verified, and sooner when the DNS did not respond', () => {
    expect(decideStatus(since('verified'), 'complete', false, at(HOUR))).toEqual({
      ...since('verified'),
      nextCheckAt: at(25 * HOUR),
    });
    expect(decideStatus(since('verified'), 'unknown', false, at(HOUR))).toEqual({
      ...since('verified'),
      nextCheckAt: at(2 * HOUR),
    });
  });

  it('is degraded for 72 h when a record is missing, then failed', { tags: ['domains.degraded'] }, () => {
    const degraded = decideStatus(since('verified'), 'missing', false, START);
    expect(degraded).toEqual({ status: 'degraded', since: START, nextCheckAt: at(HOUR) });
    expect(decideStatus(degraded, 'missing', false, at(HOUR))).toEqual({
      ...since('degraded'),
      nextCheckAt: at(2 * HOUR),
    });
    expect(decideStatus(degraded, 'missing', false, at(71.5 * HOUR))).toEqual({
      ...since('degraded'),
      nextCheckAt: at(72 * HOUR),
    });
    expect(decideStatus(degraded, 'missing', false, at(72 * HOUR))).toEqual({
      status: 'failed',
      since: at(72 * HOUR),
      nextCheckAt: null,
    });
  });

  it('is never failed because of an unreachable DNS, once it was verified', () => {
    expect(decideStatus(since('verified'), 'unknown', false, at(1_000 * HOUR)).status).toBe('verified');
    expect(decideStatus(since('degraded'), 'unknown', false, at(1_000 * HOUR))).toEqual({
      ...since('degraded'),
      nextCheckAt: at(1_001 * HOUR),
    });
  });
});
