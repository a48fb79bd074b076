import type { SMTPServer, SMTPServerSession } from 'smtp-server';

/** A connection of the SMTP library, which hands its handlers the session alone. */
export type Connection = SMTPServer['connections'] extends Set<infer Each> ? Each : never;

export function findConnection(server: SMTPServer, session: SMTPServerSession): Connection | null {
  for (const connection of server.connections) if (connection.session === session) return connection;
  return null;
}

const ENHANCED_STATUS = /^[245]\.\d{1,3}\.\d{1,3} /;

/**
 * Mends two things in what the library replies. A text that brings its own enhanced status code keeps it: the library would put the one it
 * has for the reply's code in front. And AUTH is not offered before TLS: a client that does as it is offered would send its key in clear.
 */
export function mendReplies(connection: Connection): void {
  const send = connection.send.bind(connection);
  connection.send = (code, data, context) => {
    if (Array.isArray(data)) {
      send(code, connection.secure ? data : data.filter((line) => !line.startsWith('AUTH ')), context);
    } else {
      send(code, data, typeof data === 'string' && ENHANCED_STATUS.test(data) ? false : context);
    }
  };
}

/** Lets the client be silent for so long from now on; the library then says 421 and closes. */
export function setPatience(connection: Connection, limitMs: number): void {
  connection._socket.setTimeout(limitMs);
}

/** Says why and closes, whatever the client is doing. */
export function cutOff(connection: Connection, code: number, text: string): void {
  connection.send(code, text);
  connection.close();
}
