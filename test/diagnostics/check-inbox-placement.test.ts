import { TOOL_FINDINGS } from '@postrider/core';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createBlocklists } from '../../packages/server/src/diagnostics/blocklists.ts';
import { withinBounds } from '../../packages/server/src/diagnostics/bounded-lookups.ts';
import { checkInboxPlacement } from '../../packages/server/src/diagnostics/check-inbox-placement.ts';
import { CHECK_BOUNDS } from '../../packages/server/src/diagnostics/check-runner.ts';
import { readRawMessage } from '../../packages/server/src/diagnostics/placement/read-raw-message.ts';
import { sendingAddressOf } from '../../packages/server/src/diagnostics/placement/sending-address.ts';
import { createSpamdClient } from '../../packages/server/src/diagnostics/spamd-client.ts';
import { createDnsResolver } from '../../packages/server/src/dns/create-dns-resolver.ts';
import { serveAddressList, serveDomainList } from '../harness/blocklist-zone.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { startSpamd, type TestSpamd } from '../harness/spamd.ts';
import { makeSample, publishSender, type SampleChanges, SENDING_ADDRESS } from './sample-message.ts';

type Code = keyof (typeof TOOL_FINDINGS)['inbox-placement'];

interface Case extends SampleChanges {
  readonly before?: (dns: TestDnsServer) => void;
  /** What spamd returns. */
  readonly spamd?: string;
  /** Given in parts, not as a whole. */
  readonly inParts?: true;
  readonly says?: string;
}

const link = (href: string, shown = 'here') =>
  `<p>This is a paragraph that is long enough to be taken for one, with words and a <a href="${href}">${shown}</a> among them.</p>`;
const attachment = (filename: string) =>
  `--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n--b\r\nContent-Type: application/octet-stream\r\nContent-Disposition: attachment; filename="${filename}"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--\r\n`;

