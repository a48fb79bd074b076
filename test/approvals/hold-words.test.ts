import { describe, expect, it } from 'vitest';
import { formatSize } from '../../packages/server/src/approvals/hold-words.ts';
import { timeLeft } from '../../packages/server/src/html/time-words.ts';

describe('readable times and sizes', () => {
  const now = new Date('2026-01-31T09:00:00Z');

  it.each([
    [30_000, 'in 1 minute'],
    [45 * 60_000, 'in 45 minutes'],
    [119 * 60_000, 'in 119 minutes'],
    [3 * 3_600_000, 'in 3 hours'],
    [47 * 3_600_000, 'in 47 hours'],
    [71.98 * 3_600_000, 'in 71 hours'],
    [72 * 3_600_000 - 20_000, 'in 72 hours'],
    [95 * 3_600_000, 'in 95 hours'],
    [96 * 3_600_000, 'in 4 days'],
    [119 * 3_600_000, 'in 4 days'],
    [-1, 'in 1 minute'],
  ])('%d ms from now are %s', (afterMs, words) => {
    expect(timeLeft(new Date(now.getTime() + afterMs), now)).toBe(words);
  });

  it.each([
    [1, '1 byte'],
    [999, '999 bytes'],
    [1_500, '2 KB'],
    [2_340_000, '2.3 MB'],
  ])('%d bytes are %s', (bytes, words) => {
    expect(formatSize(bytes)).toBe(words);
  });
});
