import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import type { DnsResolver } from '../../packages/server/src/dns/dns-resolver.ts';
import type { DnsStep } from '../../packages/server/src/dns/read-step.ts';
import { createStepCache } from '../../packages/server/src/dns/step-cache.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock, type FakeClock } from '../harness/fake-clock.ts';

let server: TestDnsServer;
let clock: FakeClock;
let dns: DnsResolver;

beforeAll(async () => {
  server = await startDnsServer();
});
afterAll(() => server.close());
beforeEach(() => {
  clock = createFakeClock();
  dns = createDnsResolver({ servers: [server.address], clock, timeoutMs: 100 });
});

/** How many queries for a name the server has received. */
const asked = (name: string) => server.questions.filter((question) => question.name === name).length;
const advanceSeconds = (seconds: number) => clock.advance(seconds * 1_000);

describe('the cache of responses', () => {
  it('keeps a response until its TTL ends, and then queries again', async () => {
    server.set('ttl.example', 'A', '192.0.2.1', { ttl: 60 });
    await dns.a('ttl.example');
    server.set('ttl.example', 'A', '192.0.2.2', { ttl: 60 });
    advanceSeconds(58);
    expect(await dns.a('ttl.example.')).toEqual({ kind: 'found', values: ['192.0.2.1'] });
    expect(asked('ttl.example')).toBe(1);
    advanceSeconds(3);
    expect(await dns.a('ttl.example')).toEqual({ kind: 'found', values: ['192.0.2.2'] });
  });

  it('keeps responses by name and type', async () => {
    server.set('types.example', 'A', '192.0.2.1', { ttl: 60 });
    server.set('types.example', 'TXT', 'text', { ttl: 60 });
    expect(await dns.a('types.example')).toEqual({ kind: 'found', values: ['192.0.2.1'] });
    expect(await dns.txt('types.example')).toEqual({ kind: 'found', values: ['text'] });
  });

  it('keeps a response no longer than the shortest TTL of its CNAME chain', async () => {
    server.set('chain.example', 'CNAME', 'end.chain.example', { ttl: 30 });
    server.set('end.chain.example', 'A', '192.0.2.1', { ttl: 3_600 });
    await dns.a('chain.example');
    advanceSeconds(29);
    await dns.a('chain.example');
    expect(asked('chain.example')).toBe(1);
    advanceSeconds(2);
    await dns.a('chain.example');
    expect(asked('chain.example')).toBe(2);
  });

  it('does not keep a response with a TTL of 0, or with the highest bit of its TTL set', async () => {
    server.set('zero.example', 'A', '192.0.2.1', { ttl: 0 });
    server.set('negative.example', 'A', '192.0.2.1', { ttl: 2 ** 31 });
    for (const name of ['zero.example', 'negative.example']) {
      await dns.a(name);
      await dns.a(name);
      expect(asked(name), name).toBe(2);
    }
  });

  it('keeps a response for at most a day', async () => {
    server.set('long.example', 'A', '192.0.2.1', { ttl: 1_000_000 });
    await dns.a('long.example');
    advanceSeconds(86_390);
    await dns.a('long.example');
    expect(asked('long.example')).toBe(1);
    advanceSeconds(20);
    await dns.a('long.example');
    expect(asked('long.example')).toBe(2);
  });
});

describe('the cache of negative responses', () => {
  const soa = (minimum: number) => `ns.example. hostmaster.example. 1 3600 600 86400 ${minimum}`;

  it('keeps a response for the SOA’s minimum or its TTL, whichever is less', async () => {
    server.set('negative.test', 'SOA', soa(120), { ttl: 3_600 });
    server.set('negative2.test', 'SOA', soa(3_600), { ttl: 120 });
    for (const zone of ['negative.test', 'negative2.test']) {
      expect(await dns.a(`gone.${zone}`)).toEqual({ kind: 'no-name' });
      expect(await dns.a(zone)).toEqual({ kind: 'no-record' });
      server.set(`gone.${zone}`, 'A', '192.0.2.1');
      advanceSeconds(118);
      expect(await dns.a(`gone.${zone}`)).toEqual({ kind: 'no-name' });
      advanceSeconds(3);
      expect(await dns.a(`gone.${zone}`)).toEqual({ kind: 'found', values: ['192.0.2.1'] });
    }
  });

  it('keeps a response for at most fifteen minutes', async () => {
    server.set('patient.test', 'SOA', soa(86_400), { ttl: 86_400 });
    await dns.a('gone.patient.test');
    advanceSeconds(895);
    await dns.a('gone.patient.test');
    expect(asked('gone.patient.test')).toBe(1);
    advanceSeconds(10);
    await dns.a('gone.patient.test');
    expect(asked('gone.patient.test')).toBe(2);
  });

  it('does not keep a response without an SOA', async () => {
    await dns.a('gone.nosoa.test');
    await dns.a('gone.nosoa.test');
    expect(asked('gone.nosoa.test')).toBe(2);
  });
});

