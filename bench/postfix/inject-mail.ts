import { connect } from 'node:net';

const LINE_END = '\r\n';

export interface InjectedMail {
  readonly from: string;
  readonly to: string;
  /** The whole message, with CRLF line endings. */
  readonly data: string;
}

/** Sends mail to an SMTP server over this many connections, at minimal cost. Resolves when all of it was accepted. */
export async function injectMail(port: number, mails: readonly InjectedMail[], connections: number): Promise<void> {
  const waiting = [...mails].reverse();
  await Promise.all(Array.from({ length: connections }, () => runSession(port, () => waiting.pop())));
}

/** One connection, its commands pipelined up to DATA (RFC 2920). */
function runSession(port: number, next: () => InjectedMail | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let mail: InjectedMail | undefined;
    let pending = '';
    const begin = () => {
      mail = next();
      if (mail === undefined) return void socket.end(`QUIT${LINE_END}`);
      socket.write([`MAIL FROM:<${mail.from}>`, `RCPT TO:<${mail.to}>`, 'DATA', ''].join(LINE_END));
    };
    const onReply = (line: string) => {
      const code = line.slice(0, 3);
      if (code >= '400') return void socket.destroy(new Error(line));
      if (code === '220') socket.write(`EHLO bench.test${LINE_END}`);
      else if (code === '354') socket.write(`${mail?.data ?? ''}${LINE_END}.${LINE_END}`);
      // The reply to EHLO, or to the end of a message: replies to MAIL and RCPT have 2.1.0 and 2.1.5.
      else if (code === '250' && !line.startsWith('250 2.1.')) begin();
    };
    socket.on('data', (chunk) => {
      const lines = (pending + chunk.toString('latin1')).split(LINE_END);
      pending = lines.pop() ?? '';
      for (const line of lines) if (line[3] !== '-') onReply(line);
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}
