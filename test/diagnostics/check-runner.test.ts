import { LIMITS } from '@postrider/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createCheckRunner } from '../../packages/server/src/diagnostics/check-runner.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock } from '../harness/fake-clock.ts';

describe('the checks of all callers together', () => {
  let server: TestDnsServer;
  beforeEach(async () => {
    server = await startDnsServer();
  });
  afterEach(() => server.close());

  function runner(limits: { readonly maxUnderWay?: number; readonly questionsPerMinute?: number } = {}) {
    const clock = createFakeClock();
    const dns = createDnsResolver({ servers: [server.address], clock });
    return { clock, checks: createCheckRunner({ dns, clock, isPublicOnly: false, ...limits }) };
  }

  it('run in parallel up to the limit, and the next starts when one has ended', {
    tags: ['holes.anonymous-lookups'],
  }, async () => {
    const { checks } = runner({ maxUnderWay: 3 });
    const ends: (() => void)[] = [];
    const check = () => checks.run(() => new Promise<void>((resolve) => ends.push(resolve)));
    const underWay = [check(), check(), check()];
    await expect(check()).rejects.toMatchObject({ code: 'rate_limited', details: { headers: { 'retry-after': '1' } } });
    ends[0]?.();
    await underWay[0];
    const next = check();
    for (const end of ends) end();
    await Promise.all([...underWay, next]);
    // One that breaks down leaves its place, too.
    for (let n = 0; n < 5; n += 1) {
      await expect(checks.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    }
  });

  it('query the DNS at most as often in a minute as the limit allows, from any address', {
    tags: ['holes.anonymous-lookups'],
  }, async () => {
    const { clock, checks } = runner({ questionsPerMinute: 100 });
    const check = (n: number) => checks.runRecent(({ dns }) => Promise.all(names(n).map((name) => dns.a(name))));
    const names = (n: number) => Array.from({ length: 60 }, (_, i) => `a${n}-${i}.example.com`);
    await check(1);
    await check(2);
    await expect(check(3)).rejects.toMatchObject({ code: 'rate_limited' });
    await expect(checks.run(() => Promise.resolve())).rejects.toMatchObject({ code: 'rate_limited' });
    expect(server.questions).toHaveLength(120);
    clock.advance(60_000);
    await check(3);
  });

  it('query a name once in a few seconds, however often it is checked', {
    tags: ['holes.anonymous-lookups'],
  }, async () => {
    const { clock, checks } = runner();
    server.set('example.com', 'TXT', 'old', { ttl: 3_600 });
    const check = () => checks.runRecent(({ dns }) => dns.txt('example.com'));
    const responses = await Promise.all(Array.from({ length: 20 }, check));
    expect(responses).toEqual(responses.map(() => ({ kind: 'found', values: ['old'] })));
    expect(server.questions).toHaveLength(1);
    server.set('example.com', 'TXT', 'new');
    clock.advance(LIMITS.toolMemorySeconds * 1_000);
    expect(await check()).toEqual({ kind: 'found', values: ['new'] });
  });
});
