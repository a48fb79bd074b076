import type { Socket } from 'node:net';
import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { flood, lastResponse, openRaw, type RawConnection } from '../harness/raw-connection.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

const MEGABYTE = 1024 * 1024;
const WHOLE = 40 * MEGABYTE;
/** What a server may have read of a body that it refuses: what arrived with the head, and one buffer more. */
const MOST_READ = 512 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, ' ');

let server: TestApp;
/** The server's ends of all connections, the newest last. */
const sockets: Socket[] = [];

beforeAll(async () => {
  server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api', POSTRIDER_TRUSTED_PROXIES: '127.0.0.1' } });
  server.app.http?.server.on('connection', (socket) => sockets.push(socket));
});
afterAll(() => server.close());

const cleanUp = useCleanUps();

async function open(): Promise<RawConnection> {
  const connection = await openRaw(server.baseUrl);
  cleanUp(() => connection.socket.destroy());
  return connection;
}

function head(method: string, path: string, ...headers: readonly string[]): string {
  return `${[`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers].join('\r\n')}\r\n\r\n`;
}

const JSON_TYPE = 'Content-Type: application/json';
const FORM_TYPE = 'Content-Type: application/x-www-form-urlencoded';
const withKey = () => `Authorization: Bearer ${server.key}`;
const lengthOf = (bytes: number) => `Content-Length: ${bytes}`;

/** Sends a head and 40 MB behind it, as far as they are taken. */
async function attack(request: string) {
  const connection = await open();
  const own = sockets.at(-1);
  connection.write(request);
  await flood(connection, WHOLE, CHUNK);
  const text = await connection.until('"requestId"');
  await connection.closed();
  return { ...lastResponse(text), text, bytesRead: own?.bytesRead ?? Number.NaN };
}

describe('a large body without a key', () => {
  it.each([
    ['POST', '/nothing/here', JSON_TYPE, 404, 'not_found'],
    ['POST', '/nothing/here', FORM_TYPE, 404, 'not_found'],
    ['PUT', '/nothing/here', JSON_TYPE, 404, 'not_found'],
    ['PROPFIND', '/nothing/here', JSON_TYPE, 404, 'not_found'],
    ['POST', '/v1/nothing/here', JSON_TYPE, 404, 'not_found'],
    ['PUT', '/emails', JSON_TYPE, 405, 'method_not_allowed'],
    ['DELETE', '/emails/batch', JSON_TYPE, 405, 'method_not_allowed'],
    ['POST', '/health', JSON_TYPE, 405, 'method_not_allowed'],
    ['POST', '/emails', JSON_TYPE, 401, 'missing_key'],
    ['POST', '/emails/batch', JSON_TYPE, 401, 'missing_key'],
    ['POST', '/v1/emails', JSON_TYPE, 401, 'missing_key'],
    ['POST', '/mcp', JSON_TYPE, 401, 'missing_key'],
    ['POST', '/templates', JSON_TYPE, 401, 'missing_key'],
    ['PATCH', '/auth/session', JSON_TYPE, 401, 'session_required'],
    ['POST', '/auth/magic-link', JSON_TYPE, 413, 'payload_too_large'],
    ['POST', '/auth/device/token', JSON_TYPE, 413, 'payload_too_large'],
    ['POST', '/tools/spf', JSON_TYPE, 413, 'payload_too_large'],
    ['POST', '/tools/inbox-placement', JSON_TYPE, 413, 'payload_too_large'],
    ['POST', '/auth/sign-in', FORM_TYPE, 413, 'payload_too_large'],
    ['POST', '/auth/magic-link/abc', FORM_TYPE, 413, 'payload_too_large'],
    ['POST', '/approvals/abc', FORM_TYPE, 413, 'payload_too_large'],
    ['POST', '/u/abc', FORM_TYPE, 413, 'payload_too_large'],
    ['POST', '/dev/accounts', JSON_TYPE, 413, 'payload_too_large'],
    ['POST', '/dev/session', JSON_TYPE, 413, 'payload_too_large'],
  ] as const)(
    'is rejected unread at %s %s (%s)',
    { tags: ['holes.anonymous-bodies'] },
    async (method, path, type, status, code) => {
      const { status: got, body, text, bytesRead } = await attack(head(method, path, type, lengthOf(WHOLE)));
      expect([got, body['code']]).toEqual([status, code]);
      expect(text).toMatch(/\r\nconnection: close\r\n/i);
      expect(bytesRead).toBeLessThan(MOST_READ);
    },
  );

  it.each([
    ['POST', '/nothing/here', 404],
    ['POST', '/emails', 401],
    ['POST', '/mcp', 401],
    ['POST', '/auth/magic-link', 413],
  ] as const)('is rejected as early at %s %s when it is sent in endless chunks', async (method, path, status) => {
    const connection = await open();
    const own = sockets.at(-1);
    connection.write(head(method, path, JSON_TYPE, 'Transfer-Encoding: chunked'));
    const chunk = Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')]);
    await flood(connection, WHOLE, chunk);
    expect(lastResponse(await connection.until('"requestId"')).status).toBe(status);
    await connection.closed();
    expect(own?.bytesRead).toBeLessThan(MOST_READ);
  });

  it('delays no one and uses no memory, twenty at once', {
    tags: ['holes.anonymous-bodies'],
  }, async () => {
    // Not the resident size: the probes' garbage, and when V8 collects it, would decide the result.
    const before = process.memoryUsage().arrayBuffers;
    let most = before;
    const attacks = Promise.all(
      Array.from({ length: 20 }, () => attack(head('POST', '/nothing', JSON_TYPE, lengthOf(WHOLE)))),
    );
    const tookMs: number[] = [];
    let isOver = false;
    const probing = attacks.finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const beganMs = performance.now();
      expect((await server.call('GET', '/health', { key: null })).status).toBe(200);
      tookMs.push(performance.now() - beganMs);
      most = Math.max(most, process.memoryUsage().arrayBuffers);
    }
    const bytesRead = (await probing).reduce((sum, each) => sum + each.bytesRead, 0);
    expect(bytesRead).toBeLessThan(20 * MOST_READ);
    expect(most - before).toBeLessThan(20 * MOST_READ + 10 * MEGABYTE);
    // The median: client and server share this process and its machine.
    expect(tookMs.sort((a, b) => a - b)[Math.floor(tookMs.length / 2)]).toBeLessThan(250);
  });

  it('is rejected before the client sends it, when it expects 100-continue', async () => {
    for (const [path, status] of [
      ['/nothing', 404],
      ['/emails', 401],
    ] as const) {
      const connection = await open();
      connection.write(head('POST', path, JSON_TYPE, lengthOf(100), 'Expect: 100-continue'));
      const text = await connection.closed();
      expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    }
    const connection = await open();
    const body = JSON.stringify({ from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' });
    connection.write(head('POST', '/emails', JSON_TYPE, withKey(), lengthOf(body.length), 'Expect: 100-continue'));
    await connection.until('100 Continue');
    connection.write(body);
    await connection.until('HTTP/1.1 202 ');
  });

  it('leaves the connection open when it is small, so that a mistake costs no new connection', async () => {
    const connection = await open();
    connection.write(`${head('POST', '/nothing', JSON_TYPE, lengthOf(2))}{}`);
    await connection.until('HTTP/1.1 404 ');
    connection.write(head('GET', '/health'));
    await connection.until('HTTP/1.1 200 ');
  });
});

describe('a body with a key', () => {
  it('is at most 16 KB, unless the operation says otherwise', async () => {
    const body = (bytes: number) => JSON.stringify({ url: 'https://example.com/', pad: 'x'.repeat(bytes) });
    const post = async (path: string, bytes: number) =>
      (await server.call('POST', path, { rawBody: body(bytes) })).body.code as string;
    expect(await post('/webhooks', LIMITS.requestBodyBytes)).toBe('payload_too_large');
    expect(await post('/webhooks', 1_000)).toBe('validation_failed');
    expect(await post('/keys', LIMITS.requestBodyBytes)).toBe('validation_failed');
    expect(await post('/keys', LIMITS.keyBodyBytes)).toBe('payload_too_large');
    expect(await post('/suppressions', LIMITS.requestBodyBytes)).toBe('validation_failed');
    expect(await post('/emails', 3_000_000)).toBe('validation_failed');
  });

  it('has the same limits as the arguments of a tool', async () => {
    const call = (name: string, given: Readonly<Record<string, unknown>>) =>
      server.call('POST', '/mcp?toolsets=webhooks', {
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } },
      });
    const large = await call('create_webhook', { url: `https://example.com/${'x'.repeat(LIMITS.requestBodyBytes)}` });
    expect(JSON.stringify(large.body)).toContain('payload_too_large');
    const small = await call('create_webhook', { url: `https://example.com/${'x'.repeat(3_000)}` });
    expect(JSON.stringify(small.body)).toContain('validation_failed');
  });
});

