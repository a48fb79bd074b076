import { TOOL_FINDINGS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withinBounds } from '../../packages/server/src/diagnostics/bounded-lookups.ts';
import { CHECK_BOUNDS } from '../../packages/server/src/diagnostics/check-runner.ts';
import { checkSpf } from '../../packages/server/src/diagnostics/check-spf.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

/** TXT records by name; what a case needs beside them is set by `before`. */
interface Case {
  readonly txt: Readonly<Record<string, readonly string[]>>;
  readonly before?: (dns: TestDnsServer) => void;
  /** Words of the finding. */
  readonly says: string;
}

const many = (count: number, make: (n: number) => string) => Array.from({ length: count }, (_, n) => make(n)).join(' ');

/** Each provokes its code at `d.test`. */
const CASES: Readonly<Record<keyof typeof TOOL_FINDINGS.spf, Case>> = {
  spf_valid: { txt: { 'd.test': ['v=spf1 ip4:192.0.2.0/24 ~all', 'other=1'] }, says: '0 of 10' },
  spf_missing: { txt: { 'd.test': ['v=spf10 -all'] }, says: 'no SPF record' },
  spf_several_records: { txt: { 'd.test': ['v=spf1 -all', 'v=spf1 mx -all'] }, says: 'd.test' },
  spf_syntax_error: { txt: { 'd.test': ['v=spf1 ipv4:192.0.2.1 -all'] }, says: '`ipv4:192.0.2.1`' },
  spf_too_many_lookups: {
    txt: { 'd.test': [`v=spf1 ${many(11, (n) => `include:i${n}.test`)} -all`], '*.test': ['v=spf1 -all'] },
    says: 'It needs 11.',
  },
  spf_lookups_near_limit: {
    txt: { 'd.test': [`v=spf1 ${many(9, (n) => `include:i${n}.test`)} -all`], '*.test': ['v=spf1 -all'] },
    says: 'It needs 9.',
  },
  spf_too_many_void_lookups: {
    txt: { 'd.test': ['v=spf1 a:x.test mx:y.test exists:z.test -all'] },
    says: 'There are 3',
  },
  spf_void_lookup: { txt: { 'd.test': ['v=spf1 a:nowhere.test -all'] }, says: '`a:nowhere.test`' },
  spf_too_many_mx: {
    txt: { 'd.test': ['v=spf1 mx -all'] },
    before: (dns) =>
      dns.set(
        'd.test',
        'MX',
        Array.from({ length: 11 }, (_, n) => `10 m${n}.test`),
      ),
    says: '`mx`',
  },
  spf_plus_all: {
    txt: { 'd.test': ['v=spf1 include:loose.test -all'], 'loose.test': ['v=spf1 all'] },
    says: 'loose.test: `all`',
  },
  spf_wide_range: { txt: { 'd.test': ['v=spf1 ip4:16.0.0.0/5 -all'] }, says: '`ip4:16.0.0.0/5`' },
  spf_neutral_all: { txt: { 'd.test': ['v=spf1 ip4:192.0.2.1 ?all'] }, says: '`?all`' },
  spf_no_all: { txt: { 'd.test': ['v=spf1 ip4:192.0.2.1'] }, says: 'd.test' },
  spf_after_all: { txt: { 'd.test': ['v=spf1 -all ip4:192.0.2.1'] }, says: '`ip4:192.0.2.1`' },
  spf_redirect_ignored: { txt: { 'd.test': ['v=spf1 redirect=e.test -all'] }, says: '`redirect=e.test`' },
  spf_ptr: { txt: { 'd.test': ['v=spf1 ptr -all'] }, says: '`ptr`' },
  spf_record_too_long: {
    txt: { 'd.test': [`v=spf1 ${many(30, (n) => `ip4:192.0.2.${n}/32`)} -all`] },
    says: 'characters',
  },
  spf_include_missing: { txt: { 'd.test': ['v=spf1 include:gone.test -all'] }, says: 'd.test names gone.test' },
  spf_loop: {
    txt: { 'd.test': ['v=spf1 include:e.test -all'], 'e.test': ['v=spf1 include:d.test -all'] },
    says: 'e.test leads back to d.test',
  },
  spf_macro: { txt: { 'd.test': ['v=spf1 include:%{ir}._spf.test -all'] }, says: '%{ir}._spf.test' },
  spf_too_large: {
    txt: { 'd.test': [`v=spf1 ${many(200, (n) => `include:i${n}.test`)} -all`], '*.test': ['v=spf1 -all'] },
    says: 'not checked',
  },
  spf_could_not_check: {
    txt: { 'd.test': ['v=spf1 include:broken.test -all'] },
    before: (dns) => dns.fail('broken.test', 'TXT', 'SERVFAIL'),
    says: 'broken.test',
  },
};