it('caches a failure for five seconds', async () => {
  server.fail('flaky.example', 'A', 'SERVFAIL');
  expect(await dns.a('flaky.example')).toMatchObject({ kind: 'failed' });
  server.set('flaky.example', 'A', '192.0.2.1');
  advanceSeconds(4);
  expect(await dns.a('flaky.example')).toMatchObject({ kind: 'failed' });
  advanceSeconds(2);
  expect(await dns.a('flaky.example')).toEqual({ kind: 'found', values: ['192.0.2.1'] });
});

describe('a fresh lookup', () => {
  it('queries what is cached too, and its response replaces the cached one', async () => {
    server.set('fresh.example', 'TXT', 'old', { ttl: 600 });
    await dns.txt('fresh.example');
    server.set('fresh.example', 'TXT', 'new', { ttl: 600 });
    expect(await dns.txt('fresh.example')).toEqual({ kind: 'found', values: ['old'] });
    expect(await dns.fresh().txt('fresh.example')).toEqual({ kind: 'found', values: ['new'] });
    expect(await dns.txt('fresh.example')).toEqual({ kind: 'found', values: ['new'] });
    expect(asked('fresh.example')).toBe(2);
  });

  it('drops a record that no longer exists', async () => {
    server.set('leaving.example', 'TXT', 'here', { ttl: 600 });
    await dns.txt('leaving.example');
    server.remove('leaving.example');
    expect(await dns.fresh().txt('leaving.example')).toEqual({ kind: 'no-name' });
    expect(await dns.txt('leaving.example')).toEqual({ kind: 'no-name' });
  });

  it('queries each time, and again for what a response leads to', async () => {
    server.set('again.example', 'A', '192.0.2.1', { ttl: 600 });
    const view = dns.fresh();
    await view.a('again.example');
    await view.a('again.example');
    await view.fresh().a('again.example');
    expect(asked('again.example')).toBe(3);
  });
});

it('shares one query between identical lookups in flight', async () => {
  server.set('shared.example', 'A', '192.0.2.1');
  const responses = await Promise.all(Array.from({ length: 50 }, () => dns.a('shared.example')));
  expect(new Set(responses.map((response) => JSON.stringify(response))).size).toBe(1);
  expect(asked('shared.example')).toBe(1);
});

it('caches a limited number of responses, and evicts the oldest first', async () => {
  const small = createDnsResolver({ servers: [server.address], clock, maxCached: 3 });
  const names = ['n1.bound.example', 'n2.bound.example', 'n3.bound.example', 'n4.bound.example'];
  for (const name of names) {
    server.set(name, 'A', '192.0.2.1', { ttl: 600 });
    await small.a(name);
  }
  for (const name of names.slice(1)) await small.a(name);
  expect(names.map(asked)).toEqual([1, 1, 1, 1]);
  await small.a('n1.bound.example');
  expect(asked('n1.bound.example')).toBe(2);
});

describe('the memory of the response cache', () => {
  const found = (ttl: number, ...texts: readonly string[]): DnsStep => ({
    ...{ kind: 'found', ttl, aliases: [] },
    records: { texts, mx: [] },
  });

  it('is bounded in bytes as well: large responses evict old ones', () => {
    const cache = createStepCache({ maxEntries: 1_000, maxBytes: 20_000 });
    for (let n = 0; n < 10; n += 1) cache.put(`TXT ${n}`, found(600, 'x'.repeat(4_000)), 0, n + 1);
    const kept = Array.from({ length: 10 }, (_, n) => n).filter((n) => cache.get(`TXT ${n}`, 1) !== null);
    expect(kept).toEqual([6, 7, 8, 9]);
  });

  it('stores no response over 8 KB, and removes the previous one', () => {
    const cache = createStepCache({ maxEntries: 10 });
    cache.put('TXT a', found(600, 'small'), 0, 1);
    cache.put('TXT a', found(600, ...Array.from({ length: 9 }, () => 'x'.repeat(1_000))), 0, 2);
    expect(cache.get('TXT a', 1)).toBeNull();
  });

  it('drops expired entries, whether they are queried again or not', () => {
    const cache = createStepCache({ maxEntries: 1_000, maxBytes: 50_000 });
    cache.put('TXT first', found(86_400, 'stays'), 0, 1);
    for (let n = 0; n < 20; n += 1) cache.put(`TXT old ${n}`, found(1, 'x'.repeat(2_000)), 0, 2);
    // Were the old ones still there, these would need the room of the first.
    for (let n = 0; n < 200; n += 1) cache.put(`A ${n}`, found(600, '192.0.2.1'), 5_000, 3);
    expect(cache.get('TXT first', 5_001)).not.toBeNull();
  });
});
