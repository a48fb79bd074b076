import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const many = (count: number, name = 'r') => Array.from({ length: count }, (_, index) => `${name}${index}@sandbox.test`);

describe('the recipients of a send', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function suppress(email: string, expiresAt: Date | null = null) {
    const { accountId, database } = server;
    await database.sql`
      INSERT INTO suppressions (account_id, id, email, reason, created_at, expires_at)
      VALUES (${accountId}, gen_random_uuid(), ${email}, 'manual', now(), ${expiresAt})`;
  }

  it.each(['to', 'cc', 'bcc'])(
    'are accepted in %s as one address or as several',
    { tags: ['send-request.to', 'send-request.cc', 'send-request.bcc'] },
    async (kind) => {
      const base = { to: 'first@sandbox.test' };
      const one = await server.send({ ...base, [kind]: 'Ann <ann@sandbox.test>' });
      const several = await server.send({ ...base, [kind]: ['Ann <ann@sandbox.test>', 'ben@sandbox.test'] });
      const readOne = await server.settled(one.body.id);
      const readSeveral = await server.settled(several.body.id);
      const emails = ({ body }: typeof one) =>
        body.recipients
          .filter((given: { kind: string }) => given.kind === kind)
          .map((given: { email: string }) => given.email);
      expect(emails(readOne)).toEqual(['ann@sandbox.test']);
      expect(emails(readSeveral)).toEqual(['ann@sandbox.test', 'ben@sandbox.test']);
      for (const value of [5, {}, '', 'nobody', ['a@b.co', null], 'a@b.co, c@d.co', 'a@b.co;c@d.co']) {
        const response = await server.send({ ...base, [kind]: value });
        expectProblem(response, 422, 'validation_failed');
        expect(response.body.errors[0].path).toMatch(new RegExp(`^${kind}`));
      }
    },
  );

  it('may be empty in cc and bcc, and are at least one in to', async () => {
    expect((await server.send({ cc: [], bcc: [] })).status).toBe(202);
    expectInvalid(await server.send({ to: [] }), ['to', 'too_few']);
  });

  it('in bcc are in the log and in the envelope, never in the message', {
    tags: ['send-request.bcc-stored'],
  }, async () => {
    const { body } = await server.send({
      to: 'seen@example.com',
      cc: 'also@example.com',
      bcc: ['hidden@example.com', 'Hidden Two <two@example.com>'],
      subject: 'Blind copies',
      html: '<p>x</p>',
    });
    const read = await server.settled(body.id);
    expect(read.body.bcc).toEqual(['hidden@example.com', 'two@example.com']);
    const [mail] = await readCaptured(server, 'Blind copies');
    expect(mail?.to).toEqual(['seen@example.com', 'also@example.com', 'hidden@example.com', 'two@example.com']);
    // The letters of `bcc` alone can also be in a signature or an id.
    expect(mail?.raw).not.toMatch(/hidden|two@example|^bcc:/im);
  });

  it('are 50 at most over to, cc and bcc, counting each address once', {
    tags: ['contract-sending.recipient-count'],
  }, async () => {
    const fifty = { to: many(30), cc: many(10, 'c'), bcc: many(10, 'b') };
    expect((await server.send(fifty)).status).toBe(202);
    const repeated = { to: [...many(30), ...many(30)], cc: [...many(10, 'c'), 'R0@Sandbox.TEST'], bcc: many(10, 'b') };
    const { status, body } = await server.send(repeated);
    expect(status).toBe(202);
    expect((await server.settled(body.id)).body.recipients).toHaveLength(50);
    for (const kind of ['to', 'cc', 'bcc']) {
      const given = { ...fifty, [kind]: [...fifty[kind as 'to'], 'one-more@sandbox.test'] };
      expectInvalid(await server.send(given), ['to', 'too_many']);
    }
    expectInvalid(await server.send({ to: many(51) }), ['to', 'too_many']);
  });

  it('each get the message once, in the field that names them first', async () => {
    const { body } = await server.send({
      to: ['a@example.com', 'A@Example.com'],
      cc: ['a@example.com', 'b@example.com'],
      bcc: ['B@example.com', 'c@example.com'],
      subject: 'Each once',
    });
    const { recipients } = (await server.settled(body.id)).body;
    expect(recipients).toEqual([
      { email: 'a@example.com', kind: 'to', status: 'delivered' },
      { email: 'b@example.com', kind: 'cc', status: 'delivered' },
      { email: 'c@example.com', kind: 'bcc', status: 'delivered' },
    ]);
    const [mail] = await readCaptured(server, 'Each once');
    expect(mail?.to).toEqual(['a@example.com', 'b@example.com', 'c@example.com']);
  });

  it('keep the case of their local part in SMTP, and their domains as A-labels', {
    tags: ['contract-sending.local-part-case', 'contract-sending.internationalised-domains'],
  }, async () => {
    const { body } = await server.send({ to: ['Ann.B@Example.COM', 'x@Bücher.example'], subject: 'Case' });
    const read = await server.settled(body.id);
    expect(read.body.to).toBe('Ann.B@example.com, x@xn--bcher-kva.example');
    const [mail] = await readCaptured(server, 'Case');
    expect(mail?.to).toEqual(['Ann.B@example.com', 'x@xn--bcher-kva.example']);
    expect(mail?.parsed.to?.map(({ address }) => address)).toEqual(mail?.to);
  });

  it.each(['from', 'to', 'cc', 'bcc', 'reply_to'])(
    'with a bad address in %s are a schema error',
    { tags: ['contract-sending.bad-address', 'send-request.from'] },
    async (field) => {
      for (const bad of ['nobody', 'a@b', 'a b@c.co', '"q"@c.co', 'ü@c.co', 'A, B <a@b.co>', '<>', '']) {
        expectInvalid(await server.send({ [field]: bad }), [field, 'invalid_email']);
      }
    },
  );

  it('are accepted as `a@b.c` and `Name <a@b.c>`, and so is the sender', {
    tags: ['contract-sending.address-forms'],
  }, async () => {
    for (const given of [
      'delivered@sandbox.test',
      'Ann <delivered@sandbox.test>',
      '"B, Ann" <delivered@sandbox.test>',
    ]) {
      const { status } = await server.send({ from: given, to: given, cc: given, bcc: given, reply_to: given });
      expect(status).toBe(202);
    }
  });

  describe('under the key’s allowlist', () => {
    it.each([
      [
        'ann@example.com',
        ['ann@example.com', 'ANN@Example.Com'],
        ['ben@example.com', 'ann+x@example.com', 'xann@example.com'],
      ],
      ['Ann@example.com', ['ann@example.com'], ['ann@sub.example.com']],
      [
        '@example.com',
        ['a@example.com', 'B@EXAMPLE.com'],
        ['a@sub.example.com', 'a@notexample.com', 'a@example.com.evil.co'],
      ],
      [
        '*.example.com',
        ['a@sub.example.com', 'a@x.y.Example.com'],
        ['a@example.com', 'a@notexample.com', 'a@xexample.com'],
      ],
      ['@bücher.example', ['a@bücher.example', 'a@xn--bcher-kva.example'], ['a@bucher.example']],
    ])(
      '%s allows exactly its own',
      { tags: ['keys.allowlist-entries', 'service.check-allowlist'] },
      async (entry, allowed, refused) => {
        const key = await server.newKey({ recipientAllowlist: [entry] });
        for (const to of allowed) expect((await server.send({ to }, { key })).status, to).toBe(202);
        for (const to of refused) expectProblem(await server.send({ to }, { key }), 403, 'recipient_not_allowed');
      },
    );

    it('are checked in to, cc and bcc, and not in reply_to', {
      tags: [
        'authentication.allowlist',
        'service.check-allowlist',
        'send-request.cc',
        'send-request.bcc',
        'send-request.reply-to',
      ],
    }, async () => {
      const key = await server.newKey({ recipientAllowlist: ['@sandbox.test'] });
      for (const kind of ['to', 'cc', 'bcc']) {
        const response = await server.send({ [kind]: 'x@example.com' }, { key });
        expectProblem(response, 403, 'recipient_not_allowed');
        expect(response.body.recipients).toEqual([{ email: 'x@example.com', kind, code: 'recipient_not_allowed' }]);
        expect(response.body.detail).toContain('x@example.com');
      }
      expect((await server.send({ reply_to: 'x@example.com' }, { key })).status).toBe(202);
    });

    it('an empty list allows no one, a missing one everyone', async () => {
      const restricted = await server.newKey({ recipientAllowlist: [] });
      expectProblem(await server.send({}, { key: restricted }), 403, 'recipient_not_allowed');
      expect((await server.send({ to: 'anyone@example.org' })).status).toBe(202);
    });
  });

  describe('against the suppression list', () => {
    it('are checked in to, cc and bcc without regard to case, and not in reply_to', {
      tags: ['service.check-suppression', 'contract-sending.local-part-case', 'send-request.reply-to'],
    }, async () => {
      await suppress('gone@example.com');
      for (const kind of ['to', 'cc', 'bcc']) {
        const response = await server.send({ [kind]: 'Gone@Example.com' });
        expectProblem(response, 422, 'recipient_suppressed');
        expect(response.body.recipients).toEqual([{ email: 'Gone@example.com', kind, code: 'recipient_suppressed' }]);
      }
      expect((await server.send({ reply_to: 'gone@example.com' })).status).toBe(202);
    });

    it('only the account’s own entries count, and only until they end', async () => {
      await suppress('mine@example.com');
      await suppress('past@example.com', new Date(Date.now() - 1_000));
      const other = await server.newAccount();
      expect((await server.send({ to: 'mine@example.com' }, { key: other.key })).status).toBe(202);
      expect((await server.send({ to: 'past@example.com' })).status).toBe(202);
    });
  });

  it('reject the whole send when any of them fails: nothing is stored, charged or sent', {
    tags: ['contract-sending.refused-whole', 'service.check-single'],
  }, async () => {
    await suppress('never@example.com');
    const before = (await server.call('GET', '/keys/self')).body.quota.used;
    const key = await server.newKey({ recipientAllowlist: ['@example.com'] });
    const given = { to: ['fine@example.com', 'never@example.com'], bcc: 'x@example.org', subject: 'Refused whole' };
    const response = await server.send(given, { key });
    expectProblem(response, 422, 'recipient_suppressed');
    expect(response.body.recipients).toEqual([
      { email: 'never@example.com', kind: 'to', code: 'recipient_suppressed' },
      { email: 'x@example.org', kind: 'bcc', code: 'recipient_not_allowed' },
    ]);
    expect((await server.call('GET', '/keys/self')).body.quota.used).toBe(before);
    expect(await readCaptured(server, 'Refused whole')).toEqual([]);
    const { messages } = (await server.call('GET', '/emails?limit=100')).body;
    expect(messages.filter(({ subject }: { subject: string }) => subject === 'Refused whole')).toEqual([]);
  });
});

