import { describe, expect, it } from 'vitest';
import { createClientRateLimit } from '../../packages/server/src/keys/client-rate-limit.ts';

describe('the rate limit of clients without a key', () => {
  function limitAt() {
    let nowMs = 1_000_000;
    const limit = createClientRateLimit({ clock: { now: () => new Date(nowMs) }, windowMs: 60_000 });
    const wait = (ms: number) => {
      nowMs += ms;
    };
    return { limit, wait };
  }

  it('allows an exact number of requests in any minute, and says when to retry', () => {
    const { limit, wait } = limitAt();
    expect(limit.take('192.0.2.1', 2)).toBeNull();
    wait(30_000);
    expect(limit.take('192.0.2.1', 2)).toBeNull();
    expect(limit.take('192.0.2.1', 2)).toBe(30);
    wait(29_999);
    expect(limit.take('192.0.2.1', 2)).toBe(1);
    wait(1);
    expect(limit.take('192.0.2.1', 2)).toBeNull();
    expect(limit.take('192.0.2.1', 2)).toBe(30);
  });

  it('counts an IPv6 /64 as one client, and an IPv4 address as the same in either form', () => {
    const { limit } = limitAt();
    expect(limit.take('2001:db8:1:2::1', 1)).toBeNull();
    expect(limit.take('2001:db8:1:2:ffff::9', 1)).toBe(60);
    expect(limit.take('2001:db8:1:3::1', 1)).toBeNull();
    expect(limit.take('192.0.2.9', 1)).toBeNull();
    expect(limit.take('::ffff:192.0.2.9', 1)).toBe(60);
  });

  it('forgets the client idle for longest when there are too many', () => {
    const { limit } = limitAt();
    for (let n = 0; n < 50_001; n += 1) limit.take(`10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`, 1);
    expect(limit.take('10.0.0.1', 1)).toBe(60);
    expect(limit.take('10.0.0.0', 1)).toBeNull();
  });
});
