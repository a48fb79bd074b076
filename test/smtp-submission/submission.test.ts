import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../harness/captured-mail.ts';
import { openLoggedIn, openSmtpSession, plainToken } from '../harness/smtp-session.ts';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';

let server: SubmissionApp;
beforeAll(async () => {
  server = await startSubmissionApp();
});
afterAll(() => server.close());

const MAIL = { from: 'Ada <ada@sandbox.test>', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi Ann' };

const send = (mail: Parameters<typeof sendBySmtp>[2] = {}, options: Partial<Parameters<typeof sendBySmtp>[1]> = {}) =>
  sendBySmtp(server, { key: server.key, ...options }, { ...MAIL, ...mail });

const read = async (id: string | null) => (await server.settled(id ?? 'none')).body;

describe('logging in over SMTP', () => {
  it('works with PLAIN and LOGIN, after STARTTLS and under implicit TLS, with the key as the password', {
    tags: ['contract-running.smtp-login', 'contract-settings.smtp-ports', 'contract-settings.roles-smtp'],
  }, async () => {
    for (const mode of ['starttls', 'implicit'] as const) {
      for (const authMethod of ['PLAIN', 'LOGIN'] as const) {
        const { id, reply } = await send({}, { mode, authMethod });
        expect([mode, authMethod, reply]).toEqual([mode, authMethod, `250 2.0.0 queued as ${id}`]);
        expect((await read(id)).status).toBe('delivered');
      }
    }
  });

  it('is neither offered nor accepted before TLS, so that no key is sent unencrypted', {
    tags: ['contract-running.smtp-login'],
  }, async () => {
    const session = await openSmtpSession(server.smtp.port);
    const offered = await session.say('EHLO client.test');
    expect(offered).toContain('STARTTLS');
    expect(offered).not.toContain('AUTH');
    expect(await session.say(`AUTH PLAIN ${plainToken(server.key)}`)).toMatch(/^538 5\.7\./);
    expect(await session.say('AUTH LOGIN')).toMatch(/^538 /);
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^530 5\.7\.0 /);
    expect(await session.say('STARTTLS')).toMatch(/^220 /);
    const secured = await session.secure();
    expect(await secured.say('EHLO client.test')).toContain('AUTH PLAIN LOGIN');
    expect(await secured.say(`AUTH PLAIN ${plainToken(server.key)}`)).toMatch(/^235 /);
    secured.close();
    expect((await send({}, { mode: 'plain' })).reply).toMatch(/^53[08] /);
  });

  it('offers its extensions: 25 MB, 8-bit text, UTF-8, pipelining, enhanced status codes', async () => {
    const session = await openSmtpSession(server.smtp.tlsPort, 'tls');
    const offered = (await session.say('EHLO client.test'))?.split('\r\n').map((line) => line.slice(4));
    const wanted = ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'ENHANCEDSTATUSCODES', 'AUTH PLAIN LOGIN', 'SIZE 26214400'];
    expect(offered?.slice(1).sort()).toEqual(wanted.sort());
    session.close();
  });

  it('rejects a wrong user name, and invalid, revoked, expired or unscoped keys, each with its code', async () => {
    const { sql } = server.database;
    const revoked = await server.newKey();
    await sql`UPDATE api_keys SET revoked_at = now() WHERE name = 'Test key'`;
    const expired = await server.newKey({ name: 'Old' });
    await sql`UPDATE api_keys SET expires_at = now() - interval '1 hour' WHERE name = 'Old'`;
    const reading = await server.newKey({ name: 'Reader', scopes: ['emails:read'] });
    const cases: readonly (readonly [string, string, string?])[] = [
      ['invalid_key', server.key, 'someone'],
      ['invalid_key', 'hunter2'],
      ['invalid_key', `${server.key} ${server.key}`],
      ['invalid_key', `${server.key.slice(0, -1)}${server.key.endsWith('0') ? '1' : '0'}`],
      ['key_revoked', revoked],
      ['key_expired', expired],
      ['missing_scope', reading],
    ];
    for (const [code, key, user] of cases) {
      const { reply } = await send({}, { key, ...(user === undefined ? {} : { user }) });
      expect([code, reply]).toEqual([code, expect.stringMatching(new RegExp(`^535 5\\.7\\.8 ${code}: \\S`))]);
      expect(reply).not.toContain(key);
    }
    const other = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await other.say('EHLO client.test');
    const token = Buffer.from(`root\0postrider\0${server.key}`).toString('base64');
    expect(await other.say(`AUTH PLAIN ${token}`)).toMatch(/^535 5\.7\.8 invalid_key/);
    other.close();
  });

  it('may be tried three times on a connection', async () => {
    const session = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await session.say('EHLO client.test');
    for (const code of [535, 535, 421]) {
      expect(await session.say(`AUTH PLAIN ${plainToken('wrong')}`)).toMatch(new RegExp(`^${code} .*invalid_key`));
    }
    expect(await session.reply()).toBeNull();
  });

  it('ends with the key: a revoked one sends nothing more on an open connection', async () => {
    const key = await server.newKey({ name: 'Short' });
    const session = await openLoggedIn(server.smtp.tlsPort, key);
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^250 /);
    expect(await session.say('RCPT TO:<delivered@sandbox.test>')).toMatch(/^250 /);
    await server.database.sql`UPDATE api_keys SET revoked_at = now() WHERE name = 'Short'`;
    server.clock.advance(1_000);
    expect(await session.say('DATA')).toMatch(/^354/);
    session.write('From: ada@sandbox.test\r\nSubject: x\r\n\r\nHi\r\n.\r\n');
    expect(await session.reply()).toMatch(/^530 5\.7\.0 key_revoked: /);
    expect(await session.say('MAIL FROM:<ada@sandbox.test>')).toMatch(/^530 5\.7\.0 key_revoked: /);
    session.close();
  });
});