describe('many unfinished bodies', () => {
  const half = (path: string, address: string, ...headers: readonly string[]) =>
    `${head('POST', path, JSON_TYPE, lengthOf(100), `X-Forwarded-For: ${address}`, ...headers)}{`;

  it('of one address are rejected beyond a number, and block no other caller', {
    tags: ['holes.anonymous-bodies'],
  }, async () => {
    const most = LIMITS.anonymousUnfinishedBodiesPerAddress;
    const held = await Promise.all(Array.from({ length: most }, open));
    for (const connection of held) connection.write(half('/auth/magic-link', '198.51.100.7'));
    // A response on the same connection shows that the server has read all heads before.
    const next = async (...from: readonly [string, string, ...string[]]) => {
      const connection = await open();
      connection.write(half(...from));
      return connection;
    };
    await expect
      .poll(async () => {
        const connection = await next('/auth/magic-link', '198.51.100.7');
        const isRefused = await Promise.race([connection.until('"requestId"').then(() => true), settle(server)]);
        connection.socket.destroy();
        return isRefused && lastResponse(connection.received()).status;
      })
      .toBe(429);
    expect((await server.call('GET', '/health', { key: null })).status).toBe(200);
    // Another address, and the same one with a key, are served.
    const email = JSON.stringify({ email: 'someone@sandbox.test' });
    const headers = { 'x-forwarded-for': '198.51.100.8' };
    expect((await server.call('POST', '/auth/magic-link', { key: null, rawBody: email, headers })).status).toBe(202);
    expect((await server.send({}, { headers: { 'x-forwarded-for': '198.51.100.7' } })).status).toBe(202);
    // They count until they are over.
    for (const { socket } of held) socket.destroy();
    const again = () =>
      server.call('POST', '/auth/magic-link', {
        key: null,
        rawBody: email,
        headers: { 'x-forwarded-for': '198.51.100.7' },
      });
    await expect.poll(async () => (await again()).status).toBe(202);
  });
});

