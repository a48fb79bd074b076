import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { askPublicNames, isPublicName } from '../../packages/server/src/diagnostics/public-names.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

describe('a public name', () => {
  it.each(['example.com', 'Example.COM.', '_spf.example.com', 'shop.example.co.uk', 'me.github.io', 'a.xn--p1ai'])(
    '%s is one',
    (name) => {
      expect(isPublicName(name)).toBe(true);
    },
  );

  it.each(['db.internal', 'wiki.corp', 'printer.local', 'host.localhost', 'a.test', 'nas.home.arpa', 'abc.onion', ''])(
    '%j is none',
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

  it('asks nobody for another, whatever led to it', async () => {
    server.set('db.internal', 'A', '10.0.0.1');
    server.set('db.internal', 'TXT', 'v=spf1 -all');
    server.set('example.com', 'A', '192.124.249.1');
    const dns = askPublicNames(createDnsResolver({ servers: [server.address] })).fresh();
    const none = { kind: 'no-name' };
    const answers = [dns.a, dns.aaaa, dns.txt, dns.mx, dns.cname, dns.ns].map((ask) => ask('db.internal'));
    expect(await Promise.all(answers)).toEqual(answers.map(() => none));
    expect(server.questions).toEqual([]);
    expect(await dns.a('example.com')).toEqual({ kind: 'found', values: ['192.124.249.1'] });
  });
});