const CASES: Readonly<Record<Code, Case>> = {
  inbox_estimate: { says: 'not a seed test' },
  inbox_authenticated: { says: 'good.test' },
  inbox_auth_not_checked: { inParts: true },
  inbox_spf_not_checked: { afterSigning: (raw) => raw.replace(SENDING_ADDRESS, '10.0.0.1') },
  inbox_spf_fail: { before: (dns) => dns.set('good.test', 'TXT', 'v=spf1 -all'), says: SENDING_ADDRESS },
  inbox_spf_missing: { before: (dns) => dns.remove('good.test', 'TXT'), says: 'none' },
  inbox_spf_error: { before: (dns) => dns.set('good.test', 'TXT', 'v=spf1 include: -all'), says: 'permerror' },
  inbox_spf_not_aligned: {
    before: (dns) => publishSender(dns, 'other.test'),
    afterSigning: (raw) => raw.replace('bounce@good.test', 'bounce@other.test'),
    says: 'other.test',
  },
  inbox_dkim_missing: { signedFor: null },
  inbox_dkim_fail: { afterSigning: (raw) => raw.replace('Tuesday', 'Monday'), says: 's._domainkey.good.test' },
  inbox_dkim_not_aligned: {
    signedFor: 'other.test',
    before: (dns) => publishSender(dns, 'other.test'),
    says: 'other.test',
  },
  inbox_dmarc_missing: { before: (dns) => dns.remove('_dmarc.good.test') },
  inbox_dmarc_fail: { signedFor: null, before: (dns) => dns.set('good.test', 'TXT', 'v=spf1 -all'), says: 'good.test' },
  inbox_auth_could_not_check: { before: (dns) => dns.fail('s._domainkey.good.test', 'TXT', 'SERVFAIL') },
  inbox_unsubscribe_missing: { headers: { 'List-Unsubscribe': null, 'List-Unsubscribe-Post': null } },
  inbox_unsubscribe_invalid: {
    headers: { 'List-Unsubscribe': 'https://good.test/u/1', 'List-Unsubscribe-Post': null },
  },
  inbox_one_click_missing: { headers: { 'List-Unsubscribe-Post': null } },
  inbox_one_click_without_https: { headers: { 'List-Unsubscribe': '<mailto:leave@good.test>' } },
  inbox_from_missing: { headers: { From: null } },
  inbox_from_several: { headers: { From: 'a@good.test, b@good.test' } },
  inbox_from_invalid: { headers: { From: 'Good Shop' } },
  inbox_date_missing: { headers: { Date: null } },
  inbox_date_invalid: { headers: { Date: 'Mon, 01 Jan 2001 00:00:00 +0000' }, says: '2001' },
  inbox_message_id_missing: { headers: { 'Message-ID': null } },
  inbox_message_id_invalid: { headers: { 'Message-ID': '1@good.test' }, says: '1@good.test' },
  inbox_recipient_missing: { headers: { To: null } },
  inbox_header_repeated: { headers: { Subject: ['One', 'Two'] }, says: 'subject' },
  inbox_header_not_ascii: { headers: { Subject: 'Grüße' }, says: 'subject' },
  inbox_line_too_long: { text: 'word '.repeat(300) },
  inbox_subject_missing: { headers: { Subject: null } },
  inbox_subject_caps: { headers: { Subject: 'YOUR ORDER IS HERE' } },
  inbox_subject_punctuation: { headers: { Subject: 'Your order is here!!' } },
  inbox_subject_fake_reply: { headers: { Subject: 'Re: your order' } },
  inbox_unreadable: {
    body: Array.from(
      { length: 40 },
      (_, n) => `--b${n === 0 ? '' : n}\r\nContent-Type: multipart/mixed; boundary=b${n + 1}\r\n\r\n`,
    ).join(''),
  },
  inbox_empty: { headers: { 'Content-Type': 'text/plain' }, body: '\r\n' },
  inbox_text_missing: { text: null },
  inbox_html_too_large: { html: `<p>${'word '.repeat(25_000)}</p>`, says: '123 KB' },
  inbox_mostly_images: { html: '<img src="https://good.test/a.png" alt="Everything">' },
  inbox_alt_missing: { html: `${link('https://good.test/')}<img src="https://good.test/a.png">`, says: 'There are 1' },
  inbox_form: { html: `${link('https://good.test/')}<form action="https://good.test/"><input></form>` },
  inbox_script: { html: `${link('https://good.test/')}<script>alert(1)</script>` },
  inbox_embedded: { html: `${link('https://good.test/')}<iframe src="https://good.test/"></iframe>` },
  inbox_charset_unknown: {
    headers: { 'Content-Type': 'text/plain; charset=x-klingon' },
    body: 'nuqneH\r\n',
    says: 'x-klingon',
  },
  inbox_charset_wrong: {
    headers: { 'Content-Type': 'text/plain; charset=utf-8', 'Content-Transfer-Encoding': 'quoted-printable' },
    body: 'Gr=FC=DFe\r\n',
  },
  inbox_attachment_risky: {
    headers: { 'Content-Type': 'multipart/mixed; boundary=b' },
    body: attachment('order.docm'),
    says: 'order.docm',
  },
  inbox_link_mismatch: {
    html: link('https://evil.test/', 'https://good.test/'),
    says: 'shows good.test and leads to evil.test',
  },
  inbox_link_shortener: { html: link('https://bit.ly/abc'), says: 'https://bit.ly/abc' },
  inbox_link_not_https: { html: link('http://good.test/'), says: 'http://good.test/' },
  inbox_link_to_address: { html: link('https://192.0.2.1/'), says: 'https://192.0.2.1/' },
  inbox_link_listed: {
    html: link('https://shop.bad.test/'),
    before: (dns) => dns.set('bad.test.names.list.test', 'A', '127.0.1.2'),
    says: 'shop.bad.test is on names.list.test',
  },
  inbox_sender_listed: {
    before: (dns) => dns.set('9.249.124.192.ip.list.test', 'A', '127.0.0.2'),
    says: `${SENDING_ADDRESS} is on ip.list.test`,
  },
  inbox_lists_could_not_check: { before: (dns) => dns.remove('test.names.list.test'), says: 'names.list.test' },
  inbox_spamd_ham: {
    spamd: 'SPAMD/1.1 0 EX_OK\r\nSpam: False ; 1.2 / 5.0\r\n\r\nHTML_MESSAGE\r\n',
    says: '1.2 of 5: HTML_MESSAGE',
  },
  inbox_spamd_spam: { spamd: 'SPAMD/1.1 0 EX_OK\r\nSpam: True ; 9 / 5.0\r\n\r\n', says: '9 of 5' },
  inbox_spamd_could_not_check: { spamd: 'nonsense', says: 'unknown response' },
};

