import { createPublicKey } from 'node:crypto';
import { TOOL_FINDINGS } from '@postrider/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { checkDkim } from '../../packages/server/src/diagnostics/check-dkim.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

/** The public half alone, of any modulus of this length: a pair of 4,104 bits takes seconds to find. */
function rsa(bits: number, type: 'spki' | 'pkcs1' = 'spki'): string {
  const n = Buffer.alloc(bits / 8, 0xc5).toString('base64url');
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: 'AQAB' }, format: 'jwk' });
  return publicKey.export({ type, format: 'der' }).toString('base64');
}

const ED25519 = Buffer.alloc(32, 7).toString('base64');
const GOOD = `v=DKIM1; k=rsa; p=${rsa(2048)}`;

interface Case {
  /** What is at `s._domainkey.d.test`, or at the names given. */
  readonly txt: readonly (string | readonly string[])[] | Readonly<Record<string, readonly string[]>>;
  /** Null: the common ones are tried. */
  readonly selector?: null;
  readonly before?: (dns: TestDnsServer) => void;
  readonly says?: string;
}

const CASES: Readonly<Record<keyof typeof TOOL_FINDINGS.dkim, Case>> = {
  dkim_valid: { txt: [GOOD], says: 's: rsa, 2048 bits.' },
  dkim_selectors_tried: { txt: {}, selector: null, says: 'selector1' },
  dkim_no_common_selector: { txt: {}, selector: null },
  dkim_missing: { txt: {}, says: 's._domainkey.d.test' },
  dkim_several_records: { txt: [GOOD, `v=DKIM1; k=ed25519; p=${ED25519}`], says: 's._domainkey.d.test' },
  dkim_syntax_error: { txt: ['v=DKIM1; nonsense; p=abc'], says: '`nonsense`' },
  dkim_quotes: { txt: [`"v=DKIM1; p=${ED25519.slice(0, 20)}" "${ED25519.slice(20)}"`] },
  dkim_wrong_version: { txt: [GOOD.replace('DKIM1', 'DKIM2')] },
  dkim_revoked: { txt: ['v=DKIM1; p='] },
  dkim_retired_key: { txt: { 'google._domainkey.d.test': ['v=DKIM1; k=rsa; p='] }, selector: null, says: 'google' },
  dkim_key_type_unknown: { txt: ['k=dsa; p=AAAA'], says: '`k=dsa`' },
  dkim_key_unreadable: { txt: [GOOD.slice(0, -100)] },
  dkim_key_too_short: { txt: [`p=${rsa(768)}`], says: '768 bits' },
  dkim_key_short: { txt: [`p=${rsa(1024)}`], says: '1024 bits' },
  dkim_key_too_long: { txt: [`p=${rsa(4104)}`], says: '4104 bits' },
  dkim_hash_refused: { txt: [`h=sha1; ${GOOD.replace('v=DKIM1; ', '')}`], says: '`h=sha1`' },
  dkim_not_for_email: { txt: [`${GOOD}; s=tlsrpt`], says: '`s=tlsrpt`' },
  dkim_testing: { txt: [`${GOOD}; t=s:y`] },
  dkim_wildcard: { txt: { '*._domainkey.d.test': [GOOD] }, selector: null },
  dkim_could_not_check: {
    txt: {},
    before: (dns) => dns.fail('s._domainkey.d.test', 'TXT', 'SERVFAIL'),
    says: 's._domainkey.d.test',
  },
};

