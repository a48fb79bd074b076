import { LIMITS, OPERATIONS, type Operation, TOOL_FINDINGS } from '@postrider/core';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../../cli/run-in-process.ts';
import { makeSample, publishSender, SENDING_ADDRESS } from '../../diagnostics/sample-message.ts';
import { serveAddressList, serveDomainList } from '../../harness/blocklist-zone.ts';
import { startDnsServer, type TestDnsServer } from '../../harness/dns-server.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startSpamd, type TestSpamd } from '../../harness/spamd.ts';
import { startTestApp, type TestApp, type TestResponse } from '../../harness/test-app.ts';

const PARTS = { from: 'Shop <shop@good.test>', subject: 'Your order', html: '<p>Hello</p>', text: 'Hello' };

/** One good request of each check. */
const REQUESTS = {
  spf: { domain: 'good.test' },
  dkim: { domain: 'good.test', selector: 's' },
  dmarc: { domain: 'good.test' },
  mx: { domain: 'good.test' },
  blocklist: { target: SENDING_ADDRESS },
  'inbox-placement': PARTS,
} as const;
const CHECKS = Object.keys(REQUESTS) as (keyof typeof REQUESTS)[]; // Object.keys widens to string.

describe('the free tools', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  let spamd: TestSpamd;
  let calls = 0;
  beforeAll(async () => {
    dns = await startDnsServer();
    spamd = await startSpamd('SPAMD/1.1 0 EX_OK\r\nSpam: False ; 0.1 / 5.0\r\n\r\nHTML_MESSAGE\r\n');
    publishSender(dns, 'good.test');
    dns.set('good.test', 'MX', ['10 mx.good.test']);
    dns.set('mx.good.test', 'A', SENDING_ADDRESS);
    dns.set(SENDING_ADDRESS, 'PTR', 'mx.good.test');
    serveAddressList(dns, 'ip.list.test');
    serveDomainList(dns, 'names.list.test');
    server = await startTestApp({
      dnsServers: [dns.address],
      settings: {
        POSTRIDER_TRUSTED_PROXIES: '127.0.0.1',
        POSTRIDER_BLOCKLISTS: 'ip.list.test=ip, names.list.test=domain',
        POSTRIDER_SPAMD: `127.0.0.1:${spamd.port}`,
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
    await spamd.close();
  });

  /** Each call comes from its own address, so that only the tests of the limit meet it. */
  const call = (name: string, body: unknown, from = `198.51.100.${++calls}`, prefix = '') =>
    server.call('POST', `${prefix}/tools/${name}`, { key: null, body, headers: { 'x-forwarded-for': from } });
  const codesOf = ({ body }: TestResponse): string[] => body.findings.map(({ code }: { code: string }) => code);

  it('are listed at GET /tools with their arguments, in the format of the registry, for everyone', {
    tags: ['tools.list', 'tools.list-fields', 'service.tools', 'authentication.tools'],
  }, async () => {
    const { status, body } = await server.call('GET', '/tools', { key: null });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['tools']);
    expect(body.tools.map(({ name, method, path }: Record<string, string>) => [name, method, path])).toEqual([
      ['spf', 'POST', '/tools/spf'],
      ['dkim', 'POST', '/tools/dkim'],
      ['dmarc', 'POST', '/tools/dmarc'],
      ['mx', 'POST', '/tools/mx'],
      ['blocklist', 'POST', '/tools/blocklist'],
      ['inbox-placement', 'POST', '/tools/inbox-placement'],
      ['utm', 'POST', '/tools/utm'],
    ]);
    const operations: readonly Operation[] = OPERATIONS;
    for (const tool of body.tools) {
      expect(Object.keys(tool).sort()).toEqual(['description', 'input', 'method', 'name', 'path']);
      expect(tool.description).toBe(operations.find(({ path }) => path === tool.path)?.description);
      expect(tool.input).toMatchObject({ type: 'object', additionalProperties: false });
    }
    const spf = body.tools[0].input;
    expect(spf).toMatchObject({ properties: { domain: { type: 'string' } }, required: ['domain'] });
    const placement = body.tools[5].input;
    expect(Object.keys(placement.properties)).toEqual(['raw', 'from', 'subject', 'html', 'text', 'ip']);
    expect(JSON.stringify(body)).not.toContain('$ref');
  });

  it('do not use up the rate limit by listing', async () => {
    const headers = { 'x-forwarded-for': '203.0.113.90' };
    for (let n = 0; n < 25; n += 1) {
      expect((await server.call('GET', '/tools', { key: null, headers })).status).toBe(200);
    }
    expect((await call('spf', REQUESTS.spf, '203.0.113.90')).status).toBe(200);
  });

  it.each(CHECKS)(
    '%s returns everyone exactly the fields of the contract',
    { tags: ['tools.checks', 'tools.check-bodies', 'tools.check-fields', 'authentication.tools'] },
    async (check) => {
      const { status, body } = await call(check, REQUESTS[check]);
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['ok', 'check', 'target', 'status', 'records', 'findings', 'checkedAt']);
      expect(body).toMatchObject({ ok: true, check, records: expect.any(Array) });
      expect(body.checkedAt).toBe(new Date(body.checkedAt).toISOString());
      expect(['pass', 'warn']).toContain(body.status);
      for (const finding of body.findings) {
        expect(Object.keys(finding)).toEqual(['level', 'code', 'message', 'fix']);
        expect(TOOL_FINDINGS[check]).toHaveProperty(finding.code);
      }
      expect((await call(check, REQUESTS[check], undefined, '/v1')).status).toBe(200);
    },
  );

  it.each([
    ['spf', REQUESTS.spf, 'good.test', ['spf_valid']],
    ['dkim', REQUESTS.dkim, 'good.test', ['dkim_valid']],
    ['dmarc', REQUESTS.dmarc, 'good.test', ['dmarc_no_reports', 'dmarc_valid', 'dmarc_alignment']],
    ['mx', REQUESTS.mx, 'good.test', ['mx_valid']],
    ['blocklist', REQUESTS.blocklist, SENDING_ADDRESS, ['blocklist_clean']],
    ['blocklist', { target: 'Good.TEST.' }, 'good.test', ['blocklist_clean']],
    [
      'inbox-placement',
      REQUESTS['inbox-placement'],
      'shop@good.test',
      ['inbox_auth_not_checked', 'inbox_estimate', 'inbox_spamd_ham'],
    ],
  ] as const)('%s of %j is about %s', async (check, request, target, codes) => {
    const response = await call(check, request);
    expect(response.body.target).toBe(target);
    expect(codesOf(response)).toEqual(codes);
    expect(response.body.status).toBe(response.body.findings[0].level);
  });

  it('tries the common selectors without one, and says so', async () => {
    dns.set('selector1._domainkey.good.test', 'TXT', ['v=DKIM1; p=']);
    const response = await call('dkim', { domain: 'good.test' });
    expect(codesOf(response)).toEqual(['dkim_no_common_selector', 'dkim_selectors_tried', 'dkim_retired_key']);
    expect(response.body.records).toMatchObject([{ selector: 'selector1', keyType: 'rsa', keyBits: null }]);
  });

  it('is not ok when something fails', async () => {
    const { body } = await call('spf', { domain: 'nobody.test' });
    expect(body).toMatchObject({ ok: false, status: 'fail', findings: [{ level: 'fail', code: 'spf_missing' }] });
    expect(body.records).toEqual([
      expect.objectContaining({ type: 'TXT', name: 'nobody.test', value: null, state: 'missing' }),
    ]);
  });

  it('estimates a whole message as received, by the sender’s own records', async () => {
    const raw = await makeSample(server.clock.now());
    const response = await call('inbox-placement', { raw });
    expect(codesOf(response)).toEqual(['inbox_estimate', 'inbox_authenticated', 'inbox_spamd_ham']);
    expect(response.body).toMatchObject({ status: 'pass', target: 'shop@good.test' });
    const other = await call('inbox-placement', { raw, ip: '192.124.249.10' });
    expect(codesOf(other)).toContain('inbox_spf_fail');
  });

  it.each([
    ['spf', {}, ['domain', 'required']],
    ['spf', { domain: 'localhost' }, ['domain', 'invalid_domain']],
    ['spf', { domain: '192.0.2.1' }, ['domain', 'invalid_domain']],
    ['spf', { domain: '::1' }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'http://good.test' }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'a@good.test' }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'good..test' }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'good test.test' }, ['domain', 'invalid_domain']],
    ['spf', { domain: `${'a'.repeat(64)}.test` }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'xn--a.com' }, ['domain', 'invalid_domain']],
    ['mx', { domain: '_a.good.xn--zz--zz.test' }, ['domain', 'invalid_domain']],
    ['spf', { domain: 'x'.repeat(254) }, ['domain', 'too_long']],
    ['spf', { domain: '' }, ['domain', 'too_short']],
    ['spf', { domain: 7 }, ['domain', 'invalid_type']],
    ['spf', { domain: 'a\u0000.test' }, ['domain', 'invalid_unicode']],
    ['spf', { domain: 'good.test', selector: 's' }, ['selector', 'unknown_field']],
    ['dkim', { domain: 'good.test', selector: 'a b' }, ['selector', 'invalid_format']],
    ['dkim', { domain: 'good.test', selector: '-a' }, ['selector', 'invalid_format']],
    ['dkim', { domain: 'good.test', selector: '' }, ['selector', 'too_short']],
    ['dmarc', { target: 'good.test' }, ['target', 'unknown_field']],
    ['mx', { domain: null }, ['domain', 'invalid_type']],
    ['blocklist', {}, ['target', 'required']],
    ['blocklist', { target: 'nonsense' }, ['target', 'invalid_target']],
    ['blocklist', { target: 'xn--a.com' }, ['target', 'invalid_target']],
    ['blocklist', { target: '1.2.3' }, ['target', 'invalid_target']],
    ['blocklist', { target: '1.2.3.4/24' }, ['target', 'invalid_target']],
    ['blocklist', { target: '127.0.0.1' }, ['target', 'private_address']],
    ['blocklist', { target: '10.1.2.3' }, ['target', 'private_address']],
    ['blocklist', { target: '169.254.169.254' }, ['target', 'private_address']],
    ['blocklist', { target: '::1' }, ['target', 'private_address']],
    ['blocklist', { target: '::ffff:10.0.0.1' }, ['target', 'private_address']],
    ['blocklist', { target: 'fe80::1' }, ['target', 'private_address']],
    ['blocklist', { target: 'fd00::1' }, ['target', 'private_address']],
    ['blocklist', { domain: 'good.test' }, ['domain', 'unknown_field']],
    ['inbox-placement', {}, ['raw', 'required']],
    ['inbox-placement', { raw: '' }, ['raw', 'too_short']],
    ['inbox-placement', { raw: 'x', subject: 'y' }, ['subject', 'conflict']],
    ['inbox-placement', { ...PARTS, raw: 'x' }, ['html', 'conflict']],
    ['inbox-placement', { ...PARTS, from: undefined }, ['from', 'required']],
    ['inbox-placement', { ...PARTS, subject: undefined }, ['subject', 'required']],
    ['inbox-placement', { ...PARTS, html: undefined, text: undefined }, ['text', 'required']],
    ['inbox-placement', { ...PARTS, from: 'nobody' }, ['from', 'invalid_email']],
    ['inbox-placement', { ...PARTS, subject: 'a\r\nBcc: x@y.test' }, ['subject', 'forbidden_character']],
    ['inbox-placement', { ...PARTS, ip: '192.124.249.1' }, ['ip', 'conflict']],
    ['inbox-placement', { raw: 'x', ip: 'here' }, ['ip', 'invalid_format']],
    ['inbox-placement', { raw: 'x', ip: '10.0.0.1' }, ['ip', 'private_address']],
    ['inbox-placement', { ...PARTS, to: 'a@b.test' }, ['to', 'unknown_field']],
  ] as const)('%s rejects %j', async (check, body, field) => {
    expectInvalid(await call(check, body), field);
  });

  it('accept a name with white space around it and a trailing dot, and say what a single label lacks', async () => {
    const { status, body } = await call('dmarc', { domain: ' good.test. ' });
    expect([status, body.target]).toEqual([200, 'good.test']);
    expect((await call('dmarc', { domain: 'xn--bcher-kva.test' })).status).toBe(200);
    expect((await call('blocklist', { target: ' good.test.\n' })).body.target).toBe('good.test');
    expect((await call('blocklist', { target: ` ${SENDING_ADDRESS}` })).body.target).toBe(SENDING_ADDRESS);
    expect((await call('spf', { domain: 'com' })).body.detail).toContain('at least two labels');
  });

  it('judges an empty message', async () => {
    const response = await call('inbox-placement', { from: 'a@good.test', subject: '', html: '', text: '' });
    expect(response.status).toBe(200);
    expect(codesOf(response)).toEqual(
      expect.arrayContaining(['inbox_empty', 'inbox_subject_missing', 'inbox_spamd_ham']),
    );
  });

  it.each([
    ['Good.TEST', 'good.test'],
    ['good.test.', 'good.test'],
    ['_spf.good.test', '_spf.good.test'],
    ['Bücher.test', 'xn--bcher-kva.test'],
    ['_x._y.bücher.test', '_x._y.xn--bcher-kva.test'],
  ])('accepts %s for %s', async (domain, target) => {
    expect((await call('mx', { domain })).body.target).toBe(target);
  });

  it('accepts an IPv6 address in any notation', async () => {
    const { body } = await call('blocklist', { target: '2600:1F18:0:0::1' });
    expect(body.target).toBe('2600:1f18::1');
    expect(body.records).toMatchObject([{ list: 'ip.list.test', status: 'not_listed' }]);
  });

  it('is 404 for an unknown tool, and 405 for a wrong method', async () => {
    expectProblem(await call('nonsense', {}), 404, 'not_found');
    expectProblem(await server.call('GET', '/tools/spf', { key: null }), 405, 'method_not_allowed');
  });

  it('rejects bodies above 64 KB', { tags: ['tools.limits'] }, async () => {
    const response = await call('inbox-placement', { raw: 'x'.repeat(LIMITS.toolBodyBytes) });
    expectProblem(response, 413, 'payload_too_large');
    expect((await call('inbox-placement', { raw: 'x'.repeat(LIMITS.toolBodyBytes - 100) })).status).toBe(200);
  });

  it('allows 20 requests a minute from one address, over all tools together', { tags: ['tools.limits'] }, async () => {
    for (let n = 0; n < 20; n += 1) {
      const check = CHECKS[n % 4] ?? 'spf';
      expect((await call(check, REQUESTS[check], '203.0.113.7')).status).toBe(200);
    }
    const refused = await call('blocklist', REQUESTS.blocklist, '203.0.113.7');
    expectProblem(refused, 429, 'rate_limited');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await call('blocklist', REQUESTS.blocklist, '203.0.113.8')).status).toBe(200);
  });

  it('stores nothing of the requests', { tags: ['tools.nothing-stored'] }, async () => {
    const { sql } = server.database;
    const contents = async () => {
      const tables = await sql<{ name: string }[]>`
        SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`;
      const found: string[] = [];
      for (const { name } of tables) {
        const rows = await sql.unsafe(`SELECT count(*) AS n FROM ${name} AS row WHERE row::text ILIKE '%unheard-of%'`);
        if (Number(rows[0]?.['n']) > 0) found.push(name);
      }
      return found;
    };
    await call('spf', { domain: 'unheard-of.test' });
    await call('dkim', { domain: 'unheard-of.test' });
    await call('dmarc', { domain: 'unheard-of.test' });
    await call('mx', { domain: 'unheard-of.test' });
    await call('blocklist', { target: 'unheard-of.test' });
    await call('inbox-placement', { ...PARTS, from: 'unheard-of@good.test', text: 'unheard-of' });
    await server.app.close();
    expect(await contents()).toEqual([]);
    const again = await startTestApp({ database: server.database, dnsServers: [dns.address] });
    expect((await again.call('POST', '/tools/spf', { key: null, body: REQUESTS.spf })).status).toBe(200);
    await again.close();
  });
});

