import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isPublicName, queryPublicNames } from '../../packages/server/src/diagnostics/public-names.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

describe('a public name', () => {
  it.each(['example.com', 'Example.COM.', '_spf.example.com', 'shop.example.co.uk', 'me.github.io', 'a.xn--p1ai'])(
    'includes %s',
    (name) => {
      expect(isPublicName(name)).toBe(true);
    },
  );

  it.each(['db.internal', 'wiki.corp', 'printer.local', 'host.localhost', 'a.test', 'nas.home.arpa', 'abc.onion', ''])(
    'excludes %j',
    (name) => {
      expect(isPublicName(name)).toBe(false);
    },
  );
});

describe('a resolver of public names', () => {
  let server: TestDnsServer;
  beforeEach(async () => {
    server = await startDnsServer();
  });
  afterEach(() => server.close());

  it('sends no query for any other name, whatever led to it', async () => {
    server.set('db.internal', 'A', '10.0.0.1');
    server.set('db.internal', 'TXT', 'v=spf1 -all');
    server.set('example.com', 'A', '192.124.249.1');
    const dns = queryPublicNames(createDnsResolver({ servers: [server.address] })).fresh();
    const none = { kind: 'no-name' };
    const responses = [dns.a, dns.aaaa, dns.txt, dns.mx, dns.cname, dns.ns].map((ask) => ask('db.internal'));
    expect(await Promise.all(responses)).toEqual(responses.map(() => none));
    expect(server.questions).toEqual([]);
    expect(await dns.a('example.com')).toEqual({ kind: 'found', values: ['192.124.249.1'] });
  });

  it('shows nothing that a CNAME to an internal name leads to, whichever resolver follows it', {
    tags: ['holes.anonymous-lookups'],
  }, async () => {
    server.set('db.internal', 'A', '10.0.0.1');
    server.set('db.internal', 'TXT', 'the password is in the wiki');
    server.set('db.internal', 'MX', ['10 mail.internal']);
    server.set('led.example.com', 'CNAME', 'db.internal');
    server.set('far.example.com', 'CNAME', 'led.example.com');
    // No query is sent to name servers that leave the rest of the chain to us, and others have returned it already.
    server.set('half.example.com', 'CNAME', 'wiki.internal', { follow: false });
    const dns = queryPublicNames(createDnsResolver({ servers: [server.address] }));
    for (const view of [dns, dns.fresh()]) {
      for (const name of ['led.example.com', 'far.example.com', 'half.example.com']) {
        const responses = [view.a, view.txt, view.mx].map((ask) => ask(name));
        expect(await Promise.all(responses)).toEqual(responses.map(() => ({ kind: 'no-name' })));
      }
    }
    expect(server.questions.filter(({ name }) => name.endsWith('internal'))).toEqual([]);
    server.set('public.example.com', 'CNAME', 'example.com');
    server.set('example.com', 'A', '192.124.249.1');
    expect(await dns.a('public.example.com')).toEqual({ kind: 'found', values: ['192.124.249.1'] });
  });

  it('returns no names of internal addresses, nor a reverse name that leads there', {
    tags: ['holes.anonymous-lookups'],
  }, async () => {
    server.set('10.0.0.1', 'PTR', 'db.internal');
    server.set('1.249.124.192.in-addr.arpa', 'CNAME', '1.0.0.10.in-addr.arpa');
    server.set('2.249.124.192.in-addr.arpa', 'CNAME', '2.0/25.249.124.192.in-addr.arpa');
    server.set('2.0/25.249.124.192.in-addr.arpa', 'PTR', 'mx.example.com');
    const dns = queryPublicNames(createDnsResolver({ servers: [server.address] }));
    for (const address of ['10.0.0.1', '127.0.0.1', '::1', '192.124.249.1'])
      expect(await dns.ptr(address), address).toEqual({ kind: 'no-name' });
    expect(await dns.ptr('192.124.249.2')).toEqual({ kind: 'found', values: ['mx.example.com'] });
    expect(server.questions.filter(({ name }) => name === '1.0.0.10.in-addr.arpa')).toEqual([]);
  });
});
