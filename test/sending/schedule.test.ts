import { describe, expect, it } from 'vitest';
import { scheduledAtSchema } from '../../packages/core/src/schemas/scheduled-at.ts';
import { resolveSchedule } from '../../packages/server/src/sending/content/schedule.ts';

const NOW = new Date('2026-01-31T12:00:00.000Z');

function resolve(given: string, now = NOW) {
  const verdict = resolveSchedule(scheduledAtSchema.parse(given), now);
  return verdict.ok ? (verdict.at?.toISOString() ?? 'now') : verdict.refusal.errors?.[0]?.code;
}

describe('the time a send is due', () => {
  it.each([
    ['2026-01-31T12:00:00.001Z', '2026-01-31T12:00:00.001Z'],
    ['2026-02-01T01:30:00.001+13:30', '2026-01-31T12:00:00.001Z'],
    ['2026-01-31T12:00:00Z', 'now'],
    ['2026-01-31T11:59:00Z', 'now'],
    ['2026-01-31T11:58:59.999Z', 'out_of_range'],
    ['2026-03-02T12:00:00Z', '2026-03-02T12:00:00.000Z'],
    ['2026-03-02T12:00:00.001Z', 'out_of_range'],
    ['PT0S', 'now'],
    ['PT1S', '2026-01-31T12:00:01.000Z'],
    ['P30D', '2026-03-02T12:00:00.000Z'],
    ['P30DT1S', 'out_of_range'],
    ['PT720H', '2026-03-02T12:00:00.000Z'],
  ])('of %s is %s, counted to the millisecond on both sides', (given, expected) => {
    expect(resolve(given)).toBe(expected);
  });

  it('counts a month by the calendar, and uses the last day of a shorter one', () => {
    expect(resolve('P1M')).toBe('2026-02-28T12:00:00.000Z');
    expect(resolve('P1M', new Date('2026-02-28T12:00:00.000Z'))).toBe('2026-03-28T12:00:00.000Z');
    expect(resolve('P1M', new Date('2026-03-15T12:00:00.000Z'))).toBe('out_of_range');
    expect(resolve('P1Y')).toBe('out_of_range');
  });
});
