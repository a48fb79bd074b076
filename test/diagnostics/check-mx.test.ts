import { TOOL_FINDINGS } from '@postrider/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkMx } from '../../packages/server/src/diagnostics/check-mx.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

const ADDRESS = '192.124.249.1';

/** A host as it should be. */
function good(dns: TestDnsServer, host = 'mx.d.test', address = ADDRESS): void {
  dns.set(host, 'A', address);
  dns.set(address, 'PTR', host);
}

interface Case {
  readonly set: (dns: TestDnsServer) => void;
  readonly says?: string;
}

const CASES: Readonly<Record<keyof typeof TOOL_FINDINGS.mx, Case>> = {
  mx_valid: {
    set: (dns) => {
      dns.set('d.test', 'MX', ['10 mx.d.test']);
      good(dns);
    },
  },
  mx_name_missing: { set: () => {} },
  mx_missing: { set: (dns) => dns.set('d.test', 'TXT', 'here') },
  mx_fallback_address: { set: (dns) => good(dns, 'd.test') },
  mx_null: { set: (dns) => dns.set('d.test', 'MX', ['0 .']) },
  mx_null_with_others: { set: (dns) => dns.set('d.test', 'MX', ['0 .', '10 mx.d.test']) },
  mx_is_address: { set: (dns) => dns.set('d.test', 'MX', ['10 192.0.2.1']), says: '192.0.2.1' },
  mx_is_cname: {
    set: (dns) => {
      dns.set('d.test', 'MX', ['10 mail.d.test']);
      dns.set('mail.d.test', 'CNAME', 'mx.d.test');
      good(dns);
    },
    says: 'mail.d.test is an alias of mx.d.test',
  },
  mx_no_address: { set: (dns) => dns.set('d.test', 'MX', ['10 gone.d.test']), says: 'gone.d.test' },
  mx_private_address: {
    set: (dns) => {
      dns.set('d.test', 'MX', ['10 mx.d.test']);
      dns.set('mx.d.test', 'A', '10.0.0.1');
    },
    says: 'mx.d.test: 10.0.0.1',
  },
  mx_no_ptr: {
    set: (dns) => {
      dns.set('d.test', 'MX', ['10 mx.d.test']);
      dns.set('mx.d.test', 'A', ADDRESS);
    },
    says: ADDRESS,
  },
  mx_ptr_mismatch: {
    set: (dns) => {
      dns.set('d.test', 'MX', ['10 mx.d.test']);
      good(dns);
      dns.set(ADDRESS, 'PTR', 'somebody.else.test');
    },
    says: 'somebody.else.test',
  },
  mx_too_many: {
    set: (dns) => {
      const exchangers = Array.from({ length: 30 }, (_, n) => `${n} m${n}.d.test`);
      dns.set('d.test', 'MX', exchangers);
    },
    says: 'There are 30.',
  },
  mx_could_not_check: { set: (dns) => dns.fail('d.test', 'MX', 'SERVFAIL'), says: 'd.test' },
};

describe('the MX check', () => {
  let dns: TestDnsServer;
  beforeEach(async () => {
    dns = await startDnsServer();
  });
  afterEach(() => dns.close());

  const check = (isPublicOnly = false) =>
    checkMx(createDnsResolver({ servers: [dns.address], timeoutMs: 300 }), 'd.test', { isPublicOnly });

  it.each(Object.entries(CASES))('finds %s', async (code, { set, says = '' }) => {
    set(dns);
    expect((await check()).findings).toContainEqual({
      ...TOOL_FINDINGS.mx[code as keyof typeof TOOL_FINDINGS.mx],
      code,
      message: expect.stringContaining(says),
    });
  });

  it('shows each exchanger by preference with its addresses and their names', async () => {
    dns.set('d.test', 'MX', ['20 two.d.test', '10 one.d.test']);
    good(dns, 'one.d.test');
    dns.set('one.d.test', 'AAAA', '2600:1f18::1');
    dns.set('2600:1f18::1', 'PTR', 'one.d.test');
    good(dns, 'two.d.test', '192.124.249.2');
    const { records, findings } = await check();
    expect(records).toEqual([
      { type: 'MX', name: 'd.test', value: 'one.d.test', priority: 10 },
      { type: 'A', name: 'one.d.test', value: ADDRESS, priority: null },
      { type: 'PTR', name: ADDRESS, value: 'one.d.test', priority: null },
      { type: 'AAAA', name: 'one.d.test', value: expect.stringMatching(/^2600:1f18:/), priority: null },
      { type: 'PTR', name: expect.stringMatching(/^2600:1f18:/), value: 'one.d.test', priority: null },
      { type: 'MX', name: 'd.test', value: 'two.d.test', priority: 20 },
      { type: 'A', name: 'two.d.test', value: '192.124.249.2', priority: null },
      { type: 'PTR', name: '192.124.249.2', value: 'two.d.test', priority: null },
    ]);
    expect(findings.map(({ code }) => code)).toEqual(['mx_valid']);
  });

  it('does not report a host as having no addresses when their lookup failed', async () => {
    dns.set('d.test', 'MX', ['10 mx.d.test']);
    dns.fail('mx.d.test', '*', 'SERVFAIL');
    expect((await check()).findings.map(({ code }) => code)).toEqual(['mx_could_not_check']);
  });

  it('does not reveal what the name servers know about internal machines', async () => {
    dns.set('d.test', 'MX', ['10 one.d.test', '20 two.d.test', '30 mx.d.test']);
    dns.set('one.d.test', 'CNAME', 'pg-1.inside.test');
    dns.set('pg-1.inside.test', 'A', '10.1.2.3');
    dns.set('two.d.test', 'AAAA', ['fd00::7']);
    good(dns);
    const shown = await check(true);
    expect(shown.findings.map(({ code, message }) => [code, message.split('. ').at(-1)])).toEqual([
      ['mx_private_address', 'one.d.test: not a public address.'],
      ['mx_private_address', 'two.d.test: not a public address.'],
    ]);
    expect(shown.records.map(({ type, value }) => [type, value])).toEqual([
      ['MX', 'one.d.test'],
      ['MX', 'two.d.test'],
      ['MX', 'mx.d.test'],
      ['A', ADDRESS],
      ['PTR', 'mx.d.test'],
    ]);
    expect(JSON.stringify((await check(false)).records)).toContain('10.1.2.3');
  });
});
