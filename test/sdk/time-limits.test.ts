import { Postrider } from '@postrider/sdk';
import { describe, expect, it } from 'vitest';
import { problem, startScriptedServer } from './scripted-server.ts';

function clientOf(server: { readonly baseUrl: string }, timeoutMs?: number) {
  return new Postrider({ apiKey: 'pr_live_test', baseUrl: server.baseUrl, timeoutMs, maxRetries: 0 });
}

describe('a server that does not respond', () => {
  it('fails the call with the code timeout when the time of the attempt is up', async () => {
    await using server = await startScriptedServer(['hang']);
    const read = clientOf(server, 50).emails.get('m1');
    await expect(read).rejects.toMatchObject({
      name: 'PostriderError',
      code: 'timeout',
      status: null,
      retryable: true,
    });
  });

  it('fails the same way when the body begins and does not end', async () => {
    await using server = await startScriptedServer(['stall']);
    await expect(clientOf(server, 100).emails.get('m1')).rejects.toMatchObject({ code: 'timeout', status: null });
  });

  it('is tried again within the retries, each attempt with its own time limit', async () => {
    await using server = await startScriptedServer(['hang', { status: 200, body: { id: 'm1' } }]);
    const read = clientOf(server, 500).emails.get('m1', {}, { maxRetries: 1 });
    await expect(read).resolves.toEqual({ id: 'm1' });
  });

  it('may take as much longer as `wait` requests', async () => {
    await using server = await startScriptedServer([{ status: 200, body: { id: 'm1' }, afterMs: 300 }]);
    await expect(clientOf(server, 50).emails.get('m1', { wait: 1 })).resolves.toEqual({ id: 'm1' });
    expect(server.received[0]?.url).toBe('/emails/m1?wait=1');
  });

  it('has the time limit of the single call if that sets one', async () => {
    await using server = await startScriptedServer(['hang']);
    const read = clientOf(server, 60_000).emails.get('m1', {}, { timeoutMs: 50 });
    await expect(read).rejects.toMatchObject({ code: 'timeout' });
  });
});

describe('a caller who aborts', () => {
  it('ends a call that waits for its response, with the signal’s own reason', async () => {
    await using server = await startScriptedServer(['hang']);
    const caller = new AbortController();
    const read = clientOf(server).emails.get('m1', {}, { signal: caller.signal });
    const reason = new Error('not needed any more');
    await server.nextRequest();
    caller.abort(reason);
    await expect(read).rejects.toBe(reason);
  });

  it('ends a call that waits for its next attempt', async () => {
    const later = problem(503, 'unavailable', { retryable: true }, { 'retry-after': '60' });
    await using server = await startScriptedServer([later]);
    const caller = new AbortController();
    const read = clientOf(server).emails.get('m1', {}, { signal: caller.signal, maxRetries: 2 });
    const reason = new Error('not needed any more');
    setTimeout(() => caller.abort(reason), 100);
    await expect(read).rejects.toBe(reason);
    expect(server.received).toHaveLength(1);
  });

  it('starts no call whose signal is already aborted', async () => {
    await using server = await startScriptedServer([]);
    const read = clientOf(server).emails.get('m1', {}, { signal: AbortSignal.abort() });
    await expect(read).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.received).toHaveLength(0);
  });
});

describe('an invalid limit', () => {
  it.each([0, -1, 1.5, Number.NaN, 2 ** 31])('is rejected as timeoutMs: %s', (timeoutMs) => {
    expect(() => new Postrider({ apiKey: 'k', timeoutMs })).toThrow(RangeError);
  });

  it.each([-1, 0.5, Number.POSITIVE_INFINITY])('is rejected as maxRetries: %s', (maxRetries) => {
    expect(() => new Postrider({ apiKey: 'k', maxRetries })).toThrow(RangeError);
  });
});
