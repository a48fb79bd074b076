import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import type { DnsResolver } from '../../packages/server/src/dns/dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

let server: TestDnsServer;
let dns: DnsResolver;

beforeAll(async () => {
  server = await startDnsServer();
});
afterAll(() => server.close());
beforeEach(() => {
  dns = createDnsResolver({ servers: [server.address] });
});

const found = (...values: unknown[]) => ({ kind: 'found', values });

describe('the resolver returns', () => {
  it('addresses of both families', async () => {
    server.set('both.example', 'A', ['192.0.2.1', '192.0.2.2']);
    server.set('both.example', 'AAAA', '2001:db8::1');
    expect(await dns.a('both.example')).toEqual(found('192.0.2.1', '192.0.2.2'));
    expect(await dns.aaaa('both.example')).toEqual(found('2001:db8::1'));
  });

  it('mail exchangers by preference, in lower case, and the null MX as an empty name', async () => {
    server.set('mail.example', 'MX', ['20 Backup.Mail.Example.', '5 a.mail.example', '10 b.mail.example']);
    server.set('no-mail.example', 'MX', '0 .');
    expect(await dns.mx('mail.example')).toEqual(
      found(
        { priority: 5, exchange: 'a.mail.example' },
        { priority: 10, exchange: 'b.mail.example' },
        { priority: 20, exchange: 'backup.mail.example' },
      ),
    );
    expect(await dns.mx('no-mail.example')).toEqual(found({ priority: 0, exchange: '' }));
  });

  it('name servers, an alias itself, and the names of an address of either family', async () => {
    server.set('zone.example', 'NS', ['NS1.zone.example', 'ns2.zone.example']);
    server.set('alias.zone.example', 'CNAME', 'Target.example.');
    server.set('192.0.2.1', 'PTR', ['one.example', 'two.example']);
    server.set('1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa', 'PTR', 'six.example');
    expect(await dns.ns('zone.example')).toEqual(found('ns1.zone.example', 'ns2.zone.example'));
    expect(await dns.cname('alias.zone.example')).toEqual(found('target.example'));
    expect(await dns.ptr('192.0.2.1')).toEqual(found('one.example', 'two.example'));
    expect(await dns.ptr('::ffff:192.0.2.1')).toEqual(found('one.example', 'two.example'));
    expect(await dns.ptr('2001:db8::1')).toEqual(found('six.example'));
    expect(await dns.ptr('192.0.2.9')).toEqual({ kind: 'no-name' });
  });

  it('the strings of a TXT record as one, with nothing between them', async () => {
    server.set('split.example', 'TXT', [['v=spf1 ', 'include:a.example', ' -all'], 'second record', '']);
    expect(await dns.txt('split.example')).toEqual(found('v=spf1 include:a.example -all', 'second record', ''));
  });

  it('different results for no name and for no record', async () => {
    server.set('only-text.example', 'TXT', 'here');
    server.set('deep.empty.example', 'A', '192.0.2.1');
    expect(await dns.a('only-text.example')).toEqual({ kind: 'no-record' });
    expect(await dns.a('empty.example')).toEqual({ kind: 'no-record' });
    expect(await dns.a('nowhere.example')).toEqual({ kind: 'no-name' });
  });

  it('what a wildcard covers, unless the name itself exists', async () => {
    server.set('*.wild.example', 'TXT', 'wild');
    server.set('own.wild.example', 'A', '192.0.2.1');
    expect(await dns.txt('any.wild.example')).toEqual(found('wild'));
    expect(await dns.txt('two.deep.wild.example')).toEqual(found('wild'));
    expect(await dns.txt('own.wild.example')).toEqual({ kind: 'no-record' });
    expect(await dns.txt('below.own.wild.example')).toEqual({ kind: 'no-name' });
  });
});

describe('names', () => {
  it('may be in any script and case, with or without a trailing dot', async () => {
    server.set('xn--bcher-kva.example', 'A', '192.0.2.1');
    server.set('selector._domainkey.xn--bcher-kva.example', 'TXT', 'v=DKIM1; p=');
    for (const name of ['bücher.example', 'BÜCHER.Example.', 'xn--bcher-kva.example', 'XN--BCHER-KVA.EXAMPLE.']) {
      expect(await dns.a(name), name).toEqual(found('192.0.2.1'));
    }
    expect(await dns.txt('selector._domainkey.bücher.example')).toEqual(found('v=DKIM1; p='));
    expect(new Set(server.questions.map(({ name }) => name))).not.toContain('bücher.example');
  });

  it('that cannot exist are resolved without a query', async () => {
    const before = server.questions.length;
    const label = 'a'.repeat(63);
    const names = [
      '',
      '.',
      '..',
      'a..example',
      '.example',
      `${label}a.example`,
      `${label}.${label}.${label}.${label}`,
      'ü'.repeat(63),
      'b%ü.example',
      'a b.example',
      'a\nb.example',
      'a\0.example',
      '192.0.2.1',
      '2001:db8::1',
    ];
    for (const name of names) expect(await dns.a(name), name).toEqual({ kind: 'no-name' });
    expect(await dns.ptr('no address')).toEqual({ kind: 'no-name' });
    expect(server.questions.length).toBe(before);
    expect(await dns.a(`${label}.${label}.${label}.${'a'.repeat(61)}`)).toEqual({ kind: 'no-name' });
    expect(server.questions.length).toBe(before + 1);
  });

  it('of the machine itself are loopback without a query', async () => {
    const before = server.questions.length;
    for (const name of ['localhost', 'LOCALHOST.', 'mail.localhost']) {
      expect(await dns.a(name), name).toEqual(found('127.0.0.1'));
      expect(await dns.aaaa(name), name).toEqual(found('::1'));
      expect(await dns.mx(name), name).toEqual({ kind: 'no-record' });
    }
    expect(server.questions.length).toBe(before);
  });
});

