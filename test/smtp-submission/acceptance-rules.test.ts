import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLoggedIn } from '../harness/smtp-session.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';

let server: SubmissionApp;
beforeAll(async () => {
  server = await startSubmissionApp();
});
afterAll(() => server.close());

const MAIL = { from: 'ada@sandbox.test', subject: 'Hello', text: 'Hi' };

const total = async (key = server.key) => (await server.call('GET', '/emails', { key })).body.total;

/** Replies to one RCPT each, in its own transaction. */
async function askFor(key: string, paths: readonly string[]): Promise<readonly (string | null)[]> {
  const session = await openLoggedIn(server.smtp.tlsPort, key);
  const replies: (string | null)[] = [];
  for (const path of paths) {
    await session.say('MAIL FROM:<ada@sandbox.test>');
    replies.push(await session.say(`RCPT TO:${path}`));
    await session.say('RSET');
  }
  session.close();
  return replies;
}

describe('the recipient allowlist of a key, over SMTP', () => {
  it('allows the listed recipients, however they are written', async () => {
    const recipientAllowlist = ['ann@example.com', '@xn--bcher-kva.example', '*.example.net'];
    const key = await server.newKey({ recipientAllowlist });
    const paths = ['<ANN@Example.COM>', '<any@bücher.example>', '<any@XN--BCHER-KVA.example>', '<x@a.b.example.net>'];
    for (const reply of await askFor(key, paths)) expect(reply).toMatch(/^250 2\.1\.5 /);
    expect(await askFor(key, ['<@relay.test:ann@example.com>'])).toEqual([expect.stringMatching(/^250 /)]);
  });

  it('rejects all others at RCPT: plus addresses, lookalike domains, quoted names, groups, routes, literals', async () => {
    const key = await server.newKey({ recipientAllowlist: ['ann@example.com', '*.example.net'] });
    const others = ['<ann+x@example.com>', '<bob@example.com>', '<x@example.net>', '<ann@example.com.evil.test>'];
    for (const reply of await askFor(key, [...others, '<@example.com:bob@evil.test>'])) {
      expect(reply).toMatch(/^550 5\.7\.1 recipient_not_allowed: \S+ is not on the key's recipient allowlist\.$/);
    }
    const malformed = [
      ...['<"ann"@example.com>', '<"bob@evil.test,ann"@example.com>', '<ann@example.com,bob@evil.test>'],
      ...[
        '<friends:ann@example.com;>',
        '<ann@[127.0.0.1]>',
        '<ann>',
        '<>',
        'ann@example.com',
        '<ann@example.com><b@c.de>',
      ],
      ...['<ann@example.com\0@evil.test>', '<ann\r@example.com>', '<ännchen@example.com>', '<postmaster>'],
    ];
    for (const reply of await askFor(key, malformed)) expect(reply).toMatch(/^5(01 5\.1\.3|53 5\.(1\.3|6\.7)) /);
  });

  it('counts for to, cc and bcc alike, and allowed recipients still receive', async () => {
    const key = await server.newKey({ recipientAllowlist: ['delivered@sandbox.test'] });
    for (const place of ['to', 'cc', 'bcc'] as const) {
      const mail = { ...MAIL, to: 'delivered@sandbox.test', [place]: ['delivered@sandbox.test', 'eve@evil.test'] };
      const { id, accepted, refused } = await sendBySmtp(server, { key }, mail);
      expect(accepted).toEqual(['delivered@sandbox.test']);
      expect(refused).toEqual([expect.stringMatching(/^550 5\.7\.1 recipient_not_allowed: eve@evil\.test /)]);
      const { recipients } = (await server.settled(id ?? '')).body;
      expect(recipients.map(({ email }: { email: string }) => email)).toEqual(['delivered@sandbox.test']);
    }
    const refused = await sendBySmtp(server, { key }, { ...MAIL, to: 'eve@evil.test' });
    expect(refused.id).toBeNull();
  });
});

describe('the other acceptance rules, over SMTP', () => {
  it('reject a suppressed recipient at RCPT, whatever its case', async () => {
    await server.call('POST', '/suppressions', { body: { email: 'gone@example.com' } });
    for (const reply of await askFor(server.key, ['<gone@example.com>', '<GONE@EXAMPLE.COM>'])) {
      expect(reply).toMatch(/^550 5\.1\.1 recipient_suppressed: /);
    }
  });

  it('reject the whole message when a recipient is suppressed after RCPT', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    await session.say('MAIL FROM:<ada@sandbox.test>');
    for (const name of ['delivered@sandbox.test', 'late@example.com']) {
      expect(await session.say(`RCPT TO:<${name}>`)).toMatch(/^250 /);
    }
    await server.call('POST', '/suppressions', { body: { email: 'late@example.com' } });
    const before = await total();
    await session.say('DATA');
    session.write('From: ada@sandbox.test\r\nSubject: x\r\n\r\nHi\r\n.\r\n');
    expect(await session.reply()).toMatch(/^554 5\.1\.1 recipient_suppressed: late@example\.com/);
    expect(await total()).toBe(before);
    session.close();
  });

  it('reject a sender whose domain is not verified, whatever MAIL FROM contains', async () => {
    await server.addDomain('verified.test');
    const envelope = { from: 'ada@verified.test', to: 'delivered@sandbox.test' };
    const refused = await sendBySmtp(server, { key: server.key }, { ...MAIL, from: 'a@sub.verified.test', envelope });
    expect(refused.reply).toMatch(/^554 5\.7\.1 domain_not_verified: sub\.verified\.test /);
    const anyone = { from: 'bounces@elsewhere.test', to: 'delivered@sandbox.test' };
    const sent = await sendBySmtp(server, { key: server.key }, { ...MAIL, from: 'a@VERIFIED.test', envelope: anyone });
    expect((await server.settled(sent.id ?? '')).body.status).toBe('delivered');
  });

  it('reject a suspended account', async () => {
    const { accountId, key } = await server.newAccount('Suspended');
    await server.database.sql`UPDATE accounts SET suspended_at = now() WHERE id = ${accountId}`;
    expect(await askFor(key, ['<delivered@sandbox.test>'])).toEqual([
      expect.stringMatching(/^550 5\.7\.1 account_suspended: /),
    ]);
  });

  it('reject recipients beyond the quota at RCPT, but no test addresses, and count what was sent', async () => {
    const { accountId, key } = await server.newAccount('Small');
    await server.database.sql`UPDATE accounts SET monthly_quota = 2 WHERE id = ${accountId}`;
    const to = ['a@example.com', 'b@example.com', 'c@example.com', 'delivered@sandbox.test'];
    const { accepted, refused } = await sendBySmtp(server, { key }, { ...MAIL, to });
    expect(accepted).toEqual(['a@example.com', 'b@example.com', 'delivered@sandbox.test']);
    expect(refused).toEqual([expect.stringMatching(/^550 5\.7\.1 quota_exceeded: /)]);
    const [usage] = await server.database.sql`SELECT used FROM quota_usage WHERE account_id = ${accountId}`;
    expect(usage).toEqual({ used: 2 });
    expect((await sendBySmtp(server, { key }, { ...MAIL, to: 'd@example.com' })).reply).toMatch(/quota_exceeded/);
  });

  it('accept 50 recipients and reject the 51st, which another message may contain', async () => {
    const to = Array.from({ length: 51 }, (_, index) => `delivered+${index}@sandbox.test`);
    const { id, accepted, refused } = await sendBySmtp(server, { key: server.key }, { ...MAIL, to });
    expect(accepted).toHaveLength(50);
    expect(refused).toEqual([expect.stringMatching(/^452 4\.5\.3 /)]);
    expect((await server.settled(id ?? '')).body.recipients).toHaveLength(50);
  });

  it('count a recipient once, however often and in whatever spelling it is named', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    await session.say('MAIL FROM:<ada@sandbox.test> SMTPUTF8');
    for (const path of ['a@bücher.example', 'A@XN--BCHER-KVA.example', 'a@bücher.example']) {
      expect(await session.say(`RCPT TO:<${path}>`)).toMatch(/^250 /);
    }
    await session.say('DATA');
    session.write('From: ada@sandbox.test\r\nTo: a@bücher.example\r\nSubject: x\r\n\r\nHi\r\n.\r\n');
    const id = (await session.reply())?.split(' ').at(-1);
    const { body } = await server.call('GET', `/emails/${id}`);
    expect(body.recipients.map(({ email }: { email: string }) => email.toLowerCase())).toEqual([
      'a@xn--bcher-kva.example',
    ]);
    session.close();
  });

  it('reject requests by unsupported parameters', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    for (const parameter of ['REQUIRETLS', 'RET=FULL', 'ENVID=x', 'HOLDFOR=60', 'MT-PRIORITY=3']) {
      expect(await session.say(`MAIL FROM:<a@b.test> ${parameter}`)).toMatch(/^555 5\.5\.4 /);
    }
    expect(await session.say('MAIL FROM:<a@b.test> BODY=8BITMIME SIZE=100 AUTH=<>')).toMatch(/^250 /);
    expect(await session.say('RCPT TO:<delivered@sandbox.test> NOTIFY=NEVER')).toMatch(/^555 5\.5\.4 /);
    session.close();
  });
});
