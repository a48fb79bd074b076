import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DomainServer, HELO, type PublishedRecord, startDomainServer } from './domain-server.ts';

type CheckedRecords = Record<string, { status: string; reason: string | null; found: string[] }>;

describe('verifying with DNS problems', () => {
  let domains: DomainServer;
  beforeAll(async () => {
    domains = await startDomainServer({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => domains.close());

  let count = 0;
  /** A new domain with all its records published. */
  async function published() {
    count += 1;
    const name = `trouble${count}.example`;
    const { body } = await domains.server.call('POST', '/domains', { body: { name } });
    domains.publish(body.records);
    const record = (purpose: string): PublishedRecord =>
      body.records.find((candidate: PublishedRecord) => candidate.purpose === purpose);
    return { id: body.id as string, name, record };
  }

  async function verify(id: string): Promise<{ status: string; records: CheckedRecords }> {
    const { status, body } = await domains.server.call('POST', `/domains/${id}/verify`);
    expect(status).toBe(200);
    const records = body.records.map(({ purpose, ...rest }: { purpose: string }) => [purpose, rest]);
    return { status: body.status, records: Object.fromEntries(records) };
  }

  it.each(['SERVFAIL', 'REFUSED', 'garbage'] as const)(
    'reports %s, and takes nothing from a verified domain',
    async (how) => {
      const { id, record } = await published();
      expect((await verify(id)).status).toBe('verified');
      for (const { host } of [record('dkim'), record('spf')]) domains.dns.fail(host, '*', how);
      const { status, records } = await verify(id);
      expect(status).toBe('verified');
      for (const purpose of ['dkim', 'spf', 'mx']) {
        expect(records[purpose]).toMatchObject({
          status: 'pending',
          reason: expect.stringMatching(/DNS lookup of .* failed/),
        });
      }
    },
  );

  it('does not verify with a DNS that does not respond, and waits no longer than allowed', async () => {
    const { id, record } = await published();
    domains.dns.fail(record('mx').host, 'MX', 'silence');
    const { status, records } = await verify(id);
    expect(status).toBe('pending');
    expect(records['mx']).toMatchObject({ status: 'pending', reason: expect.stringMatching(/\S/) });
    expect(records['dkim']).toMatchObject({ status: 'pass' });
  }, 40_000);

  it('reads truncated UDP responses again over TCP, and keys in any number of strings', async () => {
    const { id, record } = await published();
    const { host, value } = record('dkim');
    domains.dns.set(host, 'TXT', [value.match(/.{1,50}/g) ?? []]);
    domains.dns.fail(host, 'TXT', 'truncated');
    expect((await verify(id)).records['dkim']).toMatchObject({ status: 'pass', found: [value] });
    expect(domains.dns.questions.some(({ name, transport }) => name === host && transport === 'tcp')).toBe(true);
  });

  it('reads oversized responses, and stores only what it shows', async () => {
    const { id, record } = await published();
    const noise = Array.from({ length: 30 }, (_, index) => `${index} ${'x'.repeat(900)}`);
    domains.dns.set(record('dkim').host, 'TXT', [...noise, record('dkim').value]);
    const { records } = await verify(id);
    expect(records['dkim']?.status).toBe('pass');
    expect(records['dkim']?.found).toHaveLength(11);
  });

  it('follows CNAMEs, and does not hang on those that loop or lead nowhere', async () => {
    const { id, name, record } = await published();
    const { host, value } = record('dkim');
    domains.dns.remove(host);
    domains.dns.set(`keys.${name}`, 'TXT', [value]);
    domains.dns.set(host, 'CNAME', [`keys.${name}`]);
    expect((await verify(id)).records['dkim']?.status).toBe('pass');
    domains.dns.set(host, 'CNAME', [`nowhere.${name}`]);
    expect((await verify(id)).records['dkim']?.status).toBe('fail');
    domains.dns.set(host, 'CNAME', [`loop.${name}`]);
    domains.dns.set(`loop.${name}`, 'CNAME', [host]);
    const { status, records } = await verify(id);
    expect(records['dkim']).toMatchObject({
      status: 'pending',
      reason: expect.stringMatching(/DNS lookup of .* failed/),
    });
    expect(status).toBe('degraded');
  });

  it('is not misled by a wildcard that matches everything', async () => {
    const { body } = await domains.server.call('POST', '/domains', { body: { name: 'wild.example' } });
    domains.dns.set('*.wild.example', 'TXT', ['v=spf1 -all']);
    domains.dns.set('*.wild.example', 'MX', ['10 mx.elsewhere.example']);
    const { status, records } = await verify(body.id);
    expect(status).toBe('pending');
    expect(records['dkim']).toMatchObject({ status: 'fail', reason: expect.stringMatching(/wildcard/) });
    expect(records['spf']).toMatchObject({ status: 'fail', found: ['v=spf1 -all'] });
    expect(records['mx']).toMatchObject({ status: 'fail', found: ['10 mx.elsewhere.example'] });
    expect(records['dmarc']).toMatchObject({ status: 'fail', reason: expect.stringMatching(/not a DMARC policy/) });
  });

  it('verifies an internationalized domain under its A-labels', async () => {
    const { body } = await domains.server.call('POST', '/domains', { body: { name: 'grüße.example' } });
    expect(body.records[1].host).toBe('bounce.xn--gre-6ka8l.example');
    domains.publish(body.records);
    expect((await verify(body.id)).status).toBe('verified');
    const sent = await domains.server.send({ from: 'a@grüße.example' });
    expect(sent.status).toBe(202);
  });

  it('accepts an SPF record that covers this server without naming it, through includes and redirects', async () => {
    const { id, name, record } = await published();
    const { host } = record('spf');
    const spf = async (text: string) => {
      domains.dns.set(host, 'TXT', [text]);
      return (await verify(id)).records['spf'];
    };
    expect(await spf('v=spf1 ip4:192.0.2.0/24 -all')).toMatchObject({ status: 'pass', reason: null });
    domains.dns.set(`_spf.${name}`, 'TXT', [`v=spf1 include:_spf2.${name} -all`]);
    domains.dns.set(`_spf2.${name}`, 'TXT', ['v=spf1 ip4:192.0.2.25 ~all']);
    expect(await spf(`v=spf1 include:_spf.${name} -all`)).toMatchObject({ status: 'pass' });
    expect(await spf(`v=spf1 redirect=_spf.${name}`)).toMatchObject({ status: 'pass' });
    expect(await spf(`v=spf1 a:mx.${name} -all`)).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('192.0.2.25'),
    });
    expect(await spf('v=spf1 +all')).toMatchObject({ status: 'pass', reason: expect.stringContaining('+all') });
    domains.dns.set(`_spf.${name}`, 'TXT', [`v=spf1 include:_spf.${name} -all`]);
    expect(await spf(`v=spf1 include:_spf.${name} -all`)).toMatchObject({
      status: 'fail',
      reason: expect.stringContaining('permerror'),
    });
    domains.dns.fail(`_spf.${name}`, 'TXT', 'SERVFAIL');
    expect(await spf(`v=spf1 include:_spf.${name} -all`)).toMatchObject({ status: 'pending' });
    // RFC 7208 §5.5: the names of the address count whose own addresses hold it, and those below the domain match.
    domains.dns.set('192.0.2.25', 'PTR', [HELO, `liar.${name}`]);
    expect(await spf('v=spf1 ptr:postrider.example -all')).toMatchObject({ status: 'pass' });
    expect(await spf('v=spf1 ptr -all')).toMatchObject({ status: 'fail' });
    domains.dns.set('192.0.2.25', 'PTR', [...Array.from({ length: 10 }, (_, n) => `n${n}.${name}`), HELO]);
    expect(await spf('v=spf1 ptr:postrider.example -all')).toMatchObject({ status: 'fail' });
    domains.dns.fail('192.0.2.25', 'PTR', 'SERVFAIL');
    expect(await spf(`v=spf1 ptr:postrider.example a:${HELO} -all`)).toMatchObject({ status: 'pass' });
  });

  it.each([
    [
      'needs more lookups than receivers make before it names the server',
      (name: string) => `${Array.from({ length: 11 }, (_, n) => `include:i${n}.${name}`).join(' ')} a:${HELO} ~all`,
      /permerror/,
    ],
    ['rejects every address before it names the server', () => `-ip4:0.0.0.0/0 a:${HELO} -all`, /192\.0\.2\.25/],
    ['contains an invalid term', () => `ip4:999.1.1.1 a:${HELO} -all`, /ip4:999\.1\.1\.1/],
  ])('fails an SPF record that %s', async (_, terms, reason) => {
    const { id, name, record } = await published();
    domains.dns.set(`*.${name}`, 'TXT', ['v=spf1 -all']);
    domains.dns.set(record('spf').host, 'TXT', [`v=spf1 ${terms(name)}`]);
    const { status, records } = await verify(id);
    expect(records['spf']).toMatchObject({ status: 'fail', reason: expect.stringMatching(reason) });
    expect(status).toBe('pending');
  });

  it('reports when a DNS console has added the zone to names that were complete already', async () => {
    for (const [name, zone] of [
      ['doubled.example', 'doubled.example'],
      ['mail.added.example', 'added.example'],
    ]) {
      const { body } = await domains.server.call('POST', '/domains', { body: { name } });
      const records = body.records as PublishedRecord[];
      domains.publish(records.map((record) => ({ ...record, host: `${record.host}.${zone}` })));
      const { status, records: verdicts } = await verify(body.id);
      expect(status).toBe('pending');
      for (const { purpose, host } of records) {
        expect(verdicts[purpose]).toMatchObject({
          status: 'fail',
          reason: expect.stringContaining(`is at ${host}.${zone} instead`),
        });
      }
      // What is there and would not do says nothing.
      domains.publish(
        records.map((record) => ({ ...record, host: `${record.host}.${zone}`, value: 'something else' })),
      );
      for (const { reason } of Object.values((await verify(body.id)).records)) expect(reason).not.toMatch(/instead/);
    }
  });

  it('accepts an MX that is this server by another name, and says so', async () => {
    const { id, name, record } = await published();
    const { host } = record('mx');
    domains.dns.set(host, 'MX', [`10 mx.${name}`]);
    expect((await verify(id)).records['mx']).toMatchObject({ status: 'fail' });
    domains.dns.set(`mx.${name}`, 'CNAME', [HELO]);
    expect((await verify(id)).records['mx']).toMatchObject({
      status: 'pass',
      reason: expect.stringContaining('CNAME'),
    });
    domains.dns.remove(`mx.${name}`);
    domains.dns.set(`mx.${name}`, 'A', ['192.0.2.25']);
    expect((await verify(id)).records['mx']).toMatchObject({
      status: 'pass',
      reason: expect.stringContaining('address'),
    });
  });

  it('counts the DMARC policy of the organization', async () => {
    const { body } = await domains.server.call('POST', '/domains', { body: { name: 'mail.org1.example' } });
    domains.dns.set('_dmarc.org1.example', 'TXT', ['v=DMARC1; p=reject']);
    expect((await verify(body.id)).records['dmarc']).toMatchObject({ status: 'pass', found: ['v=DMARC1; p=reject'] });
  });
});
