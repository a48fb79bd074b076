import { TOOL_FINDINGS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkDmarc } from '../../packages/server/src/diagnostics/check-dmarc.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';

interface Case {
  /** What is at `_dmarc.d.test`, or at the names given. */
  readonly txt: readonly string[] | Readonly<Record<string, readonly string[]>>;
  readonly domain?: string;
  readonly before?: (dns: TestDnsServer) => void;
  readonly says?: string;
}

const RUA = 'rua=mailto:reports@d.test';

const CASES: Readonly<Record<keyof typeof TOOL_FINDINGS.dmarc, Case>> = {
  dmarc_valid: { txt: [`v=DMARC1; p=reject; ${RUA}`], says: '`reject`' },
  dmarc_inherited: { txt: [`v=DMARC1; p=reject; ${RUA}`], domain: 'a.b.d.test', says: '_dmarc.d.test' },
  dmarc_alignment: { txt: ['v=DMARC1; p=reject; adkim=s'], says: 'DKIM: strict. SPF: relaxed.' },
  dmarc_missing: { txt: ['v=spf1 -all'] },
  dmarc_several_records: { txt: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
  dmarc_syntax_error: { txt: ['v=DMARC1; p=none; p=reject'], says: '`p`' },
  dmarc_policy_missing: { txt: [`v=DMARC1; ${RUA}`] },
  dmarc_policy_invalid: { txt: ['v=DMARC1; p=monitor'], says: '`p=monitor`' },
  dmarc_policy_none: { txt: [`v=DMARC1; p=none; ${RUA}`] },
  dmarc_subdomain_policy_none: { txt: [`v=DMARC1; p=reject; sp=none; ${RUA}`] },
  dmarc_pct_partial: { txt: [`v=DMARC1; p=reject; pct=20; ${RUA}`], says: '20 of 100' },
  dmarc_testing: { txt: [`v=DMARC1; p=reject; t=y; ${RUA}`] },
  dmarc_tag_invalid: { txt: ['v=DMARC1; p=reject; pct=150'], says: '`pct=150`' },
  dmarc_unknown_tag: { txt: ['v=DMARC1; p=reject; policy=none'], says: '`policy=none`' },
  dmarc_no_reports: { txt: ['v=DMARC1; p=reject'] },
  dmarc_report_address_invalid: { txt: ['v=DMARC1; p=reject; rua=reports@d.test'], says: '`reports@d.test`' },
  dmarc_report_not_authorized: {
    txt: ['v=DMARC1; p=reject; rua=mailto:a@other.test'],
    says: 'd.test._report._dmarc.other.test',
  },
  dmarc_could_not_check: {
    txt: [],
    before: (dns) => dns.fail('_dmarc.d.test', 'TXT', 'REFUSED'),
    says: '_dmarc.d.test',
  },
};

describe('the DMARC check', () => {
  let dns: TestDnsServer;
  const names = new Set<string>();
  beforeAll(async () => {
    dns = await startDnsServer();
  });
  afterAll(() => dns.close());

  const check = async ({ txt, domain = 'd.test', before }: Omit<Case, 'says'>) => {
    for (const name of names) dns.remove(name);
    names.clear();
    names.add('_dmarc.d.test');
    const records: Readonly<Record<string, readonly string[]>> = Array.isArray(txt)
      ? { '_dmarc.d.test': txt }
      : (txt as Readonly<Record<string, readonly string[]>>); // Array.isArray does not narrow read-only arrays.
    for (const [name, values] of Object.entries(records)) {
      names.add(name);
      dns.set(name, 'TXT', values);
    }
    before?.(dns);
    return await checkDmarc(createDnsResolver({ servers: [dns.address], timeoutMs: 300 }), domain);
  };
  const codesOf = async (given: Omit<Case, 'says'>) => (await check(given)).findings.map(({ code }) => code);

  it.each(Object.entries(CASES))('finds %s', async (code, given) => {
    expect((await check(given)).findings).toContainEqual({
      ...TOOL_FINDINGS.dmarc[code as keyof typeof TOOL_FINDINGS.dmarc],
      code,
      message: expect.stringContaining(given.says ?? ''),
    });
  });

  it.each(['v=dmarc1; p=reject', 'V=DMARC1; p=reject', 'v=Dmarc1; p=reject'])(
    'does not count %j as a policy: the version is case-sensitive (RFC 7489 §6.3)',
    async (record) => {
      expect(await codesOf({ txt: [record] })).toEqual(['dmarc_missing']);
    },
  );

  it('passes a complete record, and reports its alignment', async () => {
    const record =
      'v=DMARC1; p=quarantine; sp=reject; adkim=r; aspf=s; fo=1:d:s; rf=afrf; ri=86400; pct=100; rua=mailto:a@d.test!10m, mailto:b@sub.d.test';
    const { records, findings } = await check({ txt: [record] });
    expect(findings.map(({ code }) => code)).toEqual(['dmarc_valid', 'dmarc_alignment']);
    expect(records).toEqual([{ type: 'TXT', name: '_dmarc.d.test', value: record, purpose: 'policy' }]);
  });

  it('queries the name and the organizational domain (by the public suffix list), and nothing between', async () => {
    const { records } = await check({ txt: {}, domain: 'a.b.d.co.uk' });
    expect(records.map(({ name }) => name)).toEqual(['_dmarc.a.b.d.co.uk', '_dmarc.d.co.uk']);
  });

  it('accepts the consent of another domain, also by a wildcard, and needs none within the organization', async () => {
    const { records, findings } = await check({
      txt: {
        '_dmarc.d.test': ['v=DMARC1; p=reject; rua=mailto:a@other.test,mailto:b@mail.d.test; ruf=mailto:c@third.test'],
        'd.test._report._dmarc.other.test': ['v=DMARC1'],
        '*._report._dmarc.third.test': ['v=DMARC1;'],
      },
    });
    expect(findings.map(({ code }) => code)).toEqual(['dmarc_valid', 'dmarc_alignment']);
    expect(
      records
        .filter(({ purpose }) => purpose === 'report_authorization')
        .map(({ name, value }) => [name, value])
        .sort(),
    ).toEqual([
      ['d.test._report._dmarc.other.test', 'v=DMARC1'],
      ['d.test._report._dmarc.third.test', 'v=DMARC1;'],
    ]);
  });

  it('says that it could not check when the other domain does not respond', async () => {
    const codes = await codesOf({
      txt: ['v=DMARC1; p=reject; rua=mailto:a@other.test'],
      before: (server) => {
        names.add('d.test._report._dmarc.other.test');
        server.fail('d.test._report._dmarc.other.test', 'TXT', 'SERVFAIL');
      },
    });
    expect(codes).toEqual(['dmarc_could_not_check', 'dmarc_valid', 'dmarc_alignment']);
  });

  it('asks for the consent of ten domains at most', async () => {
    const uris = Array.from({ length: 500 }, (_, n) => `mailto:a@x${n}.test`).join(',');
    const { records } = await check({ txt: [`v=DMARC1; p=reject; rua=${uris}`] });
    expect(records.filter(({ purpose }) => purpose === 'report_authorization')).toHaveLength(10);
  });
});
