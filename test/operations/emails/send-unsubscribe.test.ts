import { dkimVerify } from 'mailauth/lib/dkim/verify.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CapturedMail, readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('a send with unsubscribe links', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  async function deliver(subject: string, body: Readonly<Record<string, unknown>>) {
    const { body: sent } = await server.send({ subject, ...body });
    const { body: message } = await server.settled(sent.id);
    return { message, mails: await readCaptured(server, subject) };
  }

  const headerOf = (mail: CapturedMail, name: string) =>
    mail.parsed.headers.filter(({ key }) => key === name).map(({ value }) => value);
  const linkOf = (mail: CapturedMail) => headerOf(mail, 'list-unsubscribe')[0]?.slice(1, -1) ?? '';

  it('creates a separate copy for each recipient, with that recipient’s link in the headers of RFC 8058', {
    tags: ['contract-sending.unsubscribe'],
  }, async () => {
    const { message, mails } = await deliver('Own copies', {
      to: ['a@example.com', 'b@example.com'],
      cc: 'c@example.com',
      bcc: 'hidden@sandbox.test',
      unsubscribe: true,
    });
    expect(message.status).toBe('delivered');
    expect(mails.map(({ to }) => to).sort()).toEqual([
      ...[['a@example.com'], ['b@example.com'], ['c@example.com'], ['hidden@sandbox.test']],
    ]);
    for (const mail of mails) {
      expect(headerOf(mail, 'list-unsubscribe')).toEqual([`<${linkOf(mail)}>`]);
      expect(linkOf(mail)).toMatch(new RegExp(`^${server.baseUrl}/u/[\\w-]{68}$`));
      expect(headerOf(mail, 'list-unsubscribe-post')).toEqual(['List-Unsubscribe=One-Click']);
      expect(mail.parsed.messageId).toBe(`<${message.id}@sandbox.test>`);
      expect(mail.parsed.to?.map(({ address }) => address)).toEqual(['a@example.com', 'b@example.com']);
      expect(mail.raw).not.toContain('hidden@sandbox.test');
    }
    expect(new Set(mails.map(linkOf)).size).toBe(4);
  });

  it('is signed with both headers among the signed headers', {
    tags: ['contract-sending.unsubscribe'],
  }, async () => {
    const { selector, publicKey } = await server.addDomain('signed.example');
    const { mails } = await deliver('Signed', { from: 'a@signed.example', to: 'b@example.com', unsubscribe: true });
    const raw = mails[0]?.raw ?? '';
    const resolver = async (name: string) => {
      expect(name).toBe(`${selector}._domainkey.signed.example`);
      return [[`v=DKIM1; k=rsa; p=${publicKey}`]];
    };
    const { results } = await dkimVerify(Buffer.from(raw, 'latin1'), { resolver });
    expect(results[0]?.status.result).toBe('pass');
    const signed = /\bh=([^;]+);/.exec(raw.replaceAll(/\r\n[ \t]+/g, ''))?.[1]?.split(':') ?? [];
    expect(signed).toEqual(expect.arrayContaining(['List-Unsubscribe', 'List-Unsubscribe-Post']));
  });

  it('has the recipient’s link of the headers for each `{{unsubscribe_url}}` in HTML and text', {
    tags: ['contract-sending.unsubscribe-url'],
  }, async () => {
    const { message, mails } = await deliver('Placeholders', {
      to: ['a@example.com', 'b@example.com'],
      unsubscribe: true,
      html: '<p>Hi</p><a href="{{unsubscribe_url}}">out</a> <a href="{{ unsubscribe_url }}">or here</a>',
      text: 'Out: {{unsubscribe_url}}',
    });
    expect(mails).toHaveLength(2);
    for (const mail of mails) {
      expect(mail.parsed.html).toContain(`<a href="${linkOf(mail)}">out</a> <a href="${linkOf(mail)}">or here</a>`);
      expect(mail.parsed.text?.trim()).toBe(`Out: ${linkOf(mail)}`);
    }
    // Anyone who reads the log gets no one's link.
    expect([message.html, message.text].join()).toContain('{{unsubscribe_url}}');
    expect(JSON.stringify(message)).not.toContain('/u/');
  });

  it('has it in the text that is derived from the HTML as well', async () => {
    const html = '<p>Hi</p><a href="{{ unsubscribe_url }}">Unsubscribe</a>';
    const { mails } = await deliver('Derived', { to: 'a@example.com', unsubscribe: true, html, text: undefined });
    const [mail] = mails;
    expect(mail?.parsed.text).toContain(mail === undefined ? '' : linkOf(mail));
    expect(mail?.raw).not.toContain('unsubscribe_url');
  });

  it('needs no `unsubscribe` for the links in its bodies: each recipient has one, without headers', {
    tags: ['contract-sending.unsubscribe-url'],
  }, async () => {
    const { mails } = await deliver('Bodies only', {
      to: ['a@example.com', 'b@example.com'],
      text: '{{unsubscribe_url}}',
    });
    const links = mails.map(({ parsed }) => parsed.text?.trim() ?? '');
    expect(links).toEqual(links.map(() => expect.stringMatching(/^http.*\/u\/[\w-]{68}$/)));
    expect(new Set(links).size).toBe(2);
    expect(mails.map((mail) => headerOf(mail, 'list-unsubscribe'))).toEqual([[], []]);
    for (const [index, mail] of mails.entries()) {
      const path = links[index]?.slice(server.baseUrl.length) ?? '';
      expect((await server.call('GET', path, { key: null })).body).toContain(mail.to[0]);
    }
  });

  it('keeps the links unchanged when the account tracks clicks and the send tags links', async () => {
    const tracked = await server.newAccount('Tracked');
    await server.database
      .sql`UPDATE accounts SET track_clicks = true, track_opens = true WHERE id = ${tracked.accountId}`;
    const body = {
      ...{ from: 'a@sandbox.test', to: ['a@example.com', 'b@example.com'], subject: 'Tracked', unsubscribe: true },
      html: '<a href="https://shop.example/x">shop</a> <a href="{{unsubscribe_url}}">out</a> <a href="https://shop.example/y">y</a>',
      utm: { source: 's', medium: 'm', campaign: 'c' },
    };
    const { body: sent } = await server.call('POST', '/emails', { key: tracked.key, body });
    await server.call('GET', `/emails/${sent.id}?wait=10`, { key: tracked.key });
    const mails = await readCaptured(server, 'Tracked');
    expect(mails).toHaveLength(2);
    for (const mail of mails) {
      const hrefs = [...(mail.parsed.html ?? '').matchAll(/href="([^"]+)"/g)].map(([, href]) => href);
      expect(hrefs).toHaveLength(3);
      expect(hrefs[1]).toBe(linkOf(mail));
      expect([hrefs[0], hrefs[2]].join()).not.toContain('shop.example');
    }
    expect(new Set(mails.map(linkOf)).size).toBe(2);
  });

  it('is one delivery to all recipients when neither is requested', async () => {
    const { mails } = await deliver('Plain', { to: ['a@example.com', 'b@example.com'], unsubscribe: false });
    expect(mails.map(({ to }) => to)).toEqual([['a@example.com', 'b@example.com']]);
  });

  it('counts its recipients once, and rejects List-Unsubscribe headers beside it', {
    tags: ['contract-sending.unsubscribe'],
  }, async () => {
    const used = async () => (await server.call('GET', '/keys/self')).body.quota.used;
    const before = await used();
    await deliver('Counted', { to: ['a@example.com', 'b@example.com'], unsubscribe: true });
    expect(await used()).toBe(before + 2);
    for (const name of ['List-Unsubscribe', 'LIST-UNSUBSCRIBE', 'List-Unsubscribe-Post']) {
      const headers = { [name]: '<https://example.com/out>' };
      expectInvalid(await server.send({ unsubscribe: true, headers }), ['unsubscribe', 'conflict']);
      expect((await server.send({ headers })).status).toBe(202);
    }
    expectInvalid(await server.send({ unsubscribe: 'yes' }), ['unsubscribe', 'invalid_type']);
  });
});
