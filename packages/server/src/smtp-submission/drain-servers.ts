import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { within } from '../within.ts';
import { type Connection, cutOff } from './connection.ts';

/** What has to be known of a connection to end it well. */
export interface DrainedSession {
  readonly connection: Connection;
  /** The message that is being received or worked on, settled when it is answered; null between messages. */
  readonly message: Promise<unknown> | null;
  /** Aborted when nobody waits for its answer any more. */
  readonly gone: AbortController;
}

const SHUTTING_DOWN = [421, '4.3.2 Shutting down, try again in a moment'] as const;
const DRAIN_MS = 5_000;
/** For a socket whose client does not take notice of its end. */
const CLOSE_MS = 500;

/** Answers the port. Rejects with the listener's error. */
export async function listenOn(server: SMTPServer, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server.server, 'listening');
  return (server.server.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}

/** Takes no new connections and messages, lets those under way finish, and closes every connection with 421. */
export async function drainServers(
  servers: readonly SMTPServer[],
  sessions: { all(): Iterable<DrainedSession> },
): Promise<void> {
  const closed = Promise.all(servers.map((server) => closeServer(server)));
  await within(DRAIN_MS, finishMessages(sessions));
  for (const { connection, gone } of [...sessions.all()]) {
    gone.abort();
    cutOff(connection, ...SHUTTING_DOWN);
  }
  await within(CLOSE_MS, closed);
  for (const server of servers) for (const { _socket } of server.connections) _socket.destroy();
}

/** Connections without a message are closed at once, the others as soon as theirs is answered. */
async function finishMessages(sessions: { all(): Iterable<DrainedSession> }): Promise<void> {
  for (;;) {
    const messages = [...sessions.all()].flatMap(({ message }) => message ?? []);
    for (const { message, connection } of sessions.all()) if (message === null) cutOff(connection, ...SHUTTING_DOWN);
    if (messages.length === 0) return;
    await Promise.race(messages);
  }
}

function closeServer(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => {
    if (!server.server.listening) resolve();
    else server.close(() => resolve());
  });
}
