import { Resolver } from 'node:dns/promises';
import { chown, mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { authenticate } from 'mailauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { type Postfix, startPostfix } from '../harness/postfix.ts';
import { type ReportApp, startReportApp } from '../harness/report-client.ts';
import { yahooComplaint } from '../harness/report-samples.ts';
import { openSmtpSession } from '../harness/smtp-session.ts';

const MX_PORT = 18_170;
const INBOUND_PORT = 18_171;
const SENDER = 'shop.example';
const HELO = 'mail.postrider.example';
/** Without a better match, Postfix stores mail as the user `nobody`. */
const NOBODY = 65_534;

/**
 * The life of a domain on one machine: added, its records served by a DNS server, verified, mail sent straight to a Postfix that stores it,
 * judged by an independent verifier; and what Postfix sends back. `pnpm test:postfix`, since it needs Debian's Postfix (bench/postfix/install.sh).
 */
describe('your own domain, with a Postfix at the other end', () => {
  let dns: TestDnsServer;
  let postfix: Postfix;
  let server: ReportApp;

  beforeAll(async () => {
    dns = await startDnsServer();
    dns.set('receiver.example', 'MX', ['10 mx.receiver.example']);
    for (const name of ['mx.receiver.example', HELO]) dns.set(name, 'A', ['127.0.0.1']);
    postfix = await startPostfix({ port: MX_PORT, main: parametersOf });
    server = await startReportApp({
      dnsServers: [dns.address],
      settings: {
        POSTRIDER_TRANSPORT: 'direct',
        POSTRIDER_MX_PORT: String(MX_PORT),
        POSTRIDER_INBOUND_PORT: String(INBOUND_PORT),
        POSTRIDER_HELO_NAME: HELO,
      },
    });
  });
  afterAll(() => Promise.all([server?.close(), postfix?.stop(), dns?.close()]));

  it('is added, published and verified', async () => {
    const { status, body: domain } = await server.call('POST', '/domains', { body: { name: SENDER } });
    expect([status, domain.status]).toEqual([201, 'pending']);
    for (const { host, type, value, priority } of domain.records) {
      dns.set(host, type, [type === 'MX' ? `${priority} ${value}` : value]);
    }
    const verified = await server.call('POST', `/domains/${domain.id}/verify`);
    expect(verified.body.records.filter((record: { status: string }) => record.status !== 'pass')).toEqual([]);
    expect(verified.body.status).toBe('verified');
  });

  it('sends mail that Postfix stores, and that passes SPF, DKIM and DMARC', async () => {
    const { body: sent } = await send('ann@receiver.example');
    expect((await server.settled(sent.id)).body.status).toBe('delivered');
    const raw = await storedMail('ann');
    const { spf, dkim, dmarc } = await authenticate(raw, {
      ip: '127.0.0.1',
      helo: HELO,
      mta: 'mx.receiver.example',
      sender: /^Return-Path: <(.+)>/im.exec(raw)?.[1] ?? '',
      resolver: createMailauthResolver(dns),
    });
    const signed = dkim.results.map(({ status, signingDomain }) => [signingDomain, status.result]);
    expect(signed).toEqual([[SENDER, 'pass']]);
    expect(spf).toMatchObject({ status: { result: 'pass' } });
    expect(dmarc).toMatchObject({ status: { result: 'pass' } });
  });

  it('records the bounce that Postfix sends later, and sends nothing more to that address', async () => {
    const { body: sent } = await send('gone@receiver.example');
    expect((await server.settled(sent.id)).body.status).toBe('delivered');
    const bounced = await until(sent.id, 'bounced');
    expect(bounced.events.map((event: { type: string }) => event.type)).toEqual([
      'queued',
      'sent',
      'delivered',
      'bounced',
    ]);
    expect(bounced.events.at(-1)).toMatchObject({ classification: 'hard', recipient: 'gone@receiver.example' });
    const again = await send('gone@receiver.example');
    expect([again.status, again.body.code]).toEqual([422, 'recipient_suppressed']);
  });

  it('counts an abuse report through Postfix as a complaint', async () => {
    const { body: sent } = await send('bob@receiver.example');
    await server.settled(sent.id);
    const raw = await storedMail('bob');
    const returnPath = /^Return-Path: <(.+)>/im.exec(raw)?.[1] ?? '';
    const session = await openSmtpSession(MX_PORT);
    await session.say('EHLO feedback.receiver.example');
    await session.say('MAIL FROM:<feedback@receiver.example>');
    await session.say(`RCPT TO:<${returnPath}>`);
    await session.say('DATA');
    const report = yahooComplaint({ recipient: 'bob@receiver.example', returnPath, messageId: sent.id });
    session.write(`${report.replace(/\r?\n/g, '\r\n')}\r\n.\r\n`);
    expect(await session.reply()).toMatch(/^250/);
    session.close();
    expect((await until(sent.id, 'complained')).events.at(-1)).toMatchObject({
      type: 'complained',
      classification: 'spam',
    });
  });

  const send = (to: string) => server.send({ from: `Shop <hello@${SENDER}>`, to, html: '<p>Hello</p>' });

  /** Reports come when they come. */
  async function until(id: string, status: string) {
    for (let looks = 0; looks < 150; looks += 1) {
      const { body } = await server.call('GET', `/emails/${id}`);
      if (body.status === status) return body;
      await pause(100);
    }
    throw new Error(`the message never became ${status}: ${await readFile(join(postfix.folder, 'mail.log'), 'utf8')}`);
  }

  async function storedMail(mailbox: string): Promise<string> {
    const folder = join(postfix.folder, 'mail', mailbox, 'new');
    for (let looks = 0; looks < 150; looks += 1) {
      const [name] = await readdir(folder).catch(() => []);
      if (name !== undefined) return await readFile(join(folder, name), 'latin1');
      await pause(100);
    }
    throw new Error(`nothing was stored for ${mailbox}`);
  }
});

/** Accepts mail for some users of a domain; a former user is an alias without a target, so that their mail is accepted first. */
async function parametersOf(folder: string): Promise<Readonly<Record<string, string>>> {
  const mail = join(folder, 'mail');
  await mkdir(mail);
  await chown(mail, NOBODY, NOBODY);
  return {
    myhostname: 'mx.receiver.example',
    virtual_mailbox_domains: 'receiver.example',
    virtual_mailbox_base: mail,
    virtual_mailbox_maps: 'inline:{ ann@receiver.example=ann/, bob@receiver.example=bob/ }',
    virtual_uid_maps: `static:${NOBODY}`,
    virtual_gid_maps: `static:${NOBODY}`,
    virtual_minimum_uid: '1',
    virtual_alias_maps: 'inline:{ gone@receiver.example=nobody@dead.example }',
    transport_maps: `inline:{ {dead.example = error:5.1.1 the mailbox is gone}, {bounce.${SENDER} = smtp:[127.0.0.1]:${INBOUND_PORT}} }`,
    mynetworks: '127.0.0.0/8',
    smtpd_relay_restrictions: 'permit_mynetworks, reject',
    smtp_tls_security_level: 'may',
  };
}

/** Returns as node:dns would, by the test's own server. */
function createMailauthResolver(dns: TestDnsServer) {
  const resolver = new Resolver();
  resolver.setServers([dns.address]);
  return (name: string, type: string) => resolver.resolve(name, type as 'TXT');
}