describe('the DKIM check', () => {
  let dns: TestDnsServer;
  const names = new Set<string>();
  beforeAll(async () => {
    dns = await startDnsServer();
  });
  beforeEach(() => {
    for (const name of names) dns.remove(name);
    names.clear();
  });
  afterAll(() => dns.close());

  const set = (name: string, values: readonly (string | readonly string[])[]) => {
    names.add(name);
    dns.set(name, 'TXT', values);
  };
  const check = async ({ txt, selector, before }: Omit<Case, 'says'>) => {
    const isList = (given: Case['txt']): given is readonly (string | readonly string[])[] => Array.isArray(given);
    if (isList(txt)) set('s._domainkey.d.test', txt);
    else for (const [name, values] of Object.entries(txt)) set(name, values);
    names.add('s._domainkey.d.test');
    before?.(dns);
    const resolver = createDnsResolver({ servers: [dns.address], timeoutMs: 300 });
    return await checkDkim(resolver, 'd.test', selector === null ? null : 's');
  };
  const codesOf = async (given: Omit<Case, 'says'>) => (await check(given)).findings.map(({ code }) => code);

  it.each(Object.entries(CASES))('finds %s', async (code, given) => {
    expect((await check(given)).findings).toContainEqual({
      ...TOOL_FINDINGS.dkim[code as keyof typeof TOOL_FINDINGS.dkim],
      code,
      message: expect.stringContaining(given.says ?? ''),
    });
  });

  it('reads a key that is split into strings and contains white space', async () => {
    const half = GOOD.length / 2;
    const { records, findings } = await check({ txt: [[GOOD.slice(0, half), ` ${GOOD.slice(half)} `]] });
    expect(findings.map(({ code }) => code)).toEqual(['dkim_valid']);
    expect(records).toEqual([
      {
        type: 'TXT',
        name: 's._domainkey.d.test',
        value: `${GOOD.slice(0, half)} ${GOOD.slice(half)} `,
        selector: 's',
        keyType: 'rsa',
        keyBits: 2048,
      },
    ]);
  });

  it.each([
    [`v=DKIM1; k=ed25519; p=${ED25519}`],
    [`p=${rsa(2048, 'pkcs1')}`],
    [`v=DKIM1;k=rsa;t=s;h=sha1:sha256;s=*;n=note;p=${rsa(2048)};`],
  ])('accepts %s', async (record) => {
    expect(await codesOf({ txt: [record] })).toEqual(['dkim_valid']);
  });

  it('ignores unrelated TXT strings beside the key, as verifying a domain does', async () => {
    const beside = ['some-service-verification=abc', 'v=spf1 -all'];
    const { records, findings } = await check({ txt: [beside[0] ?? '', GOOD, beside[1] ?? ''] });
    expect(findings.map(({ code }) => code)).toEqual(['dkim_valid']);
    expect(records.map(({ value }) => value)).toEqual([GOOD]);
    expect(await codesOf({ txt: beside })).toContain('dkim_syntax_error');
  });

  it.each([['v=DKIM1; k=ed25519; p=AAAA'], ['p=@@@'], ['p=MIIB']])('rejects the key of %s', async (record) => {
    expect(await codesOf({ txt: [record] })).toEqual(['dkim_key_unreadable']);
  });

  it('finds keys under common selectors, and ignores those that a wildcard returns', async () => {
    const { records, findings } = await check({
      txt: {
        'google._domainkey.d.test': [GOOD],
        'k1._domainkey.d.test': ['not a key'],
        '*._domainkey.d.test': ['v=spf1 -all'],
      },
      selector: null,
    });
    expect(records.map(({ selector }) => selector)).toEqual(['google']);
    expect(findings.map(({ code }) => code)).toEqual(['dkim_wildcard', 'dkim_valid', 'dkim_selectors_tried']);
  });

  it('reports on common selectors only when the DNS responded for at least one', async () => {
    const failing = await codesOf({ txt: {}, selector: null, before: (server) => server.fail('*', '*', 'SERVFAIL') });
    expect(failing).toEqual(['dkim_could_not_check', 'dkim_selectors_tried']);
    dns.remove('*');
    const before = (server: TestDnsServer) => {
      names.add('google._domainkey.d.test');
      server.fail('google._domainkey.d.test', 'TXT', 'SERVFAIL');
    };
    expect(await codesOf({ txt: {}, selector: null, before })).toEqual([
      'dkim_no_common_selector',
      'dkim_could_not_check',
      'dkim_selectors_tried',
    ]);
  });

  it('reads a record of 60 KB of nonsense immediately', async () => {
    const startedMs = performance.now();
    expect(await codesOf({ txt: ['a=b;'.repeat(14_000)] })).toContain('dkim_syntax_error');
    expect(performance.now() - startedMs).toBeLessThan(2_000);
  });
});
