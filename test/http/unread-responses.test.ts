import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openLogPool } from '../../packages/server/src/db/database-pools.ts';
import { createHttpApp, PATIENCE, type Patience } from '../../packages/server/src/http/create-http-app.ts';
import { createRequestLog } from '../../packages/server/src/http/request-log.ts';
import type { RequestState } from '../../packages/server/src/http/request-state.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';

const MEGABYTE = 1024 * 1024;
/** More than the operating system keeps of a connection that no one reads. */
const LARGE = 16 * MEGABYTE;
/** A process of so many enforces the least limit: 40 MiB, of one address as in total. */
const PROCESSES = 100;
const QUICK: Patience = { ...PATIENCE, stalledMs: 300, lookEveryMs: 50 };
const PATIENT: Patience = { ...PATIENCE, lookEveryMs: 50 };

const cleanUp = useCleanUps();

async function listen(patience: Patience) {
  // Nothing is logged here, since no one shows a key: the pool never connects.
  const logSql = openLogPool({ kind: 'url', url: 'postgres://nobody@127.0.0.1:1/none' });
  const requestLog = createRequestLog(logSql, systemClock, createIdGenerator(), () => undefined);
  const warnings: string[] = [];
  const app = createHttpApp({
    baseUrl: 'http://mail.example',
    trustedProxies: ['127.0.0.1'],
    logger: pino({ level: 'warn' }, { write: (line: string) => warnings.push(line) }),
    requestLog,
    identify: () => Promise.resolve(null),
    processes: PROCESSES,
    patience,
  });
  /** The ports of the clients that the server is connected to: a client that reads nothing does not notice a reset. */
  const open = new Set<number | undefined>();
  app.server.on('connection', (socket: Socket) => {
    const { remotePort } = socket;
    open.add(remotePort);
    socket.once('close', () => open.delete(remotePort));
  });
  app.get('/small', () => 'x');
  app.get('/end', () => 'the end');
  app.get('/large', () => 'x'.repeat(LARGE));
  app.get('/huge', () => Buffer.alloc(64 * MEGABYTE));
  app.get('/stream', (_request, reply) => {
    const pieces = async function* () {
      for (let n = 0; n < 100; n += 1) yield 'x'.repeat(MEGABYTE);
    };
    return reply.send(Readable.from(pieces(), { highWaterMark: 1 }));
  });
  app.get('/held', (request, reply) => {
    const state: RequestState = request.state;
    state.heldBytes = 30 * MEGABYTE;
    const pieces = async function* () {
      for (let n = 0; n < 100; n += 1) yield 'x'.repeat(MEGABYTE);
    };
    return reply.send(Readable.from(pieces(), { highWaterMark: 1 }));
  });
  app.get('/slow', async () => {
    await sleep(4 * QUICK.stalledMs);
    return 'finally';
  });
  app.get('/events', (_request, reply) => {
    const events = async function* () {
      yield 'first\n';
      await sleep(4 * QUICK.stalledMs);
      yield 'second\n';
    };
    return reply.send(Readable.from(events()));
  });
  cleanUp(async () => {
    const closing = app.close();
    app.server.closeAllConnections();
    await closing;
    await requestLog.close();
    await logSql.end();
  });
  const { port } = new URL(await app.listen({ host: '127.0.0.1', port: 0 }));
  return { port: Number(port), isOpen: (client: Socket) => open.has(client.localPort), warnings };
}

