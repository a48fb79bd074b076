import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { openLoggedIn } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';

let server: SubmissionApp;
beforeAll(async () => {
  server = await startSubmissionApp();
});
afterAll(() => server.close());
const cleanUp = useCleanUps();

type Change = (id: string) => Promise<{ readonly status: number; readonly body: unknown }>;

/** The reply to a message whose last line is sent after the key, or its account, has changed. */
async function slowly(change: Change): Promise<string | null> {
  const scopes = ['emails:send', 'emails:read'];
  const { body: key } = await server.call('POST', '/keys', { body: { name: 'On trial', scopes } });
  const session = await openLoggedIn(server.smtp.tlsPort, key.key);
  cleanUp(() => session.close());
  await session.say('MAIL FROM:<ada@sandbox.test>');
  await session.say('RCPT TO:<delivered@sandbox.test>');
  await session.say('DATA');
  session.write('From: ada@sandbox.test\r\nTo: delivered@sandbox.test\r\nSubject: Hello\r\n\r\nHi');
  const changed = await change(key.id);
  if (changed.status >= 300) throw new Error(JSON.stringify(changed.body));
  session.write('\r\n.\r\n');
  return await session.reply();
}

describe('a message that arrives over SMTP after its key was checked', () => {
  const update = (body: Readonly<Record<string, unknown>>): Change => {
    return (id) => server.call('PATCH', `/keys/${id}`, { body });
  };

  it.each<readonly [string, Change, RegExp]>([
    ['revoked', (id) => server.call('DELETE', `/keys/${id}`), /^530 5\.7\.0 key_revoked: /],
    ['paused', (id) => server.call('POST', `/keys/${id}/pause`), /sending_paused: /],
    ['restricted to reading', update({ scopes: ['emails:read'] }), /missing_scope: /],
    ['restricted to others', update({ recipientAllowlist: ['b@example.com'] }), /recipient_not_allowed: /],
    ['held', update({ approvalMode: 'always' }), /^250 2\.0\.0 held for approval as /],
  ])(
    'is judged by the key as it is at the end of DATA: %s',
    { tags: ['holes.late-body'] },
    async (_how, change, reply) => {
      expect(await slowly(change)).toMatch(reply);
    },
  );

  it('is rejected when the account was paused meanwhile', { tags: ['holes.late-body'] }, async () => {
    try {
      expect(await slowly(() => server.call('POST', '/account/pause'))).toMatch(/sending_paused: /);
    } finally {
      await server.call('POST', '/account/resume');
    }
  });
});