describe('a response too long for UDP', () => {
  it('is requested again over TCP, however large and split', async () => {
    const key = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqh'.repeat(80)}`;
    const huge = 'x'.repeat(40_000);
    server.set('key.example', 'TXT', key);
    server.set('huge.example', 'TXT', [huge, 'small']);
    const before = server.questions.length;
    expect(await dns.txt('key.example')).toEqual(found(key));
    expect(server.questions.slice(before).map(({ transport }) => transport)).toEqual(['udp']);
    expect(await dns.txt('huge.example')).toEqual(found(huge, 'small'));
    expect(server.questions.slice(before + 1).map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });

  it('contains a hundred records', async () => {
    const addresses = Array.from({ length: 100 }, (_, index) => `192.0.2.${index}`);
    server.set('many.example', 'A', addresses);
    expect(await dns.a('many.example')).toEqual(found(...addresses));
  });

  it('is fetched whenever the server sets the flag', async () => {
    server.set('short.example', 'TXT', 'short');
    server.fail('short.example', 'TXT', 'truncated');
    const before = server.questions.length;
    expect(await dns.txt('short.example')).toEqual(found('short'));
    expect(server.questions.slice(before).map(({ transport }) => transport)).toEqual(['udp', 'tcp']);
  });
});

describe('a CNAME', () => {
  it('is followed through the response, to a record, to no record and to no name', async () => {
    server.set('one.alias.example', 'CNAME', 'two.alias.example');
    server.set('two.alias.example', 'CNAME', 'three.alias.example');
    server.set('three.alias.example', 'TXT', 'the end');
    server.set('lame.alias.example', 'CNAME', 'gone.example');
    expect(await dns.txt('one.alias.example')).toEqual(found('the end'));
    expect(await dns.mx('one.alias.example')).toEqual({ kind: 'no-record' });
    expect(await dns.txt('lame.alias.example')).toEqual({ kind: 'no-name' });
  });

  it('is resolved with a further query when the response ends with it', async () => {
    server.set('bare.example', 'CNAME', 'target.bare.example', { follow: false });
    server.set('target.bare.example', 'A', '192.0.2.7');
    const before = server.questions.length;
    expect(await dns.a('bare.example')).toEqual(found('192.0.2.7'));
    expect(server.questions.slice(before).map(({ name }) => name)).toEqual(['bare.example', 'target.bare.example']);
  });

  it('is followed at most eight times in a row', async () => {
    for (const follow of [true, false]) {
      const zone = follow ? 'whole.example' : 'parts.example';
      for (let hop = 0; hop < 9; hop += 1) server.set(`h${hop}.${zone}`, 'CNAME', `h${hop + 1}.${zone}`, { follow });
      server.set(`h9.${zone}`, 'A', '192.0.2.8');
      expect(await dns.a(`h1.${zone}`), zone).toEqual(found('192.0.2.8'));
      expect(await dns.a(`h0.${zone}`), zone).toEqual({
        kind: 'failed',
        reason: `more than 8 CNAMEs in a row, from h0.${zone}`,
      });
    }
  });

  it('that loops fails with its path, in one response or over several', async () => {
    for (const follow of [true, false]) {
      server.set('a.loop.example', 'CNAME', 'b.loop.example', { follow });
      server.set('b.loop.example', 'CNAME', 'c.loop.example', { follow });
      server.set('c.loop.example', 'CNAME', 'b.loop.example', { follow });
      server.set('self.loop.example', 'CNAME', 'self.loop.example', { follow });
      expect(await dns.a('a.loop.example')).toEqual({
        kind: 'failed',
        reason: 'a loop of CNAMEs: a.loop.example → b.loop.example → c.loop.example → b.loop.example',
      });
      expect(await dns.txt('self.loop.example')).toMatchObject({ kind: 'failed' });
      expect(await dns.cname('self.loop.example')).toEqual(found('self.loop.example'));
    }
  });

  it('that loops never hangs a caller, even when its names are resolved in parallel', async () => {
    server.set('x.loop.example', 'CNAME', 'y.loop.example', { follow: false });
    server.set('y.loop.example', 'CNAME', 'x.loop.example', { follow: false });
    const responses = await Promise.all(['x.loop.example', 'y.loop.example'].map((name) => dns.a(name)));
    expect(responses.map(({ kind }) => kind)).toEqual(['failed', 'failed']);
  });

  it('to the machine itself is loopback, and to an invalid name a failure', async () => {
    server.set('home.example', 'CNAME', 'localhost', { follow: false });
    server.set('empty-target.example', 'CNAME', '.', { follow: false });
    expect(await dns.a('home.example')).toEqual(found('127.0.0.1'));
    expect(await dns.a('empty-target.example')).toMatchObject({ kind: 'failed' });
  });
});