describe('the SPF check', () => {
  let dns: TestDnsServer;
  const names = new Set<string>();
  beforeAll(async () => {
    dns = await startDnsServer();
  });
  afterAll(() => dns.close());

  const check = async ({ txt, before }: Omit<Case, 'says'>) => {
    for (const name of names) dns.remove(name);
    names.clear();
    for (const [name, values] of Object.entries(txt)) {
      names.add(name);
      dns.set(name, 'TXT', values);
    }
    before?.(dns);
    const resolver = createDnsResolver({ servers: [dns.address], timeoutMs: 300 });
    return await withinBounds(resolver, CHECK_BOUNDS, (lookups) => checkSpf(lookups.dns, 'd.test'));
  };
  const codesOf = async (given: Omit<Case, 'says'>) => (await check(given)).findings.map(({ code }) => code);

  it.each(Object.entries(CASES))('finds %s', async (code, given) => {
    const { findings } = await check(given);
    const found = findings.find((finding) => finding.code === code);
    expect(findings).toContainEqual({
      ...TOOL_FINDINGS.spf[code as keyof typeof TOOL_FINDINGS.spf],
      code,
      message: expect.stringContaining(given.says),
    });
    expect(found?.message.startsWith(TOOL_FINDINGS.spf[code as keyof typeof TOOL_FINDINGS.spf].message)).toBe(true);
  });

  it('shows the whole tree, each record before those it includes, with its own lookups', async () => {
    const { records, findings } = await check({
      txt: {
        'd.test': ['v=spf1 a:host.test include:A.test. include:b.test redirect=r.test'],
        'a.test': ['v=spf1 include:aa.test ip4:192.0.2.1 ?all'],
        'aa.test': ['v=spf1 ip6:2001:db8::/32 -all'],
        'b.test': ['v=spf1 exists:host.test -all'],
        'r.test': ['v=spf1 mx:host.test ~all'],
      },
      before: (server) => {
        server.set('host.test', 'A', '192.0.2.1');
        server.set('host.test', 'MX', ['10 host.test']);
      },
    });
    expect(records.map(({ name, via, parent, depth, lookups }) => [name, via, parent, depth, lookups])).toEqual([
      ['d.test', 'start', null, 0, 4],
      ['a.test', 'include', 'd.test', 1, 1],
      ['aa.test', 'include', 'a.test', 2, 0],
      ['b.test', 'include', 'd.test', 1, 1],
      ['r.test', 'redirect', 'd.test', 1, 1],
    ]);
    expect(records[2]).toMatchObject({ type: 'TXT', value: 'v=spf1 ip6:2001:db8::/32 -all', state: 'found' });
    // The `?all` of an include says nothing of the whole.
    expect(findings.map(({ code, message }) => [code, message])).toEqual([
      ['spf_valid', expect.stringContaining('It needs 7 of 10 lookups.')],
    ]);
  });

  it.each([
    ['v=spf1 -all'],
    ['V=SPF1 A MX/24 A:mail.example.com/24//64 IP4:192.0.2.1 -ALL'],
    ['v=spf1 ip6:::1/128 ip6:2001:db8::1 ~all unknown=modifier exp=explain._spf.%{d}'],
    ['v=spf1 exists:%{i}._spf.%{d2} include:_spf.example.com. ?all'],
    ['v=spf1   a:%{l1r-}.example.com   -all  '],
  ])('accepts what the grammar allows: %s', async (record) => {
    expect(await codesOf({ txt: { 'd.test': [record] } })).not.toContain('spf_syntax_error');
  });

  it.each([
    ['v=spf1 include -all'],
    ['v=spf1 include: -all'],
    ['v=spf1 include:nodot -all'],
    ['v=spf1 ip4:192.0.2.256 -all'],
    ['v=spf1 ip4:192.0.2.0/33 -all'],
    ['v=spf1 ip4:192.0.2.0/024 -all'],
    ['v=spf1 ip6:192.0.2.1 -all'],
    ['v=spf1 ip6:2001:db8::/129 -all'],
    ['v=spf1 a:host.test/33 -all'],
    ['v=spf1 a/24/64 -all'],
    ['v=spf1 all:x -all'],
    ['v=spf1 exists:%{x}.test -all'],
    ['v=spf1 exists:%{t}.test -all'],
    ['v=spf1 exists:%d.test -all'],
    ['v=spf1 redirect=a.test redirect=b.test'],
    ['v=spf1 -all,'],
    ['v=spf1 include:a.test,b.test|c -all\u0007'],
    ['v=spf1 https://example.com -all'],
    [`v=spf1 a:${'x'.repeat(600)}.test -all`],
  ])('rejects what the grammar does not allow: %s', async (record) => {
    expect(await codesOf({ txt: { 'd.test': [record] } })).toContain('spf_syntax_error');
  });

  it('says only that nothing could be checked when the DNS is silent', async () => {
    const codes = await codesOf({ txt: {}, before: (server) => server.fail('d.test', 'TXT', 'silence') });
    expect(codes).toEqual(['spf_could_not_check']);
    dns.remove('d.test');
  });

  it('reads a record that is split into strings', async () => {
    dns.set('d.test', 'TXT', [['v=spf1 ip4:192.0.', '2.1 -all']]);
    const resolver = createDnsResolver({ servers: [dns.address] });
    expect((await checkSpf(resolver, 'd.test')).records[0]?.value).toBe('v=spf1 ip4:192.0.2.1 -all');
  });

  it('ends quickly, with a bounded number of queries, when every record leads to twenty others', async () => {
    const before = dns.questions.length;
    const startedMs = performance.now();
    const grown = await check({
      txt: {
        'd.test': [`v=spf1 ${many(20, (n) => `include:i${n}.test a:a${n}.test mx:m${n}.test`)} -all`],
        '*.test': [`v=spf1 ${many(20, (n) => `include:j${n}.test a:a${n}.test mx:m${n}.test`)} -all`],
      },
    });
    expect(grown.findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['spf_too_large', 'spf_too_many_lookups']),
    );
    expect(dns.questions.length - before).toBeLessThanOrEqual(CHECK_BOUNDS.questions);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    expect(grown.records.length).toBeLessThanOrEqual(60);
  });

  it('reads a record of 60 KB of nonsense immediately', async () => {
    const startedMs = performance.now();
    expect(await codesOf({ txt: { 'd.test': [`v=spf1 ${'%{'.repeat(15_000)} ${'a/'.repeat(14_000)}`] } })).toContain(
      'spf_syntax_error',
    );
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
