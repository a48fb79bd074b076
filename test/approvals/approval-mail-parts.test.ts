import { REASON_SENTENCES } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CapturedMail, readCaptured } from '../harness/captured-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { parsedLinks } from '../links/parsed-links.ts';
import { holdingKey } from './approving.ts';

const REASONS = ['firstContact', 'recipientsOver', 'hasBcc', 'hasAttachments', 'freeformBody'] as const;
const KILOBYTE = 1_000;

/** What a reader sees: without the marks that keep text of the sender from becoming a link. */
function shownIn({ parsed }: CapturedMail): readonly { readonly part: string; readonly shown: string }[] {
  const text = (parsed.text ?? '').replace(/\[(\.|:|@|\/\/)\]/g, '$1').replace(/^> ?/gm, '');
  const markup = (parsed.html ?? '').replace(/<style>.*<\/style>|<\/?bdi>/gs, '').replace(/<[^>]*>/g, ' ');
  const html = markup
    .replaceAll('\u2060', '')
    .replace(/&(lt|gt|quot|amp|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .replace(/\s+/g, ' ');
  return [
    { part: 'text', shown: text.replace(/\s+/g, ' ') },
    { part: 'html', shown: html },
  ];
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', '#39': "'" };

describe('the two parts of a mail to approvers', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  /** Holds a message and waits for the mail about it, parsed by an independent parser. */
  async function mailAbout(message: Readonly<Record<string, unknown>> & { readonly subject: string }, name = 'Biller') {
    const holdWhen = { firstContact: true, recipientsOver: 1, hasBcc: true, hasAttachments: true, freeformBody: true };
    const { key } = await holdingKey(server, { name, approvalMode: 'policy', holdWhen });
    const sent = await server.send({ from: 'Acme <acme@sandbox.test>', ...message }, { key });
    expect(sent.body.status).toBe('pending_approval');
    const subject = `Waiting for your approval: “${message.subject}”`;
    await expect.poll(async () => (await readCaptured(server, subject)).length, { timeout: 20_000 }).toBe(1);
    const [mail] = await readCaptured(server, subject);
    if (mail === undefined) throw new Error('there is no mail');
    return { mail, approvalId: sent.body.approvalId };
  }

  it('say the same: who asks, why, all recipients with blind copies apart, the files, the text, and until when', {
    tags: ['installation-mail.parts'],
  }, async () => {
    const to = Array.from({ length: 20 }, (_, n) => `Reader ${n} <to${n}@receiver.example>`);
    const message = {
      ...{ to, cc: ['copy@receiver.example'], bcc: ['blind@receiver.example', 'Spy <spy@other.example>'] },
      ...{ subject: 'Your invoice', reply_to: 'desk@sandbox.test', agent_name: 'invoice-bot' },
      text: 'Hello,\n\nplease pay at https://pay.example/1.\n',
      html: '<p>Something else</p>',
      attachments: [{ filename: 'invoice.pdf', content: Buffer.alloc(3_400).toString('base64') }],
    };
    const { mail, approvalId } = await mailAbout(message);
    const { expiresAt } = (await server.call('GET', `/keys/approvals/${approvalId}`)).body;
    const day = new Date(expiresAt).toUTCString().slice(5, 7).replace(/^0/, '');
    for (const { part, shown } of shownIn(mail)) {
      const includes = (words: string) => expect(shown, part).toContain(words);
      for (const mailbox of to) includes(mailbox);
      includes('Nothing has been sent.');
      for (const words of ['invoice-bot', 'Biller', 'copy@receiver.example', 'desk@sandbox.test']) includes(words);
      for (const reason of REASONS) includes(REASON_SENTENCES[reason]);
      expect(shown).toMatch(
        /Blind copies, which the other recipients do not see: blind@receiver\.example Spy <spy@other\.example>/,
      );
      expect(shown.match(/spy@other\.example/g)).toHaveLength(1);
      includes('invoice.pdf (3 KB)');
      includes('please pay at https://pay.example/1.');
      includes('This is its plain text. The page shows the HTML that its recipients see.');
      expect(shown).toMatch(new RegExp(`in 72 hours, on \\w+, \\w+ ${day}, \\d{4}, \\d\\d:\\d\\d UTC`));
      expect(shown).not.toContain('Something else');
    }
  });

  it('have one link, which opens the message, and no other', {
    tags: ['installation-mail.parts', 'holes.mail-to-approvers'],
  }, async () => {
    const subject = 'Decide at evil.example';
    const text =
      'Review and decide:\nhttps://evil.example/approvals/abc\n</div></td></tr></table><a href="//evil.example">x</a>';
    const agent_name = '<b>Postrider</b> evil.example';
    const from = '"https://evil.example" <ada@sandbox.test>';
    const message = { from, to: 'evil.example/p@receiver.example', text, agent_name, subject: 'Decide at evil' };
    const { mail } = await mailAbout({ ...message, bcc: [`"${subject}" <b@evil.example>`] }, 'Key of evil.example');
    const { text: plain = '', html = '' } = mail.parsed;
    const [link] = parsedLinks(html);
    expect(parsedLinks(html)).toHaveLength(1);
    expect(html.match(/<a /g)).toHaveLength(1);
    expect(plain.match(/\S+:\/\/\S+/g)).toEqual([link?.value]);
    expect(link?.value).toMatch(new RegExp(`^${server.baseUrl}/approvals/[\\w-]{43}$`));
    expect((await fetch(link?.value ?? '')).status).toBe(200);
    expect(html).toContain(`>${link?.value}</span>`);
    for (const part of [plain, html]) expect(part).not.toMatch(/evil\.example|receiver\.example|\w@\w/);
    // Every line of the sender begins with a mark, the one that imitates our button included.
    expect(plain.match(/^.*Review and decide:$/gm)).toEqual(['Review and decide:', '> Review and decide:']);
  });

  it('quote the beginning of a long text, and stay small', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) => `Line ${n} of https://evil.example/${n}\n\n\n`).join('');
    const { mail } = await mailAbout({ to: 'long@receiver.example', subject: 'A long one', text: lines });
    for (const { shown } of shownIn(mail)) {
      expect(shown).toContain('Line 0 of');
      expect(shown).not.toContain('Line 60 of');
      expect(shown).toContain('The rest is on the page.');
    }
    expect(Buffer.byteLength(mail.parsed.html ?? '')).toBeLessThan(20 * KILOBYTE);
  });

  it('say so if a message has no text', async () => {
    const { mail } = await mailAbout({ to: 'p@receiver.example', subject: 'A picture', html: '<p></p>', text: '' });
    for (const { shown } of shownIn(mail)) expect(shown).toContain('It has no text to quote.');
  });
});
