import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { notifyOfDrafts } from '../../packages/server/src/approvals/notify-of-drafts.ts';
import { breakLinks } from '../../packages/server/src/installation-mail/sender-text.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { parsedLinks } from '../links/parsed-links.ts';
import { holdingKey } from './approving.ts';

const HOSTILE =
  'Invoice: decide at https://evil.example/approvals/x or //evil.example, evil.example, mailto:a@evil.example';

describe('mail to approvers', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const mailer = () => ({
    ...server.app.services.auth.mailer,
    onError: (error: unknown) => expect(error).toBeUndefined(),
  });
  const lastMail = async () => {
    const mail = (await readInstallationMail(server.database, { to: 'owner@sandbox.test' })).at(-1);
    return { subject: mail?.subject ?? '', text: mail?.text ?? '', html: mail?.html ?? '' };
  };

  it('has one link, to this server, above the quoted text of the sender with its links broken up', async () => {
    const { key } = await holdingKey(server, { name: 'See evil.example/key' });
    const from = '"https://evil.example" <ada@sandbox.test>';
    const to = 'evil.example/path@receiver.example';
    expect((await server.send({ from, to, subject: HOSTILE }, { key })).body.status).toBe('pending_approval');
    await notifyApprovers(mailer());
    const { subject, text, html } = await lastMail();
    expect(text.match(/\S+:\/\/\S+/g)).toEqual([expect.stringMatching(`^${server.baseUrl}/approvals/[\\w-]+$`)]);
    expect(`${subject}\n${text}\n${html}`).not.toMatch(/evil\.example|receiver\.example|\w@\w|mailto:/);
    expect(parsedLinks(html).map(({ value }) => value)).toEqual(text.match(/http:\S+/g));
    const [above, below] = text.split('The text below comes from the sender:\n');
    expect(above).toContain(`${server.baseUrl}/approvals/`);
    expect(below).toMatch(/^> Subject: Invoice: decide at https\[:\]\[\/\/\]evil\[\.\]example\/approvals\/x or /);
  });

  it('links to each of several holds, names at most three recipients of each, and stays below 102 KB', {
    tags: ['installation-mail.parts'],
  }, async () => {
    const { key } = await holdingKey(server, { name: 'Several' });
    const recipients = (kind: string) =>
      Array.from({ length: 10 }, (_, n) => `${kind} ${n} <${kind}${n}@receiver.example>`);
    const lists = { to: recipients('to'), cc: recipients('cc'), bcc: recipients('bcc') };
    for (let sent = 0; sent < 25; sent += 1) {
      const { body } = await server.send({ ...lists, text: 'Words. '.repeat(500), agent_name: 'bot' }, { key });
      expect(body.status).toBe('pending_approval');
    }
    await notifyApprovers(mailer());
    const { subject, text, html } = await lastMail();
    expect(subject).toBe('Waiting for your approval: 25 emails');
    const links = parsedLinks(html).map(({ value }) => value);
    // A link for each of 20, and the button that leads to all of them.
    expect(new Set(links).size).toBe(21);
    expect(text.match(/http\S+/g)).toEqual(links);
    for (const part of [text, html]) {
      expect(part.match(/and 7 more, on the page/g)).toHaveLength(60);
      expect(part).toContain('And 5 more');
    }
    expect(Buffer.byteLength(html)).toBeLessThan(102_000);
  });

  it('does not include a link from the author of a template draft', async () => {
    const { key } = await holdingKey(server);
    const body = { name: HOSTILE.slice(0, 60), subject: 'Hi', text: 'x', note: HOSTILE.slice(0, 90) };
    expect((await server.call('POST', '/templates', { key, body })).status).toBe(201);
    await notifyOfDrafts(mailer());
    const { subject, text, html } = await lastMail();
    expect(text).toContain('> Note: ');
    expect(parsedLinks(html).map(({ value }) => value)).toEqual([`${server.baseUrl}/console/approvals`]);
    expect(`${subject}\n${text}\n${html}`).not.toMatch(/evil\.example/);
  });

  it('keeps text from a sender on one line, in one direction', () => {
    expect(breakLinks('a\r\nb\u2028c\u202ed')).toBe('a b c d');
    expect(breakLinks('a\u061cb\u00adc\u{e0041}d\u3164e')).toBe('a b c d e');
    expect(breakLinks('evil。example evil．example \\\\evil')).toBe('evil[。]example evil[．]example [\\\\]evil');
    expect(breakLinks('Your order 1234. Thanks: Ada')).toBe('Your order 1234. Thanks: Ada');
  });
});