describe('a message over SMTP', () => {
  it('passes the whole pipeline, on the channel `smtp`', {
    tags: ['contract-sending.channel-smtp', 'contract-test-addresses.whole-pipeline-smtp'],
  }, async () => {
    const outcomes = { delivered: 'delivered', bounced: 'bounced', complained: 'complained', soft: 'bounced' };
    for (const [name, status] of Object.entries(outcomes)) {
      const { id } = await send({ to: `${name}@sandbox.test` });
      expect(await read(id)).toMatchObject({ channel: 'smtp', source: 'backend', agentName: null, status });
    }
  });

  it('arrives as it was written, with only our own signature and id', async () => {
    const { id } = await send({
      to: 'Ann <delivered+one@sandbox.test>',
      cc: 'delivered+two@sandbox.test',
      bcc: 'delivered+three@sandbox.test',
      replyTo: 'Answers <answers@example.org>',
      subject: 'Grüße, 日本',
      html: '<p>Grüße</p>',
      text: 'Grüße',
      inReplyTo: '<before@example.org>',
      messageId: '<mine@example.org>',
      headers: { 'X-Campaign': 'spring', Received: 'from somewhere' },
    });
    const message = await read(id);
    expect(message).toMatchObject({
      from: 'Ada <ada@sandbox.test>',
      to: 'delivered+one@sandbox.test',
      cc: ['delivered+two@sandbox.test'],
      bcc: ['delivered+three@sandbox.test'],
      replyTo: 'Answers <answers@example.org>',
      subject: 'Grüße, 日本',
      html: '<p>Grüße</p>',
      headers: { 'X-Campaign': 'spring', 'In-Reply-To': '<before@example.org>' },
    });
    expect(Object.keys(message.headers)).toHaveLength(2);
    const [mail] = await readCaptured(server, 'Grüße, 日本');
    expect(mail?.to).toEqual([
      'delivered+one@sandbox.test',
      'delivered+two@sandbox.test',
      'delivered+three@sandbox.test',
    ]);
    expect(mail?.parsed.messageId).toBe(`<${id}@sandbox.test>`);
    expect(mail?.raw).not.toMatch(/three|mine@example|somewhere/);
    expect(mail?.parsed.to).toEqual([{ name: 'Ann', address: 'delivered+one@sandbox.test' }]);
  });

  it('is sent to its envelope and to no one else, whatever its headers say', async () => {
    const raw = [
      ...[
        'From: Ada <ada@sandbox.test>',
        'To: Ann <delivered@sandbox.test>, other@sandbox.test',
        'Cc: more@sandbox.test',
      ],
      ...['Bcc: secret@sandbox.test', 'Subject: Envelope', '', 'Hi', ''],
    ].join('\r\n');
    const envelope = { from: 'bounces@anywhere.test', to: ['DELIVERED@sandbox.test', 'delivered+blind@sandbox.test'] };
    const { id } = await send({ raw, envelope, text: undefined });
    const { recipients } = await read(id);
    expect(recipients.map(({ kind, email }: { kind: string; email: string }) => [kind, email])).toEqual([
      ['to', 'DELIVERED@sandbox.test'],
      ['bcc', 'delivered+blind@sandbox.test'],
    ]);
    const [mail] = await readCaptured(server, 'Envelope');
    expect(mail?.to).toEqual(['DELIVERED@sandbox.test', 'delivered+blind@sandbox.test']);
    expect(mail?.raw).not.toMatch(/other@|more@|secret@|blind/);
  });

  it('to bcc recipients alone names no one', async () => {
    const { id } = await send({
      to: undefined,
      bcc: ['delivered+a@sandbox.test', 'delivered+b@sandbox.test'],
      subject: 'Blind',
    });
    expect(await read(id)).toMatchObject({ to: '', bcc: ['delivered+a@sandbox.test', 'delivered+b@sandbox.test'] });
    const [mail] = await readCaptured(server, 'Blind');
    expect(mail?.raw).toContain('To: undisclosed-recipients:;');
    expect(mail?.raw).not.toMatch(/delivered\+/);
  });

  it('sets its agent and its labels by headers that are not sent on', async () => {
    const { id } = await send({
      subject: 'Labeled',
      headers: { 'X-Service-Agent': 'Claw', 'X-Service-Source': 'automation', 'X-Tag': ['Welcome, EU', 'welcome'] },
    });
    expect(await read(id)).toMatchObject({ agentName: 'Claw', source: 'automation', tags: ['welcome', 'eu'] });
    const [mail] = await readCaptured(server, 'Labeled');
    expect(mail?.raw).not.toMatch(/x-service|x-tag/i);
  });

  it('may contain files, and pictures that its HTML shows', async () => {
    const { id, reply } = await send({
      subject: 'Files',
      html: '<img src="cid:logo@example.org">',
      attachments: [
        { filename: 'Übersicht.pdf', content: Buffer.from([1, 2, 0, 255]), contentType: 'application/pdf' },
        { filename: 'logo.png', content: Buffer.from([9]), cid: 'logo@example.org' },
      ],
    });
    expect(reply).toBe(`250 2.0.0 queued as ${id}`);
    await read(id);
    const [mail] = await readCaptured(server, 'Files');
    const files = mail?.parsed.attachments.map(({ filename, contentId, content }) => [
      ...[filename, contentId ?? null, Buffer.from(content as ArrayBuffer).toString('hex')],
    ]);
    expect(files?.sort()).toEqual([
      ['logo.png', '<logo@example.org>', '09'],
      ['Übersicht.pdf', null, '010200ff'],
    ]);
    const refused = await send({ attachments: [{ filename: 'run.exe', content: 'x' }] });
    expect(refused.reply).toMatch(/^554 5\.6\.0 attachment_type_refused: /);
  });

  it('gets the first id when it repeats one under its idempotency key', {
    tags: ['contract-idempotency.smtp'],
  }, async () => {
    const headers = { 'Idempotency-Key': 'order-1' };
    const first = await send({ subject: 'Once', headers });
    const second = await send({ subject: 'Once', headers });
    expect(first.id).not.toBeNull();
    expect(second).toEqual(first);
    expect((await send({ subject: 'Other', headers })).reply).toMatch(/^554 5\.6\.0 idempotency_key_reused: /);
    expect((await send({ headers: { 'Idempotency-Key': 'ä' } })).reply).toMatch(
      /^554 5\.6\.0 validation_failed: Idempotency-Key: /,
    );
    await read(first.id);
    const mails = await readCaptured(server, 'Once');
    expect(mails).toHaveLength(1);
    expect(mails[0]?.raw).not.toMatch(/idempotency/i);
  });

  it('has the limits of every other send, and the reply names the header in question', async () => {
    const cases: readonly (readonly [string, Parameters<typeof send>[0]])[] = [
      ['Subject: is required', { subject: undefined }],
      ['body: ', { text: '' }],
      ['From: is required', { raw: 'Subject: x\r\n\r\nHi\r\n', envelope: { from: 'a@b.test', to: MAIL.to } }],
      ['X-Service-Source: ', { headers: { 'X-Service-Source': 'robot' } }],
      ['X-Service-Agent: ', { headers: { 'X-Service-Agent': 'x'.repeat(129) } }],
      ['X-Tag: ', { headers: { 'X-Tag': 'x'.repeat(65) } }],
      ['X-Tag: ', { headers: { 'X-Tag': Array.from({ length: 11 }, (_, n) => `tag${n}`) } }],
      ['X-Long: ', { headers: { 'X-Long': 'word '.repeat(250) } }],
      ['Sender: differs', { sender: 'bob@sandbox.test' }],
    ];
    for (const [field, mail] of cases) {
      const { reply } = await send(mail);
      expect(reply).toContain(`554 5.6.0 validation_failed: ${field}`);
    }
  });

  it('is in the request log, as is a rejected recipient', async () => {
    const { id } = await send({ subject: 'Logged' });
    await send({ to: 'nobody@nowhere' });
    await expect
      .poll(async () => (await server.call('GET', '/requests?limit=100')).body.requests, { timeout: 10_000 })
      .toMatchObject(
        expect.arrayContaining([
          expect.objectContaining({ method: 'SMTP', path: 'DATA', status: 202, emailId: id }),
          expect.objectContaining({ method: 'SMTP', path: 'RCPT', status: 422, code: 'validation_failed' }),
        ]),
      );
    const { body } = await server.call('GET', '/requests?limit=100');
    const entry = body.requests.find(({ emailId }: { emailId: string | null }) => emailId === id);
    expect((await server.call('GET', `/requests/${entry.id}`)).body).toMatchObject({ emailId: id, path: 'DATA' });
    const submitted = (await server.call('GET', '/requests?method=SMTP&limit=100')).body.requests;
    expect(submitted.map((request: { emailId: string | null }) => request.emailId)).toContain(id);
    expect(new Set(submitted.map((request: { method: string }) => request.method))).toEqual(new Set(['SMTP']));
  });

  it('can follow another on the same connection, and a rejected one', async () => {
    const session = await openLoggedIn(server.smtp.tlsPort, server.key);
    const mail = (subject: string) => `From: ada@sandbox.test\r\nSubject: ${subject}\r\n\r\n..Hi\r\n.\r\n`;
    for (const [subject, code] of [
      ['One', 250],
      ['', 554],
      ['Two', 250],
    ] as const) {
      await session.say('MAIL FROM:<>');
      await session.say('RCPT TO:<delivered@sandbox.test>');
      expect(await session.say('DATA')).toMatch(/^354/);
      session.write(mail(subject));
      expect(await session.reply()).toMatch(new RegExp(`^${code} `));
    }
    expect(await session.say('QUIT')).toMatch(/^221 /);
  });
});