describe('many clients that disconnect while their key is read', () => {
  it('leave nothing behind that would count as an unfinished body', { tags: ['holes.anonymous-bodies'] }, async () => {
    const address = 'X-Forwarded-For: 198.51.100.9';
    const body = JSON.stringify(DEFAULT_SEND);
    const send = head('POST', '/emails', JSON_TYPE, lengthOf(body.length), withKey(), address);
    const leaving = await Promise.all(Array.from({ length: LIMITS.unfinishedBodiesPerAddress + 8 }, open));
    // A key that was used less than half a second ago is not read again.
    await new Promise((resolve) => setTimeout(resolve, 600));
    for (const { write, socket } of leaving) {
      write(`${send}{`);
      socket.end();
    }
    await Promise.all(leaving.map(({ closed }) => closed()));
    const { write, until } = await open();
    write(send);
    await settle(server);
    write(body);
    expect(lastResponse(await until(/\}$/)).status).toBe(202);
  });
});

/** Resolves with false once the server has had the time to respond to what was written before. */
async function settle({ call }: TestApp): Promise<false> {
  for (let n = 0; n < 3; n += 1) await call('GET', '/health', { key: null });
  return false;
}

describe('JSON crafted to be expensive', () => {
  const names = (count: number) => `{${Array.from({ length: count }, (_, n) => `"k${n}":1`).join(',')}}`;

  it.each([
    ['names', () => names(1_000_000), 413, 'payload_too_large'],
    ['one name too many', () => names(LIMITS.jsonNames + 1), 413, 'payload_too_large'],
    ['values', () => `[${'[],'.repeat(2_000_000)}1]`, 413, 'payload_too_large'],
    ['levels', () => '{"a":'.repeat(1_000_000), 400, 'invalid_json'],
    ['levels in a short body', () => '[['.repeat(100), 400, 'invalid_json'],
    ['a long string', () => `"${'x'.repeat(LIMITS.jsonStringBytes + 1)}"`, 413, 'payload_too_large'],
    ['a long string of escapes', () => `"${'\\"'.repeat(LIMITS.jsonStringBytes / 2)}x"`, 413, 'payload_too_large'],
    ['a long number', () => `{"a":${'1'.repeat(10_000_000)}}`, 413, 'payload_too_large'],
  ] as const)(
    'is rejected before it is parsed: %s',
    { tags: ['holes.anonymous-bodies'] },
    async (_name, make, status, code) => {
      const rawBody = make();
      for (const path of ['/emails', '/mcp']) {
        const response = await server.call('POST', path, { rawBody });
        // At /mcp, a body that is not JSON gets an error of JSON-RPC, with the problem as its data.
        const problem = response.body.error?.data ?? response.body;
        expect([path, response.status, problem.code]).toEqual([path, status, code]);
      }
      expect((await server.call('GET', '/health', { key: null })).status).toBe(200);
    },
  );

  it('leaves no trace: after many rejected bodies, a large send is accepted', {
    tags: ['holes.anonymous-bodies'],
  }, async () => {
    const tooLong = `"${'x'.repeat(LIMITS.jsonStringBytes + 1)}"`;
    const refusals = 2 + LIMITS.unfinishedBodyBytesPerAddress / LIMITS.jsonStringBytes;
    for (let count = 0; count < refusals; count += 1) {
      expect((await server.call('POST', '/emails', { rawBody: tooLong })).status).toBe(413);
    }
    // The connections of the refused ones close a moment after their responses.
    const send = async () => (await server.send({ text: 'x'.repeat(1_000_000) })).status;
    await expect.poll(send, { timeout: 10_000 }).toBe(202);
  });

  it('is rejected while it arrives: most of it is never read', async () => {
    const connection = await open();
    const own = sockets.at(-1);
    connection.write(head('POST', '/emails', JSON_TYPE, withKey(), lengthOf(WHOLE)));
    connection.write('[');
    await flood(connection, WHOLE, Buffer.from('[],'.repeat(20_000)));
    const { status, body } = lastResponse(await connection.until('"requestId"'));
    expect([status, body['detail']]).toEqual([413, `The body has more than ${LIMITS.jsonValues} JSON values.`]);
    expect(own?.bytesRead).toBeLessThan(2 * MEGABYTE);
  });
});
