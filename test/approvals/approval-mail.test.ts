import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { notifyOfDrafts } from '../../packages/server/src/approvals/notify-of-drafts.ts';
import { breakLinks } from '../../packages/server/src/approvals/sender-text.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
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
    return { subject: mail?.subject ?? '', text: mail?.text ?? '' };
  };

  it('has one link, to this server, above the quoted text of the sender with its links broken up', async () => {
    const { key } = await holdingKey(server, { name: 'See evil.example/key' });
    const from = '"https://evil.example" <ada@sandbox.test>';
    const to = 'evil.example/path@receiver.example';
    expect((await server.send({ from, to, subject: HOSTILE }, { key })).body.status).toBe('pending_approval');
    await notifyApprovers(mailer());
    const { subject, text } = await lastMail();
    expect(text.match(/\S+:\/\/\S+/g)).toEqual([expect.stringMatching(`^${server.baseUrl}/approvals/[\\w-]+$`)]);
    expect(`${subject}\n${text}`).not.toMatch(/evil\.example|receiver\.example|\w@\w|mailto:/);
    const [above, below] = text.split('The text below comes from the sender:\n');
    expect(above).toContain(`${server.baseUrl}/approvals/`);
    expect(below).toMatch(/^> Subject: Invoice: decide at https\[:\]\[\/\/\]evil\[\.\]example\/approvals\/x or /);
  });

  it('does not include a link from the author of a template draft', async () => {
    const { key } = await holdingKey(server);
    const body = { name: HOSTILE.slice(0, 60), subject: 'Hi', text: 'x', note: HOSTILE.slice(0, 90) };
    expect((await server.call('POST', '/templates', { key, body })).status).toBe(201);
    await notifyOfDrafts(mailer());
    const { subject, text } = await lastMail();
    expect(text).toContain('> Note: ');
    expect(`${subject}\n${text}`).not.toMatch(/evil\.example/);
  });

  it('keeps text from a sender on one line, in one direction', () => {
    expect(breakLinks('a\r\nb\u2028c\u202ed')).toBe('a b c d');
    expect(breakLinks('evil。example evil．example \\\\evil')).toBe('evil[。]example evil[．]example [\\\\]evil');
    expect(breakLinks('Your order 1234. Thanks: Ada')).toBe('Your order 1234. Thanks: Ada');
  });
});
