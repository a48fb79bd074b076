import { connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openLogPool } from '../../packages/server/src/db/database-pools.ts';
import { createHttpApp, PATIENCE } from '../../packages/server/src/http/create-http-app.ts';
import { createRequestLog } from '../../packages/server/src/http/request-log.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startTestApp } from '../harness/test-app.ts';

const IS_LONG = process.env['FAULTS'] === 'long';
/** Only `pnpm test:faults` waits as long as servers do. */
const PATIENCE_HERE = IS_LONG ? PATIENCE : { ...PATIENCE, requestMs: 400, lookEveryMs: 100 };
const MOST_MS = PATIENCE_HERE.requestMs + PATIENCE_HERE.lookEveryMs;
const HELD = 1_000;

const HEAD = 'POST /held HTTP/1.1\r\nHost: mail.example\r\n';
const WHOLE_HEAD = `${HEAD}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n`;

const SLOW = [
  ['silent', '', ''],
  ['stopped in the head', HEAD, ''],
  ['dripping the head', `${HEAD}x: `, 'x'],
  ['stopped in the body', WHOLE_HEAD, ''],
  ['dripping the body', WHOLE_HEAD, ' '],
] as const;

describe('slow clients', () => {
  const cleanUp = useCleanUps();

  it('are cut off wherever they stop or drip, with the reason', { timeout: 60_000 }, async () => {
    const port = await listen();
    await Promise.all(
      SLOW.map(async ([way, start, drop]) => {
        const beganMs = performance.now();
        const received = await holdOn(port, start, drop);
        const tookMs = performance.now() - beganMs;
        expect(tookMs, way).toBeGreaterThanOrEqual(PATIENCE_HERE.requestMs);
        // A machine that is short of time looks a little later.
        expect(tookMs, way).toBeLessThan(MOST_MS + 1_000);
        expect(received, way).toMatch(/^HTTP\/1\.1 400 .*The request was not received completely in time\./s);
      }),
    );
  });

  it('have 30 s, and no more', () => {
    expect(PATIENCE.requestMs + PATIENCE.lookEveryMs).toBeLessThan(30_000);
    expect(PATIENCE.requestMs).toBeGreaterThan(20_000);
  });

  it(`do not delay a readiness response beyond 200 ms, ${HELD} of them`, async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const { port } = new URL(server.baseUrl);
    const held = await Promise.all(Array.from({ length: HELD }, () => open(Number(port), HEAD)));
    cleanUp(async () => {
      for (const socket of held) socket.destroy();
      await server.close();
    });
    const tookMs: number[] = [];
    for (let n = 0; n < 9; n += 1) {
      const beganMs = performance.now();
      expect((await server.call('GET', '/health/ready')).status).toBe(200);
      tookMs.push(performance.now() - beganMs);
    }
    // The median: what else runs on the machine may be in the way of one.
    expect(tookMs.sort((a, b) => a - b)[4]).toBeLessThan(200);
    expect(held.every(({ destroyed }) => !destroyed)).toBe(true);
  });

  async function listen(): Promise<number> {
    // Nothing is logged here, since no one shows a key: the pool never connects.
    const logSql = openLogPool({ kind: 'url', url: 'postgres://nobody@127.0.0.1:1/none' });
    const requestLog = createRequestLog(logSql, systemClock, createIdGenerator(), () => undefined);
    const app = createHttpApp({
      baseUrl: 'http://mail.example',
      trustedProxies: [],
      logger: pino({ level: 'silent' }),
      requestLog,
      identify: () => Promise.resolve(null),
      ...(IS_LONG ? {} : { patience: PATIENCE_HERE }),
    });
    app.post('/held', () => 'whole');
    cleanUp(async () => {
      await app.close();
      await requestLog.close();
      await logSql.end();
    });
    return Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port);
  }
});

/** The response to a client that sends `start`, and then `drop` again and again until it is cut off. */
async function holdOn(port: number, start: string, drop: string): Promise<string> {
  const socket = await open(port, start);
  const timer = setInterval(() => socket.write(drop), 50);
  let received = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    received += text;
  });
  await new Promise((resolve) => socket.once('close', resolve));
  clearInterval(timer);
  return received;
}

async function open(port: number, start: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  // Cut off while it writes.
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('connect', () => resolve()));
  socket.write(start);
  return socket;
}
