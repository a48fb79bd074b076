import type { Socket } from 'node:net';
import type { SMTPServer, SMTPServerSession } from 'smtp-server';

/** A connection of the SMTP library, which passes only the session to its handlers. */
export type Connection = SMTPServer['connections'] extends Set<infer Each> ? Each : never;

export function findConnection(server: SMTPServer, session: SMTPServerSession): Connection | null {
  for (const connection of server.connections) if (connection.session === session) return connection;
  return null;
}

const ENHANCED_STATUS = /^[245]\.\d{1,3}\.\d{1,3} /;

/**
 * Fixes two things in the library's replies. A text with an enhanced status code keeps it: the library would prepend its
 * own code. And AUTH is not offered before TLS: a client that used it would send its key in plaintext.
 */
export function repairReplies(connection: Connection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    if (Array.isArray(data)) {
      send(code, connection.secure ? data : data.filter((line) => !line.startsWith('AUTH ')), context);
    } else {
      send(code, data, typeof data === 'string' && ENHANCED_STATUS.test(data) ? false : context);
    }
  };
}

/**
 * Writes the replies to commands that the client sent together (RFC 2920) in one write: under TLS, each write is encrypted and sent
 * separately, which costs more than most commands. A reply waits only if another one follows, and only while the client keeps reading.
 */
export function joinReplies(connection: Connection): void {
  const send = connection.send.bind(connection);
  let corked: Socket | null = null;
  let mayWait = false;
  const flush = () => {
    const hasCommands = connection._parser !== false && connection._parser.writableLength > 0;
    if (mayWait && hasCommands && corked?.writableNeedDrain === false) return;
    corked?.uncork();
    corked = null;
  };
  connection.send = (code, data, context) => {
    // The reply to STARTTLS must be written before the handshake.
    if (!connection.secure) return send(code, data, context);
    if (corked === null) {
      corked = connection._socket;
      corked.cork();
    }
    send(code, data, context);
    // After any other reply the client must act, or the connection ends.
    mayWait = code === 250;
    process.nextTick(flush);
  };
}

/** Sets the idle timeout of the client. At the timeout the library sends 421 and closes. */
export function setPatience(connection: Connection, limitMs: number): void {
  connection._socket.setTimeout(limitMs);
}

/** Sends the reason and closes, whatever the client is doing. */
export function cutOff(connection: Connection, code: number, text: string): void {
  connection.send(code, text);
  connection.close();
}
