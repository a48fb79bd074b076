import { describe, expect, it } from 'vitest';
import { createLargeLogs } from '../../../packages/server/src/operations/emails/large-logs.ts';

describe('the list of large logs', () => {
  it('removes an account after ten seconds, and contains no other account', () => {
    let nowMs = 0;
    const logs = createLargeLogs(() => nowMs);
    expect(logs.isLarge('a')).toBe(false);
    logs.add('a');
    nowMs = 9_999;
    expect(logs.isLarge('a')).toBe(true);
    expect(logs.isLarge('b')).toBe(false);
    nowMs = 10_000;
    expect(logs.isLarge('a')).toBe(false);
  });
});
