import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const TOTAL_MS = 1_500;

describe('a receiver that', () => {
  let world: HandMadeDispatcher;
  beforeAll(async () => {
    world = await startHandMadeDispatcher({ totalMs: TOTAL_MS, connectMs: 1_000 });
  });
  afterAll(async () => {
    await world.close();
    expect(world.faults).toEqual([]);
  });

  const open: { close(): Promise<unknown> | unknown }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  /** One attempt at an endpoint, as it is written down. */
  async function attemptAt(url: string) {
    const id = await world.endpoint(url);
    await world.events(id);
    await world.dispatcher.pump();
    await world.dispatcher.idle();
    const [attempt, ...others] = await world.attempts(id);
    expect(others).toEqual([]);
    return { id, attempt };
  }

  async function receiver(...given: Parameters<typeof startWebhookReceiver>): Promise<WebhookReceiver> {
    const made = await startWebhookReceiver(...given);
    open.push(made);
    return made;
  }

  /** A server that speaks raw bytes. */
  async function rawReceiver(onRequest: (socket: Socket) => void): Promise<string> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('data', () => onRequest(socket));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        return new Promise((resolve) => server.close(resolve));
      },
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  }

  it('stalls is abandoned at the timeout, and retried', { tags: ['events.retry-schedule'] }, async () => {
    const { url } = await receiver(() => undefined);
    const { attempt } = await attemptAt(url);
    expect(attempt).toMatchObject({
      succeeded: false,
      status_code: null,
      error: 'No response: it did not respond in time.',
    });
    expect(attempt.duration_ms).toBeGreaterThanOrEqual(TOTAL_MS - 5);
    expect(attempt.duration_ms).toBeLessThan(TOTAL_MS + 1_600);
  });

  it('drips its response is abandoned at the timeout', async () => {
    const url = await rawReceiver((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n');
      const timer = setInterval(() => socket.write('.'), 50);
      socket.on('close', () => clearInterval(timer));
    });
    const { attempt } = await attemptAt(url);
    expect(attempt).toMatchObject({ succeeded: false, error: 'No response: it did not respond in time.' });
  });

  it('streams forever is cut off, and four kilobytes of it are kept', async () => {
    let socketOf: Socket | null = null;
    const url = await rawReceiver((socket) => {
      socketOf = socket;
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const chunk = `4000\r\n${'é'.repeat(0x2000)}\r\n`;
      const more = () => {
        while (!socket.destroyed && socket.write(chunk));
      };
      socket.on('drain', more);
      more();
    });
    const { attempt } = await attemptAt(url);
    expect(attempt).toMatchObject({ succeeded: true, status_code: 200 });
    expect(Buffer.byteLength(attempt.response_body)).toBe(4_096);
    const socket = socketOf as Socket | null;
    if (socket?.destroyed === false) await new Promise((resolve) => socket.once('close', resolve));
  });

  it('returns bytes that are not text has them stored as text', async () => {
    const { url } = await receiver(
      (_event, response) => void response.end(Buffer.alloc(5_000, Buffer.from([0, 0xff, 0x41]))),
    );
    const { attempt } = await attemptAt(url);
    expect(attempt.response_body).toMatch(/^(\uFFFD\uFFFDA){2}/);
    expect(Buffer.byteLength(attempt.response_body)).toBeLessThanOrEqual(4_096);
  });

  it.each([1_001, 1_002, 1_003, 1_004])(
    'returns %i bytes that are not text before whole characters has none of these cut in half',
    async (bytes) => {
      const { url } = await receiver(
        (_event, response) =>
          void response.end(Buffer.concat([Buffer.alloc(bytes, 0xff), Buffer.from('😀'.repeat(800))])),
      );
      const { attempt } = await attemptAt(url);
      expect(attempt.response_body).toMatch(/^\uFFFD+(?:😀)+$/u);
      expect(Buffer.byteLength(attempt.response_body)).toBeGreaterThan(4_096 - 4);
      expect(Buffer.byteLength(attempt.response_body)).toBeLessThanOrEqual(4_096);
    },
  );

  it.each([301, 302, 307, 308])(
    'redirects by %i is not followed',
    { tags: ['events.retry-schedule'] },
    async (status) => {
      const target = await receiver();
      const { url } = await receiver(
        (_event, response) => void response.writeHead(status, { location: target.url }).end(),
      );
      const { attempt } = await attemptAt(url);
      expect(attempt).toMatchObject({
        ...{ succeeded: false, status_code: status },
        error: `The endpoint responded with ${status}. Redirects are not followed.`,
      });
      expect(target.received).toEqual([]);
    },
  );

  it('closes early is retried', async () => {
    const { attempt } = await attemptAt(await rawReceiver((socket) => socket.destroy()));
    expect(attempt).toMatchObject({
      succeeded: false,
      status_code: null,
      error: 'No response: the connection was lost.',
    });
  });

  it('breaks off in its response is retried', async () => {
    const url = await rawReceiver((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf'));
    expect((await attemptAt(url)).attempt).toMatchObject({ succeeded: false, status_code: null });
  });

  it('does not speak HTTP is retried', async () => {
    const url = await rawReceiver((socket) => socket.end('220 smtp.example.com ESMTP\r\n'));
    expect((await attemptAt(url)).attempt).toMatchObject({ succeeded: false, status_code: null });
  });

  it('is not there is retried', async () => {
    const gone = await startWebhookReceiver();
    await gone.close();
    expect((await attemptAt(gone.url)).attempt).toMatchObject({ error: 'No response: the connection was refused.' });
  });

  it('has a self-signed certificate receives nothing', async () => {
    const { key, cert } = await makeCertificate(['localhost']);
    let requests = 0;
    const server = createTlsServer({ key, cert }, (_request, response) => {
      requests += 1;
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push({ close: () => new Promise((resolve) => server.close(resolve)) });
    const { attempt } = await attemptAt(`https://localhost:${(server.address() as AddressInfo).port}/`);
    expect(attempt.error).toMatch(/^No response: its certificate or TLS failed/);
    expect(requests).toBe(0);
  });

  it('returns 410 is disabled immediately', { tags: ['events.disabling'] }, async () => {
    const { id } = await attemptAt((await receiver(410)).url);
    const [row] = await world.sql`SELECT status, disabled_reason FROM webhook_endpoints WHERE id = ${id}`;
    expect(row).toEqual({ status: 'disabled', disabled_reason: 'gone' });
    expect((await world.sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${id}`).length).toBe(0);
  });

  it('asks for a pause is retried no sooner', { tags: ['events.retry-schedule'] }, async () => {
    const { url } = await receiver((_event, response) => void response.writeHead(429, { 'retry-after': '600' }).end());
    const { id } = await attemptAt(url);
    const [row] = await world.sql`SELECT next_at, attempt FROM webhook_deliveries WHERE endpoint_id = ${id}`;
    const waitMs = row?.['next_at'].getTime() - world.clock.now().getTime();
    expect(waitMs).toBeGreaterThan(590_000);
    expect(row?.['attempt']).toBe(2);
  });

  it('never accepts an event gets it ten times, each with the same id and body', {
    tags: ['events.retry-schedule', 'events.payload-fields'],
  }, async () => {
    const { url, received } = await receiver(500);
    const { id } = await attemptAt(url);
    for (let attempt = 2; attempt <= 12; attempt += 1) {
      world.clock.advance(25 * 3_600_000);
      await world.dispatcher.pump();
      await world.dispatcher.idle();
    }
    // Other endpoints are disabled meanwhile, and this one is notified of that as well.
    const attempts = (await world.attempts(id)).filter((row) => row.event_type === 'webhook.test');
    expect(attempts.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
    const same = received.filter(({ event }) => event.type === 'webhook.test');
    expect(new Set(same.map(({ body, headers }) => `${headers['webhook-id']} ${body}`)).size).toBe(1);
    expect(new Set(same.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(10);
    expect(
      (await world.sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${id} AND event_type = 'webhook.test'`)
        .length,
    ).toBe(0);
  });
});
