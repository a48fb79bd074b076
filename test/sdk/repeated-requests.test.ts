import { Postrider } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem, type Reply, startScriptedServer } from './scripted-server.ts';

const accepted: Reply = { status: 202, body: { id: '019c0000-0000-7000-8000-000000000001', status: 'queued' } };
const email = { from: 'app@example.com', to: 'ada@example.org', subject: 'Hello', text: 'Hi Ada' };
const unavailable = problem(503, 'unavailable', { retryable: true }, { 'retry-after': '0' });

function clientOf(server: { readonly baseUrl: string }) {
  return new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl });
}

describe('a send that fails on the way', () => {
  it('is repeated under one idempotency key, byte for byte', async () => {
    await using server = await startScriptedServer(['reset', unavailable, accepted]);
    await expect(clientOf(server).emails.send(email)).resolves.toMatchObject({ status: 'queued' });
    const [first] = server.received;
    expect(server.received).toHaveLength(3);
    expect(first?.headers['idempotency-key']).toMatch(/^[0-9a-f-]{36}$/);
    for (const { headers, body } of server.received) {
      expect(headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
      expect(body).toBe(first?.body);
    }
  });

  it('keeps the caller’s idempotency key', async () => {
    await using server = await startScriptedServer([unavailable, accepted]);
    await clientOf(server).emails.send(email, { idempotencyKey: 'order-17' });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['order-17', 'order-17']);
  });

  it('waits for itself when the first attempt is still running', async () => {
    const running = problem(409, 'idempotency_in_progress', { retryable: true }, { 'retry-after': '0' });
    await using server = await startScriptedServer(['reset', running, accepted]);
    await expect(clientOf(server).emails.send(email)).resolves.toMatchObject({ status: 'queued' });
  });

  it('names its idempotency key in the error, so that the caller can repeat it safely', async () => {
    await using server = await startScriptedServer(['reset']);
    const send = clientOf(server).emails.send(email, { maxRetries: 0 });
    await expect(send).rejects.toMatchObject({ code: 'connection_failed', retryable: true });
    const key = server.received[0]?.headers['idempotency-key'];
    const fix = expect.stringContaining('repeat it with the same idempotency key');
    await expect(send).rejects.toMatchObject({ idempotencyKey: key, fix });
  });
});

describe('two sends', () => {
  it('have different idempotency keys', async () => {
    await using server = await startScriptedServer([accepted, accepted]);
    const client = clientOf(server);
    await client.emails.send(email);
    await client.emails.send(email);
    const [first, second] = server.received.map(({ headers }) => headers['idempotency-key']);
    expect(first).not.toBe(second);
  });
});

describe('a read that fails on the way', () => {
  it('is repeated without an idempotency key', async () => {
    await using server = await startScriptedServer([
      { status: 502, body: '<h1>Bad Gateway</h1>' },
      { status: 200, body: {} },
    ]);
    await clientOf(server).emails.get('m1');
    expect(server.received).toHaveLength(2);
    expect(server.received[1]?.headers['idempotency-key']).toBeUndefined();
  });

  it('is repeated as often as configured and no more', async () => {
    await using server = await startScriptedServer([unavailable, unavailable, unavailable, unavailable]);
    const client = new Postrider({ apiKey: null, baseUrl: server.baseUrl, maxRetries: 1 });
    await expect(client.service.health()).rejects.toMatchObject({ code: 'unavailable', status: 503 });
    expect(server.received).toHaveLength(2);
    await expect(client.service.health({ maxRetries: 0 })).rejects.toMatchObject({ code: 'unavailable' });
    expect(server.received).toHaveLength(3);
  });
});

describe('an error response', () => {
  it('is not repeated when it would fail again', async () => {
    await using server = await startScriptedServer([problem(422, 'recipient_suppressed'), accepted]);
    await expect(clientOf(server).emails.send(email)).rejects.toMatchObject({ code: 'recipient_suppressed' });
    expect(server.received).toHaveLength(1);
  });

  it('is repeated no sooner than retry-after says', async () => {
    const limited = problem(429, 'rate_limited', { retryable: true }, { 'retry-after': '1' });
    await using server = await startScriptedServer([limited, { status: 200, body: {} }]);
    const startedMs = performance.now();
    await clientOf(server).keys.self();
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990); // Timers may fire a millisecond early.
  });

  it('is returned immediately when retry-after is longer than a minute', async () => {
    const limited = problem(429, 'send_limit_reached', { retryable: true }, { 'retry-after': '3600' });
    await using server = await startScriptedServer([limited, accepted]);
    const send = clientOf(server).emails.send(email);
    await expect(send).rejects.toMatchObject({ code: 'send_limit_reached', retryAfterMs: 3_600_000 });
    expect(server.received).toHaveLength(1);
  });
});

describe('a write by method and path', () => {
  it('is not repeated without an idempotency key', async () => {
    await using server = await startScriptedServer([unavailable, { status: 201, body: {} }]);
    const write = clientOf(server).request({ method: 'POST', path: '/keys', body: { name: 'app' } });
    await expect(write).rejects.toMatchObject({ code: 'unavailable', idempotencyKey: null });
    expect(server.received).toHaveLength(1);
  });

  it('is repeated with one, wherever it was set', async () => {
    await using server = await startScriptedServer([unavailable, accepted, unavailable, accepted]);
    const client = clientOf(server);
    await client.request({ method: 'POST', path: '/emails', body: email, idempotencyKey: 'a' });
    await client.request({ method: 'POST', path: '/emails', body: email, headers: { 'Idempotency-Key': 'b' } });
    expect(server.received.map(({ headers }) => headers['idempotency-key'])).toEqual(['a', 'a', 'b', 'b']);
  });
});
