import { once } from 'node:events';
import { connect, type TLSSocket } from 'node:tls';
import { sampleEmail } from '../parts/sample-email.ts';

export interface SmtpLoad {
  readonly port: number;
  readonly key: string;
  readonly sessions: number;
  readonly count: number;
  /** Makes the recipients and bodies of this run unique. */
  readonly seed: number;
}

/** Sends `count` different messages over open sessions, one message at a time on each. Returns the seconds it took. */
export async function runSmtpLoad(load: SmtpLoad): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: load.sessions }, () => openSession(load)));
  const messages = Array.from({ length: load.count }, (_, index) => toMessage(load.seed, index));
  let next = 0;
  const began = performance.now();
  await Promise.all(
    sockets.map(async (session) => {
      for (let message = messages[next++]; message !== undefined; message = messages[next++]) {
        // RFC 2920: the three commands are sent together, and the content after the reply to DATA.
        session.socket.write(`MAIL FROM:<orders@sandbox.test>\r\nRCPT TO:<${message.to}>\r\nDATA\r\n`);
        for (const code of ['250', '250', '354']) await expectReply(session, code);
        session.socket.write(message.text);
        await expectReply(session, '250');
      }
    }),
  );
  const seconds = (performance.now() - began) / 1_000;
  for (const { socket } of sockets) socket.destroy();
  return seconds;
}

interface Session {
  readonly socket: TLSSocket;
  reply(): Promise<string>;
}

async function expectReply(session: Session, code: string): Promise<void> {
  const reply = await session.reply();
  if (!reply.startsWith(code)) throw new Error(`expected ${code}, got ${reply}`);
}

async function openSession({ port, key }: SmtpLoad): Promise<Session> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const session = readReplies(socket);
  await expectReply(session, '220');
  socket.write('EHLO bench.test\r\n');
  await expectReply(session, '250');
  socket.write(`AUTH PLAIN ${Buffer.from(`\0postrider\0${key}`).toString('base64')}\r\n`);
  await expectReply(session, '235');
  return session;
}

function readReplies(socket: TLSSocket): Session {
  const replies: string[] = [];
  let unread = '';
  let wake: (reply: string) => void = () => undefined;
  let isWaited = false;
  socket.setNoDelay(true).setEncoding('latin1');
  socket.on('data', (text: string) => {
    unread += text;
    const lines = unread.split('\r\n');
    unread = lines.pop() ?? '';
    for (const line of lines) {
      if (line[3] === '-') continue;
      if (isWaited) {
        isWaited = false;
        wake(line);
      } else replies.push(line);
    }
  });
  return {
    socket,
    reply: () => {
      const reply = replies.shift();
      if (reply !== undefined) return Promise.resolve(reply);
      isWaited = true;
      return new Promise((resolve) => {
        wake = resolve;
      });
    },
  };
}

function toMessage(seed: number, index: number): { readonly to: string; readonly text: string } {
  const { from, to, subject, html, text } = sampleEmail(seed, index);
  const lines = (body: string) => body.replaceAll('\n', '\r\n');
  return {
    to,
    text: [
      ...[`From: ${from}`, `To: ${to}`, `Subject: ${subject}`, 'MIME-Version: 1.0'],
      ...['X-Tag: order, confirmation', 'Content-Type: multipart/alternative; boundary=part', ''],
      ...['--part', 'Content-Type: text/plain; charset=utf-8', '', lines(text)],
      ...['--part', 'Content-Type: text/html; charset=utf-8', '', lines(html), '--part--', '.', ''],
    ].join('\r\n'),
  };
}
