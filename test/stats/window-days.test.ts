import { describe, expect, it } from 'vitest';
import { daysOf, lastDays, readWindow, spansOf } from '../../packages/server/src/stats/window-days.ts';

const NOW = new Date('2026-11-21T20:00:00Z');
const DAY_MS = 86_400_000;

describe('a window of days', () => {
  it('ends with today in UTC, at any time of day', () => {
    for (const time of ['00:00:00.000', '23:59:59.999']) {
      expect(lastDays(1, new Date(`2026-11-21T${time}Z`))).toEqual({ from: '2026-11-21', to: '2026-11-21' });
      expect(lastDays(14, new Date(`2026-11-21T${time}Z`))).toEqual({ from: '2026-11-08', to: '2026-11-21' });
    }
    expect(daysOf({ from: '2028-02-27', to: '2028-03-01' })).toEqual([
      '2028-02-27',
      '2028-02-28',
      '2028-02-29',
      '2028-03-01',
    ]);
  });

  it('of more than 90 days is rejected', () => {
    expect(daysOf(readWindow(90, NOW))).toHaveLength(90);
    expect(() => readWindow(91, NOW)).toThrow(/91 days exceeds the limit of 90/);
  });

  it('is split into spans that contain exactly each of its days once', () => {
    for (let days = 1; days <= 90; days += 1) {
      for (let ahead = 0; ahead < 16; ahead += 1) {
        const range = lastDays(days, new Date(NOW.getTime() + ahead * DAY_MS));
        const covered = spansOf(range).flatMap(({ span, from, to }) => {
          const starts = daysOf({ from, to }).filter((day) => span === 1 || (Date.parse(day) / DAY_MS) % span === 0);
          return starts.flatMap((day) =>
            daysOf({ from: day, to: new Date(Date.parse(day) + (span - 1) * DAY_MS).toISOString().slice(0, 10) }),
          );
        });
        expect(covered).toEqual(daysOf(range));
      }
    }
  });
});
