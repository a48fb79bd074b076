import type { Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { openRaw, type RawConnection } from '../harness/raw-connection.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

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

  it('are limited in total, and idle ones are closed for new ones', async () => {
    const idle = await Promise.all(Array.from({ length: 4 }, () => open(server, `${HEAD}\r\n`)));
    for (const connection of idle) await connection.until('HTTP/1.1 200');
    const busy = await Promise.all(Array.from({ length: 4 }, () => open(server, HEAD)));
    await expect.poll(() => ends.length === 8 && ends.every(({ bytesRead }) => bytesRead > 0)).toBe(true);
    // The first that is refused has the idle connections closed.
    await expect.poll(() => tryOne(server)).toBe('HTTP/1.1 200');
    await Promise.all(idle.map((connection) => connection.closed()));
    expect(busy.every(({ socket }) => !socket.destroyed)).toBe(true);
    for (const connection of busy) connection.write('\r\n');
    for (const connection of busy) await connection.until('HTTP/1.1 200');
  });
});
