import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { openLoggedIn, type SmtpSession } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';

let server: SubmissionApp;
beforeAll(async () => {
  server = await startSubmissionApp();
});
afterAll(() => server.close());
const cleanUp = useCleanUps();

async function open(): Promise<SmtpSession> {
  const session = await openLoggedIn(server.smtp.tlsPort, server.key);
  cleanUp(() => session.close());
  return session;
}

const ENVELOPE = 'MAIL FROM:<ada@sandbox.test>\r\nRCPT TO:<delivered@sandbox.test>\r\nDATA\r\n';
const MESSAGE = 'From: ada@sandbox.test\r\nTo: delivered@sandbox.test\r\nSubject: Hello\r\n\r\nHi\r\n.\r\n';

const repliesTo = async (session: SmtpSession, count: number) => {
  const replies: (string | undefined)[] = [];
  while (replies.length < count) replies.push((await session.reply())?.slice(0, 3));
  return replies;
};

describe('commands sent together', () => {
  it('get their replies together, in one record', async () => {
    const session = await open();
    const first = once(session.socket, 'data');
    session.write(ENVELOPE);
    const [data] = (await first) as [Buffer];
    expect(data.toString().match(/^\d{3} /gm)).toEqual(['250 ', '250 ', '354 ']);
  });

  it('may include the next message, even if one of its recipients is rejected', async () => {
    const session = await open();
    session.write(ENVELOPE);
    expect(await repliesTo(session, 3)).toEqual(['250', '250', '354']);
    session.write(`${MESSAGE}${ENVELOPE.replace('RCPT', 'RCPT TO:<"quoted"@sandbox.test>\r\nRCPT')}`);
    expect(await repliesTo(session, 5)).toEqual(['250', '250', '553', '250', '354']);
    session.write(MESSAGE);
    expect(await repliesTo(session, 1)).toEqual(['250']);
  });

  it('get every reply, even if there are many and the client reads late', async () => {
    const session = await open();
    session.socket.pause();
    session.write('NOOP\r\n'.repeat(20_000));
    session.socket.resume();
    expect(new Set(await repliesTo(session, 20_000))).toEqual(new Set(['250']));
    expect(await session.say('NOOP')).toMatch(/^250 /);
  });

  it('get the replies that precede the end of the connection', async () => {
    const session = await open();
    session.write('NOOP\r\nQUIT\r\nNOOP\r\n');
    expect(await repliesTo(session, 2)).toEqual(['250', '221']);
    expect(await session.reply()).toBeNull();
  });

  it('do not delay the reply to DATA after its message has begun', async () => {
    const session = await open();
    session.write(`${ENVELOPE}${'x'.repeat(50_000)}`);
    expect(await repliesTo(session, 3)).toEqual(['250', '250', '354']);
  });
});
