import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { SMTPServer } from 'smtp-server';
import { within } from '../within.ts';
import { type Connection, cutOff } from './connection.ts';

/** The state of a connection that is needed to end it cleanly. */
export interface DrainedSession {
  readonly connection: Connection;
  /** The message that is being received or processed, settled when the reply is sent; null between messages. */
  readonly message: Promise<unknown> | null;
  /** Aborted when no one waits for the reply any more. */
  readonly gone: AbortController;
}

const SHUTTING_DOWN = [421, '4.3.2 Shutting down, try again in a moment'] as const;
const DRAIN_MS = 5_000;
/** For a socket whose client does not react to its end. */
const CLOSE_MS = 500;

/** Returns the port. Rejects with the listener's error. */
export async function listenOn(server: SMTPServer, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server.server, 'listening');
  return (server.server.address() as AddressInfo).port; // A listening TCP server always has this kind of address.
}

/** Stops accepting connections and messages, lets running ones finish, and closes every connection with 421. */
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

/** Connections without a message are closed at once, the others as soon as theirs is replied to. */
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
