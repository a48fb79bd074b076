import { describe, expect, it } from 'vitest';
import { quotaMonth, quotaResetsAt } from '../../packages/server/src/sending/quota.ts';

describe('the month a quota is counted in', () => {
  it.each([
    ['2026-01-01T00:00:00.000Z', '2026-01-01', '2026-02-01T00:00:00.000Z'],
    ['2026-01-31T23:59:59.999Z', '2026-01-01', '2026-02-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12-01', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02-01', '2028-03-01T00:00:00.000Z'],
    // In zones ahead of UTC or behind it these belong to another month.
    ['2026-03-01T00:30:00.000+02:00', '2026-02-01', '2026-03-01T00:00:00.000Z'],
    ['2026-02-28T23:30:00.000-05:00', '2026-03-01', '2026-04-01T00:00:00.000Z'],
  ])('of %s is the UTC month from %s to %s', { tags: ['contract-quota.months'] }, (now, month, resetsAt) => {
    expect(quotaMonth(new Date(now))).toBe(month);
    expect(quotaResetsAt(new Date(now)).toISOString()).toBe(resetsAt);
  });
});