describe('the sender of a send', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  it('has exactly a verified domain of the account', { tags: ['contract-sending.verified-domain'] }, async () => {
    await server.addDomain('example.com');
    expect((await server.send({ from: 'a@example.com' })).status).toBe(202);
    expect((await server.send({ from: 'Name <a@EXAMPLE.com>' })).status).toBe(202);
    for (const domain of ['sub.example.com', 'example.co', 'xample.com', 'sub.sandbox.test']) {
      const response = await server.send({ from: `a@${domain}` });
      expectProblem(response, 403, 'domain_not_verified');
      expect(response.body.detail).toContain(domain);
      expect(response.body.fix).toMatch(/verified|sandbox/);
    }
  });

  it('has no pending, failed, removed or foreign domain; a degraded one still sends', async () => {
    const other = await server.newAccount();
    await server.addDomain('theirs.example', other.accountId);
    expectProblem(await server.send({ from: 'a@theirs.example' }), 403, 'domain_not_verified');
    expect((await server.send({ from: 'a@theirs.example' }, { key: other.key })).status).toBe(202);
    await server.addDomain('state.example');
    for (const [status, expected] of [
      ['pending', 403],
      ['failed', 403],
      ['removed', 403],
      ['degraded', 202],
      ['verified', 202],
    ] as const) {
      await server.database.sql`UPDATE sending_domains SET status = ${status} WHERE name = 'state.example'`;
      expect((await server.send({ from: 'a@state.example' })).status, status).toBe(expected);
    }
  });

  it('is compared and signed as A-labels, and read unchanged', {
    tags: ['contract-sending.internationalised-domains', 'contract-sending.addresses-read'],
  }, async () => {
    const { publicKey } = await server.addDomain('xn--bcher-kva.example');
    expect(publicKey).toMatch(/^[A-Za-z0-9+/]+=*$/);
    const { status, body } = await server.send({
      from: 'Ada <ada@Bücher.example>',
      to: 'x@example.org',
      subject: 'IDN',
    });
    expect(status).toBe(202);
    expect((await server.settled(body.id)).body.from).toBe('Ada <ada@Bücher.example>');
    const [mail] = await readCaptured(server, 'IDN');
    expect(mail?.from).toBe('ada@xn--bcher-kva.example');
    expect(mail?.parsed.from).toMatchObject({ name: 'Ada', address: 'ada@xn--bcher-kva.example' });
    expect(mail?.raw.replaceAll(/\r\n[ \t]/g, '')).toMatch(/^DKIM-Signature:.*d=xn--bcher-kva\.example/m);
  });
});