describe('the inbox placement check', () => {
  let dns: TestDnsServer;
  let spamd: TestSpamd | null = null;
  const clock = createFakeClock();
  beforeEach(async () => {
    dns = await startDnsServer();
    publishSender(dns, 'good.test');
    serveAddressList(dns, 'ip.list.test');
    serveDomainList(dns, 'names.list.test');
  });
  afterEach(async () => {
    await dns.close();
    await spamd?.close();
    spamd = null;
  });

  const checkRaw = async (raw: string, { inParts, ip = null }: { inParts?: true; ip?: string | null } = {}) => {
    const message = await readRawMessage(raw);
    const given = inParts ? { ...message, raw: null, fields: null } : message;
    const blocklists = createBlocklists({
      zones: [
        { zone: 'ip.list.test', kind: 'ip' },
        { zone: 'names.list.test', kind: 'domain' },
      ],
      clock,
    });
    const client = spamd === null ? null : createSpamdClient({ host: '127.0.0.1', port: spamd.port });
    const resolver = createDnsResolver({ servers: [dns.address], timeoutMs: 300 });
    return await withinBounds(resolver, CHECK_BOUNDS, (lookups) =>
      checkInboxPlacement(given, ip, { lookups, blocklists, spamd: client, now: clock.now(), isPublicOnly: false }),
    );
  };
  const check = async (given: Case) => {
    if (given.spamd !== undefined) spamd = await startSpamd(given.spamd);
    given.before?.(dns);
    return await checkRaw(await makeSample(clock.now(), given), given.inParts ? { inParts: true } : {});
  };
  const codesOf = async (given: Case) => (await check(given)).findings.map(({ code }) => code);

  it.each(Object.entries(CASES))('finds %s', async (code, given) => {
    expect((await check(given)).findings).toContainEqual({
      ...TOOL_FINDINGS['inbox-placement'][code as Code],
      code,
      message: expect.stringContaining(given.says ?? ''),
    });
  });

  it('reports nothing about a correct message except that the result is an estimate', async () => {
    const { records, findings } = await check({});
    expect(findings.map(({ code, level }) => [code, level])).toEqual([
      ['inbox_estimate', 'pass'],
      ['inbox_authenticated', 'pass'],
    ]);
    expect(records).toEqual([
      { type: 'SPF', name: 'good.test', value: 'pass', detail: expect.any(String) },
      { type: 'DKIM', name: 's._domainkey.good.test', value: 'pass', detail: null },
      { type: 'DMARC', name: 'good.test', value: 'pass', detail: expect.any(String) },
    ]);
  });

  it('reads a message whose line endings were lost in transit', async () => {
    const raw = (await makeSample(clock.now())).replaceAll('\r\n', '\n');
    expect((await checkRaw(raw)).findings.map(({ code }) => code)).toEqual(['inbox_estimate', 'inbox_authenticated']);
  });

  it('prefers the address that the caller names to that of a header', async () => {
    const { findings } = await checkRaw(await makeSample(clock.now()), { ip: '192.124.249.10' });
    expect(findings.map(({ code }) => code)).toContain('inbox_spf_fail');
  });

  it('says that it used From when no Return-Path names the envelope sender', async () => {
    const raw = (await makeSample(clock.now())).replace(/^Return-Path:.*\r\n/, '');
    dns.remove('good.test', 'TXT');
    const spf = async (message: string) =>
      (await checkRaw(message)).findings.find(({ code }) => code === 'inbox_spf_missing')?.message;
    expect(await spf(raw)).toContain('good.test (of From, because there is no Return-Path');
    expect(await spf(raw)).not.toMatch(/envelope/);
    expect(await spf(`Return-Path: <bounce@good.test>\r\n${raw}`)).toContain('good.test (of Return-Path): none.');
  });

  it('names every list that could not be queried in one finding, whatever was looked up in it', async () => {
    const { findings } = await check({
      html: `${link('https://a.test/')}${link('https://b.test/')}`,
      before: (server) => {
        server.remove('test.names.list.test');
        server.remove('2.0.0.127.ip.list.test');
      },
    });
    const unchecked = findings.filter(({ code }) => code === 'inbox_lists_could_not_check');
    expect(unchecked).toHaveLength(1);
    expect(unchecked[0]?.message.match(/names\.list\.test/g)).toHaveLength(1);
    expect(unchecked[0]?.message).toContain('ip.list.test');
  });

  it.each([
    ['from a (a [203.0.113.1]) by b; now', '203.0.113.1'],
    ['from [10.0.0.1] (a.test [203.0.113.1]) by b', '203.0.113.1'],
    ['from a.test ([IPv6:2001:db8::1] helo=x) by b', '2001:db8::1'],
    ['from [203.0.113.1] (helo=[198.51.100.1]) by b', '203.0.113.1'],
    ['from [203.0.113.1] by b', null],
    ['by b (b [203.0.113.1]) with SMTP', null],
    ['from a (a [203.0.113.999]) by b', null],
    ['from a (a) by b ([203.0.113.1])', null],
  ])('reads from the Received header %j the address %s', (value, address) => {
    expect(sendingAddressOf([{ name: 'received', value, size: value.length }])).toBe(address);
  });

  it('does not report a broken signature beside a valid one', async () => {
    const broken =
      'DKIM-Signature: v=1; a=rsa-sha256; c=relaxed/relaxed; d=list.test; s=x; h=from; bh=AAAA; b=BBBB\r\n';
    const codes = await codesOf({ afterSigning: (raw) => `${broken}${raw}` });
    expect(codes).toEqual(['inbox_estimate', 'inbox_authenticated']);
  });

  it.each([
    ['Visit good.test', 'https://evil.test/'],
    ['Good Shop', 'https://evil.test/'],
    ['https://www.good.test/a', 'https://mail.good.test/b'],
    ['order.pdf', 'https://good.test/order.pdf'],
    ['shop@amazon.com', 'https://good.test/'],
    ['https://192.0.2.1/a', 'https://192.0.2.1/b'],
    ['19.99', 'https://good.test/'],
  ])('does not report the text %s over %s as misleading', async (shown, href) => {
    expect(await codesOf({ html: link(href, shown) })).not.toContain('inbox_link_mismatch');
  });

  it.each([
    ['amazon.com', 'https://evil.test/'],
    ['<b>www.</b>amazon.com/<i>account</i>', 'https://evil.test/'],
    ['https://good.test', 'https://good.test@evil.test/'],
    ['http&#58;//good.test/', 'https&#x3A;//evil.test/'],
    ['https://bank.com', 'http://192.0.2.1/'],
    ['bank.com', 'https://[2001:db8::1]/'],
    ['https://192.0.2.1/', 'https://evil.test/'],
    ['https://192.0.2.1/', 'https://192.0.2.2/'],
  ])('reports the text %s over %s as misleading', async (shown, href) => {
    expect(await codesOf({ html: link(href, shown) })).toContain('inbox_link_mismatch');
  });

  it.each([
    ['an event handler', `${link('https://good.test/')}<img alt="" src=x onerror=alert(1)>`],
    ['a javascript link', link(' javascript:alert(1)')],
  ])('counts %s as a script', async (_, html) => {
    expect(await codesOf({ html })).toContain('inbox_script');
  });

  it('checks the links of the text part too, and none in comments, styles and scripts', async () => {
    expect(await codesOf({ text: 'See http://good.test/' })).toContain('inbox_link_not_https');
    const html = `${link('https://good.test/')}<!-- <a href="http://a.test/">x</a> --><style><a href="http://b.test/"></style>`;
    expect(await codesOf({ html })).toEqual(['inbox_estimate', 'inbox_authenticated']);
  });

  it('passes the raw message to spamd, and one built from the parts when there is no raw message', async () => {
    const ham = 'SPAMD/1.1 0 EX_OK\r\nSpam: False ; 0 / 5.0\r\n\r\n';
    spamd = await startSpamd(ham);
    const raw = await makeSample(clock.now());
    const { records } = await checkRaw(raw);
    expect(spamd.received).toEqual([{ command: 'SYMBOLS SPAMC/1.5', message: raw }]);
    expect(records).toContainEqual({ type: 'SPAMD', name: 'spamd', value: '0 of 5', detail: '' });
    await spamd.close();
    await check({ spamd: ham, inParts: true });
    expect(spamd?.received[0]?.message).toMatch(/^(?:.+\r\n)*Subject: Your order is on its way\r\n/);
  });

  it('says that it could not check when the whole DNS is silent, and never fails', async () => {
    const { findings } = await check({ before: (server) => server.fail('*', '*', 'silence') });
    expect(findings.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['inbox_auth_could_not_check', 'inbox_lists_could_not_check']),
    );
  });

  it.each([
    ['no header at all', '\r\n\r\n'],
    ['one word', 'hello'],
    ['a thousand signatures', 'DKIM-Signature: v=1; a=rsa-sha256; d=a.test; s=s; h=from; bh=AA; b=BB\r\n'.repeat(800)],
    ['a thousand senders', `From: ${'a@b.test,'.repeat(5_000)}\r\n\r\nx`],
    ['tags that never end', `Content-Type: text/html\r\n\r\n${'<a href="'.repeat(6_000)}`],
    ['links in links', `Content-Type: text/html\r\n\r\n${'<a href=http://x>'.repeat(3_500)}`],
    ['brackets', `Content-Type: text/html\r\n\r\n${'<'.repeat(60_000)}`],
    ['entities', `Content-Type: text/html\r\n\r\n<a href=x>${'&amp'.repeat(15_000)}`],
    ['folded headers', `Subject: x${'\r\n '.repeat(20_000)}\r\n\r\nx`],
    ['headers folded often', `${`Subject: x${'\r\n '.repeat(3_300)}\r\n`.repeat(6)}\r\nx`],
    ['boundaries', `Content-Type: multipart/mixed; boundary=b\r\n\r\n${'--b\r\n'.repeat(12_000)}`],
    ['control characters', 'From: \u0001\u0002<a@b.test>\r\nSubject: \u001b[31m\r\n\r\n\u0007'],
    ['bare words in From', `From: ${'"'.repeat(30_000)}\r\n\r\nx`],
    ['brackets in Received', `Received: from a (${'['.repeat(60_000)})\r\n\r\n`],
    ['brackets in short headers', `Received: from a (${'['.repeat(9_900)})\r\n`.repeat(6)],
    ['received headers', `Received: from ${'('.repeat(30_000)}\r\n\r\nx`],
  ])('handles a message of %s quickly', async (_, raw) => {
    const startedMs = performance.now();
    const { findings } = await checkRaw(raw);
    expect(findings.map(({ code }) => code)).toContain('inbox_estimate');
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });
});
