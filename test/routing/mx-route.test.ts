import { describe, expect, it } from 'vitest';
import type { DnsResult, MxRecord } from '../../packages/server/src/dns/dns-resolver.ts';
import { type Experience, orderAddresses, orderHosts } from '../../packages/server/src/routing/mx-order.ts';
import { providerOf } from '../../packages/server/src/routing/mx-provider.ts';
import { type MxRoute, readMxResult } from '../../packages/server/src/routing/mx-route.ts';
import { seededRandom } from '../harness/seeded-random.ts';

const OWN = 'mail.postrider.test';

function found(...records: readonly string[]): DnsResult<MxRecord> {
  const values = records.map((record) => {
    const [priority = '', exchange = ''] = record.split(' ');
    return { priority: Number(priority), exchange };
  });
  return { kind: 'found', values };
}

function route(response: DnsResult<MxRecord>, domain = 'a.test'): MxRoute {
  return readMxResult(domain, response, OWN);
}

function namesOf(response: DnsResult<MxRecord>): readonly string[] {
  const read = route(response);
  return read.kind === 'hosts' ? read.hosts.map(({ name }) => name) : [];
}

describe('the response for the MX records of a domain', () => {
  it('names its servers, best first, each once', () => {
    expect(namesOf(found('20 b.test', '10 c.test', '30 c.test', '5 d.test'))).toEqual(['d.test', 'c.test', 'b.test']);
  });

  it('that has none makes the domain its own server (RFC 5321, section 5.1)', () => {
    expect(route({ kind: 'no-record' })).toEqual({
      kind: 'hosts',
      hosts: [{ name: 'a.test', preference: 0 }],
      isImplicit: true,
    });
  });

  it('permanently rejects a domain that has a null MX (RFC 7505) or does not exist', () => {
    expect(route(found('0 '))).toMatchObject({ kind: 'refused', classification: 'hard' });
    expect(route(found('0 '))).toMatchObject({ reason: expect.stringContaining('null MX') });
    expect(route({ kind: 'no-name' })).toMatchObject({ kind: 'refused', classification: 'hard' });
    expect(route({ kind: 'no-name' })).toMatchObject({ reason: expect.stringContaining('NXDOMAIN') });
  });

  it('with a null MX beside others ignores the null MX', () => {
    expect(namesOf(found('0 ', '10 b.test'))).toEqual(['b.test']);
  });

  it('that could not be read defers the message', () => {
    expect(route({ kind: 'failed', reason: 'SERVFAIL' })).toEqual({
      kind: 'deferred',
      reason: 'The DNS lookup of the mail servers of a.test failed: SERVFAIL',
    });
  });

  it('skips addresses and invalid host names, and defers when nothing else is left', () => {
    expect(namesOf(found('1 192.0.2.1', '2 2001:db8::1', '3 b(c).test', '4 b.test'))).toEqual(['b.test']);
    expect(route(found('1 192.0.2.1', '2 \u001b[2J'))).toEqual({
      kind: 'deferred',
      reason: 'The MX records of a.test contain no valid host name (192.0.2.1, ?[2J). An MX record needs a host name.',
    });
    expect(namesOf(found('1 under_score.test', '2 xn--bcher-kva.test'))).toEqual([
      'under_score.test',
      'xn--bcher-kva.test',
    ]);
  });

  it('that names this server leads only to the earlier ones, and is a loop when there are none', () => {
    expect(namesOf(found('10 b.test', `20 ${OWN}`, '20 c.test', '30 d.test'))).toEqual(['b.test']);
    for (const response of [found(`10 ${OWN}`, '20 b.test'), found('10 c.test', `10 ${OWN}`)]) {
      expect(route(response)).toMatchObject({ kind: 'refused', classification: 'unknown' });
      expect(route(response)).toMatchObject({ reason: expect.stringContaining('a loop') });
    }
    expect(route({ kind: 'no-record' }, OWN)).toMatchObject({ kind: 'refused' });
  });
});

describe('the order of servers', () => {
  const hosts = [
    { name: 'a', preference: 10 },
    { name: 'b', preference: 10 },
    { name: 'c', preference: 10 },
    { name: 'd', preference: 20 },
  ];
  const seeded = seededRandom('the order of servers');
  const nothingKnown: Experience = { isOpen: () => false, isAvoided: () => false, random: () => seeded.next() };
  const orderOf = (known: Partial<Experience>) =>
    orderHosts(hosts, { ...nothingKnown, ...known })
      .map(({ name }) => name)
      .join('');

  it('is by preference, and random among equals', () => {
    const orders = new Set(Array.from({ length: 200 }, () => orderOf({})));
    expect([...orders].sort()).toEqual(['abcd', 'acbd', 'bacd', 'bcad', 'cabd', 'cbad']);
  });

  it('puts one with an open connection before its equals, and after better ones', () => {
    const first = new Set(Array.from({ length: 50 }, () => orderOf({ isOpen: (key) => key === 'b' || key === 'd' })));
    expect([...first].sort()).toEqual(['bacd', 'bcad']);
  });

  it('puts one that did not respond after all others', () => {
    const orders = Array.from({ length: 50 }, () => orderOf({ isAvoided: (key) => key === 'a' }));
    expect(new Set(orders)).toEqual(new Set(['bcda', 'cbda']));
  });

  it('alternates between the address families of a server, IPv6 first', () => {
    const known = { ...nothingKnown, random: () => 0.99 };
    expect(orderAddresses(['1', '2', '3'], ['::1'], known)).toEqual(['::1', '1', '2', '3']);
    expect(orderAddresses(['1'], ['::1', '::2'], known)).toEqual(['::1', '1', '::2']);
    expect(orderAddresses(['1', '2'], ['::1'], { ...known, isAvoided: (key) => key === '::1' })).toEqual([
      '1',
      '2',
      '::1',
    ]);
    expect(orderAddresses(['1', '2'], ['::1'], { ...known, isOpen: (key) => key === '2' })).toEqual(['2', '::1', '1']);
  });
});

describe('the provider of a domain', () => {
  it.each([
    ['google.com', found('1 aspmx.l.google.com', '5 alt1.aspmx.l.google.com')],
    ['outlook.com', found('0 shop-example.mail.protection.outlook.com')],
    ['example.co.uk', found('20 backup.elsewhere.test', '10 mx.example.co.uk')],
    ['a.test', found('10 z.b.test', '10 a.test')],
    ['shop.example', { kind: 'no-record' }],
    ['shop.example', { kind: 'no-name' }],
    ['shop.example', { kind: 'failed', reason: 'x' }],
    ['shop.example', found('0 ')],
  ] as const)('is %s', (provider, response) => {
    expect(providerOf('shop.example', route(response, 'shop.example'))).toBe(provider);
  });
});
