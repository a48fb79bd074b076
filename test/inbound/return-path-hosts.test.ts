import { beforeEach, describe, expect, it } from 'vitest';
import { createReturnPathHosts, type ReturnPathHosts } from '../../packages/server/src/inbound/return-path-hosts.ts';
import { createFakeClock, type FakeClock } from '../harness/fake-clock.ts';

describe('the lookup of a return-path host', () => {
  let clock: FakeClock;
  let hosts: ReturnPathHosts;
  let asked: string[];
  let fails: boolean;
  const ours = new Set<string>();
  beforeEach(() => {
    clock = createFakeClock();
    asked = [];
    fails = false;
    ours.clear();
    ours.add('bounce.example.com');
    const lookUp = async (host: string) => {
      asked.push(host);
      if (fails) throw new Error('away');
      return ours.has(host);
    };
    hosts = createReturnPathHosts({ clock, lookUp });
  });

  it('runs once for many callers, and its result is cached for ten seconds, also for an unknown host', async () => {
    const responses = Array.from({ length: 50 }, () => hosts.has('bounce.example.com'));
    expect(new Set(await Promise.all(responses))).toEqual(new Set([true]));
    for (const _ of [1, 2]) expect(await hosts.has('other.example')).toBe(false);
    expect(asked).toEqual(['bounce.example.com', 'other.example']);
    ours.add('other.example');
    clock.advance(10_000);
    expect(await hosts.has('other.example')).toBe(true);
  });

  it('runs again after a failure, which every waiting caller receives', async () => {
    fails = true;
    await expect(Promise.all([hosts.has('a.example'), hosts.has('a.example')])).rejects.toThrow('away');
    fails = false;
    expect(await hosts.has('a.example')).toBe(false);
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('caches a thousand hosts at most', async () => {
    for (let n = 0; n <= 1_000; n += 1) await hosts.has(`h${n}.example`);
    asked = [];
    await hosts.has('h1.example');
    await hosts.has('h0.example');
    expect(asked).toEqual(['h0.example']);
  });
});
