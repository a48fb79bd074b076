import type { SmtpConnectionOptions } from '../../packages/server/src/smtp-client/smtp-connection.ts';
import type { OutgoingMessage } from '../../packages/server/src/smtp-client/transport.ts';

/** Options for a client of a loopback server. The time limits are long except where a test waits for them. */
export function clientOptions(port: number, changes: Partial<SmtpConnectionOptions> = {}): SmtpConnectionOptions {
  return {
    host: '127.0.0.1',
    port,
    heloName: 'client.test',
    tls: { mode: 'none', verify: false },
    credentials: null,
    credentialsAnywhere: true,
    timeouts: { connectMs: 5_000, commandMs: 5_000, afterDotMs: 5_000, idleMs: 60_000 },
    ...changes,
  };
}

/** A short outgoing message with overrides. */
export function makeOutgoingMessage(changes: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return {
    accountId: 'account',
    messageId: 'message',
    deliveryId: 'delivery',
    attempt: 1,
    mailFrom: 'bounces@sender.test',
    recipients: ['ann@receiver.test'],
    data: Buffer.from('Subject: Hello\r\n\r\nHello Ann.\r\n'),
    ...changes,
  };
}
