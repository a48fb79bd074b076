import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { lastResponse, openRaw, type RawConnection } from '../harness/raw-connection.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

const HEAD = 'GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n';
const cleanUp = useCleanUps();

async function open(server: TestApp, bytes: string): Promise<RawConnection> {
  const connection = await openRaw(server.baseUrl);
  cleanUp(() => connection.socket.destroy());
  connection.write(bytes);
  return connection;
}

/** Responds to one more connection, or the empty text where the server closes it. */
const tryOne = async (server: TestApp) => {
  const connection = await open(server, `${HEAD}Connection: close\r\n\r\n`);
  return (await connection.closed()).slice(0, 12);
};

describe('open connections', () => {
  let server: TestApp;
  const lines: string[] = [];
  beforeAll(async () => {
    const settings = { POSTRIDER_ROLES: 'api', POSTRIDER_CONNECTIONS: '8', POSTRIDER_CONNECTIONS_PER_ADDRESS: '5' };
    server = await startTestApp({ settings, log: { write: (line) => lines.push(line) } });
  });
  afterAll(() => server.close());

  it('of one address are limited, and the log says so once', async () => {
    const held = await Promise.all(Array.from({ length: 5 }, () => open(server, HEAD)));
    await expect.poll(() => tryOne(server)).toBe('');
    expect(await tryOne(server)).toBe('');
    expect(lines.filter((line) => line.includes('refusing connections'))).toHaveLength(1);
    held[0]?.socket.destroy();
    await expect.poll(() => tryOne(server)).toBe('HTTP/1.1 200');
  });
});

describe('open connections behind a trusted proxy', () => {
  let server: TestApp;
  /** The server's ends of all connections. */
  const ends: Socket[] = [];
  beforeAll(async () => {
    const settings = {
      POSTRIDER_ROLES: 'api',
      POSTRIDER_CONNECTIONS: '8',
      POSTRIDER_CONNECTIONS_PER_ADDRESS: '2',
      POSTRIDER_TRUSTED_PROXIES: '127.0.0.1',
    };
    server = await startTestApp({ settings });
    server.app.http?.server.on('connection', (socket) => ends.push(socket));
  });
  afterAll(() => server.close());

  const openIdle = async () => {
    const connection = await open(server, `${HEAD}\r\n`);
    await connection.until('HTTP/1.1 200');
    return connection;
  };

  /** A connection is refused as long as each of the others has waited for less than a second. */
  const openWithPatience = async (): Promise<RawConnection> => await openIdle().catch(openWithPatience);

  it('are limited in total, and the one idle for the longest time is closed for a new one', async () => {
    const [first, ...others] = [await openIdle(), await openIdle(), await openIdle(), await openIdle()];
    const busy = await Promise.all(Array.from({ length: 4 }, () => open(server, HEAD)));
    await expect.poll(() => ends.length === 8 && ends.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    await expect.poll(() => tryOne(server), { timeout: 10_000 }).toBe('HTTP/1.1 200');
    await first?.closed();
    expect([...others, ...busy].map(({ socket }) => socket.destroyed)).toEqual(Array(7).fill(false));
    for (const connection of busy) connection.write('\r\n');
    for (const connection of busy) await connection.until('HTTP/1.1 200');
    for (const { socket } of [...others, ...busy]) socket.destroy();
    await expect.poll(() => ends.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('are closed for a new one if they send nothing, or send their first bytes slowly', async () => {
    const silent = await Promise.all(['', '', '', 'GET', 'G', HEAD, HEAD, HEAD].map((bytes) => open(server, bytes)));
    await expect.poll(() => tryOne(server), { timeout: 10_000 }).toBe('HTTP/1.1 200');
    const served = [];
    for (let count = 0; count < 8; count += 1) served.push(await openWithPatience());
    expect(served.map(({ socket }) => socket.destroyed)).toEqual(Array(8).fill(false));
    await Promise.all(silent.map((connection) => connection.closed()));
    for (const { socket } of served) socket.destroy();
    await expect.poll(() => ends.every(({ destroyed }) => destroyed)).toBe(true);
  });

  it('are not closed while they have a request, no matter how long its response takes', async () => {
    const key = `Authorization: Bearer ${server.key}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
    const body = JSON.stringify({ ...DEFAULT_SEND, scheduled_at: 'PT1H' });
    const sent = await open(
      server,
      `POST /emails HTTP/1.1\r\nHost: a\r\n${key}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
    const { body: message } = lastResponse(await sent.closed());
    const wait = `GET /emails/${message['id']}?wait=20 HTTP/1.1\r\nHost: a\r\n${key}\r\n`;
    const waiting = await Promise.all(Array.from({ length: 7 }, () => open(server, wait)));
    const idle = await openIdle();
    await expect.poll(() => ends.filter(({ destroyed }) => !destroyed).length).toBe(8);
    await expect.poll(() => tryOne(server), { timeout: 10_000 }).toBe('HTTP/1.1 200');
    await idle.closed();
    expect(waiting.map(({ socket }) => socket.destroyed)).toEqual(Array(7).fill(false));
    for (const { socket } of waiting) socket.destroy();
  });
});