/** A client that requests these paths at once, and reads nothing until it is resumed. */
async function request(port: number, paths: readonly string[], client = '198.51.100.1') {
  const socket = connect({ port, host: '127.0.0.1' });
  cleanUp(() => void socket.destroy());
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  socket.pause();
  const heads = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: ${client}\r\n\r\n`);
  socket.write(heads.join(''));
  return socket;
}

/** Everything that can be read until the connection closes or the text was received. */
async function readAll(socket: Socket, until: string): Promise<{ readonly bytes: number; readonly isWhole: boolean }> {
  let bytes = 0;
  let last = '';
  socket.resume();
  const closed = once(socket, 'close').then(() => 'closed');
  const whole = new Promise<string>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      last = (last + chunk.toString('latin1')).slice(-200_000);
      if (last.includes(until)) resolve('whole');
    });
  });
  return { isWhole: (await Promise.race([closed, whole])) === 'whole', bytes };
}

describe('a client that reads nothing', () => {
  it.each(['/large', '/huge', '/stream'])('is disconnected after a while: %s', async (path) => {
    const { port, isOpen } = await listen(QUICK);
    const client = await request(port, [path]);
    await sleep(QUICK.stalledMs / 2);
    expect(isOpen(client)).toBe(true);
    await expect.poll(() => isOpen(client), { timeout: 3_000 }).toBe(false);
  });

  it('is disconnected although it keeps sending', async () => {
    const { port, isOpen } = await listen(QUICK);
    const client = await request(port, ['/large']);
    const timer = setInterval(() => client.write('GET /small HTTP/1.1\r\nHost: a\r\n\r\n'), 50);
    cleanUp(() => clearInterval(timer));
    await expect.poll(() => isOpen(client), { timeout: 3_000 }).toBe(false);
  });

  it('has a minute', () => {
    expect(PATIENCE.stalledMs).toBe(60_000);
  });
});

describe('a client that reads', () => {
  it('slowly receives a large response completely', async () => {
    const { port } = await listen({ ...QUICK, stalledMs: 500 });
    const client = await request(port, ['/huge']);
    const beganMs = performance.now();
    let bytes = 0;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      client.pause();
      // Two seconds for 64 MB, in steps that the operating system lets through.
      const dueMs = (bytes / (64 * MEGABYTE)) * 2_000 - (performance.now() - beganMs);
      setTimeout(() => client.resume(), Math.max(0, dueMs));
    });
    client.resume();
    await expect.poll(() => bytes, { timeout: 10_000 }).toBeGreaterThan(64 * MEGABYTE);
    expect(performance.now() - beganMs).toBeGreaterThan(1_500);
  });

  it.each([
    ['a response that takes long', '/slow', 'finally'],
    ['an event stream', '/events', 'second'],
  ])('can wait for the server: %s', async (_name, path, last) => {
    const { port } = await listen(QUICK);
    const client = await request(port, [path]);
    expect((await readAll(client, last)).isWhole).toBe(true);
  });

  it('can wait for a response that other responses of its connection wait for', async () => {
    // Shorter than the slow response takes, and longer than a busy machine keeps the client from reading.
    const { port } = await listen({ ...QUICK, stalledMs: 3 * QUICK.stalledMs });
    const client = await request(port, ['/slow', '/large', '/end']);
    expect(await readAll(client, 'the end')).toEqual({ isWhole: true, bytes: expect.toSatisfy((n) => n > LARGE) });
  });
});

describe('unread responses beyond the limit', () => {
  it('of one address: the connections that have read nothing for the longest time are closed', async () => {
    const { port, isOpen, warnings } = await listen(PATIENT);
    const clients: Socket[] = [];
    for (let n = 0; n < 6; n += 1) {
      clients.push(await request(port, ['/large']));
      await sleep(100);
    }
    await expect.poll(() => clients.map(isOpen)).toEqual([false, false, false, false, true, true]);
    expect(warnings.filter((line) => line.includes('closing connections'))).toHaveLength(1);
  });

  it('in total: other addresses are concerned as well', async () => {
    const { port, isOpen } = await listen(PATIENT);
    const clients: Socket[] = [];
    for (let n = 0; n < 4; n += 1) {
      clients.push(await request(port, ['/large'], `198.51.100.${n}`));
      await sleep(100);
    }
    await expect.poll(() => clients.map(isOpen)).toEqual([false, false, true, true]);
  });

  it('never close a connection for its only response', async () => {
    const { port } = await listen(PATIENT);
    const client = await request(port, ['/huge']);
    await sleep(200);
    client.resume();
    let bytes = 0;
    client.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    await expect.poll(() => bytes, { timeout: 5_000 }).toBeGreaterThan(64 * MEGABYTE);
  });

  it('are not multiplied by pipelining', async () => {
    const { port, isOpen } = await listen(PATIENT);
    const client = await request(port, ['/slow', ...Array.from({ length: 4 }, () => '/large')]);
    await expect.poll(() => isOpen(client)).toBe(false);
  });

  it('include what a stream keeps in memory', async () => {
    const { port, isOpen } = await listen(PATIENT);
    const first = await request(port, ['/held']);
    await sleep(100);
    const second = await request(port, ['/large']);
    await expect.poll(() => [first, second].map(isOpen)).toEqual([false, true]);
  });

  it('do not include responses that were read', async () => {
    const { port, isOpen } = await listen(PATIENT);
    const waiting = await request(port, ['/large']);
    for (let n = 0; n < 6; n += 1) {
      const client = await request(port, ['/large']);
      let bytes = 0;
      client.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      client.resume();
      await expect.poll(() => bytes, { timeout: 5_000 }).toBeGreaterThan(LARGE);
    }
    expect(isOpen(waiting)).toBe(true);
  });
});