describe('the free tools over other surfaces', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  beforeAll(async () => {
    dns = await startDnsServer();
    publishSender(dns, 'good.test');
    server = await startTestApp({
      dnsServers: [dns.address],
      settings: { POSTRIDER_BLOCKLISTS: 'none', POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' },
    });
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
  });

  it('are methods of the SDK by their ids, without a key', { tags: ['contract-surfaces.sdk-tools'] }, async () => {
    const { tools } = new Postrider({ apiKey: null, baseUrl: server.baseUrl });
    expect((await tools.spf({ domain: 'good.test' })).findings[0]?.code).toBe('spf_valid');
    expect((await tools.dkim({ domain: 'good.test', selector: 's' })).records[0]?.keyBits).toBe(2048);
    expect((await tools.dmarc({ domain: 'good.test' })).check).toBe('dmarc');
    expect((await tools.mx({ domain: 'nobody.test' })).status).toBe('fail');
    expect((await tools.blocklist({ target: 'good.test' })).findings[0]?.code).toBe('blocklist_none_asked');
    expect((await tools.inboxPlacement({ from: 'a@good.test', subject: 'Hi', text: 'Hi' })).status).toBe('warn');
    expect((await tools.list()).tools).toHaveLength(7);
  });

  it('are commands of the CLI, which need no key', async () => {
    const env = { POSTRIDER_BASE_URL: server.baseUrl };
    const shown = await runInProcess(['tools', 'spf', 'good.test', '--json'], { env });
    expect({ code: shown.code, stderr: shown.stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(shown.stdout)).toMatchObject({ ok: true, check: 'spf', target: 'good.test' });
  });

  it('say what could not be checked when the DNS is silent, with 200 and within their time', async () => {
    dns.fail('*', '*', 'silence');
    const startedMs = performance.now();
    const codes = { spf: 'spf', dkim: 'dkim', dmarc: 'dmarc', mx: 'mx' } as const;
    await Promise.all(
      Object.entries(codes).map(async ([check, prefix]) => {
        const headers = { 'x-forwarded-for': '203.0.113.200' };
        const { status, body } = await server.call('POST', `/tools/${check}`, {
          key: null,
          body: { domain: 'slow.test' },
          headers,
        });
        expect(status).toBe(200);
        expect(body.findings).toContainEqual(
          expect.objectContaining({ level: 'warn', code: `${prefix}_could_not_check` }),
        );
      }),
    );
    expect(performance.now() - startedMs).toBeLessThan((LIMITS.toolSeconds + 5) * 1_000);
  }, 30_000);
});

describe('the free tools in production', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  beforeAll(async () => {
    dns = await startDnsServer();
    publishSender(dns, 'good.example.com');
    server = await startTestApp({
      dnsServers: [dns.address],
      settings: {
        POSTRIDER_MODE: 'production',
        POSTRIDER_BASE_URL: 'https://mail.example',
        POSTRIDER_BLOCKLISTS: 'none',
        POSTRIDER_TRUSTED_PROXIES: '127.0.0.1',
      },
    });
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
  });

  const call = (name: string, body: unknown) => server.call('POST', `/tools/${name}`, { key: null, body });

  it.each(['spf', 'dkim', 'dmarc', 'mx'])('%s looks only at names in the public DNS', async (check) => {
    dns.set('db.internal', 'TXT', 'v=spf1 -all');
    dns.set('db.internal', 'MX', ['10 db.internal']);
    for (const domain of ['db.internal', 'wiki.corp', 'nas.home.arpa']) {
      expectInvalid(await call(check, { domain }), ['domain', 'invalid_domain']);
    }
    expect((await call(check, { domain: 'good.example.com' })).status).toBe(200);
    expect(dns.questions.filter(({ name }) => name.endsWith('internal'))).toEqual([]);
  });

  it('mx says about an internal address only that it is not public, and nothing about an internal name', async () => {
    dns.set('led.example.com', 'MX', ['10 db.internal', '20 inside.example.com']);
    dns.set('db.internal', 'A', '10.1.2.3');
    dns.set('inside.example.com', 'A', '10.1.2.4');
    const { body } = await call('mx', { domain: 'led.example.com' });
    expect(JSON.stringify(body)).not.toContain('10.1.2.');
    expect(body.records.map(({ type }: { type: string }) => type)).toEqual(['MX', 'MX']);
    expect(body.findings.map(({ code }: { code: string }) => code)).toEqual(['mx_no_address', 'mx_private_address']);
    expect(JSON.stringify(body.findings)).toContain('inside.example.com: not a public address.');
    expect(dns.questions.filter(({ name }) => name === 'db.internal')).toEqual([]);
  });
});
