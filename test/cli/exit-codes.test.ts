import { describe, expect, it } from 'vitest';
import { problem } from '../sdk/scripted-server.ts';
import { KEY, runAgainst, runInProcess } from './run-in-process.ts';

const AT_ONCE = { 'retry-after': '0' };

/** The refusal as often as the client asks: the first attempt and the retries. */
function refusals(status: number, code: string, retryable = false) {
  return Array(5).fill(problem(status, code, { retryable }, retryable ? AT_ONCE : {}));
}

describe('the exit code', () => {
  it('is 0 when the server did what was asked', { tags: ['contract-cli.exit-0'] }, async () => {
    const { code } = await runAgainst([{ status: 200, body: { id: 'r1' } }], ['requests', 'get', 'r1']);
    expect(code).toBe(0);
  });

  it('is 1 when the server failed', { tags: ['contract-cli.exit-1'] }, async () => {
    const { code } = await runAgainst(refusals(500, 'internal', true), ['requests', 'get', 'r1']);
    expect(code).toBe(1);
  });

  it.each([
    [401, 'missing_key', 3],
    [401, 'key_revoked', 3],
    [403, 'missing_scope', 4],
    [403, 'domain_not_verified', 4],
    [404, 'not_found', 5],
    [400, 'invalid_json', 6],
    [402, 'quota_exceeded', 6],
    [405, 'method_not_allowed', 6],
    [409, 'idempotency_in_progress', 6],
    [410, 'body_expired', 6],
    [413, 'payload_too_large', 6],
    [415, 'unsupported_media_type', 6],
    [422, 'validation_failed', 6],
    [429, 'rate_limited', 7],
    [503, 'unavailable', 8],
  ])('for HTTP %i %s is %i', async (status, code, expected) => {
    const retryable = status === 429 || status === 503;
    const finished = await runAgainst(refusals(status, code, retryable), ['requests', 'get', 'r1']);
    expect(finished.code).toBe(expected);
  });

  it.each(['rate_limited', 'send_limit_reached'])('is 7 for %s', { tags: ['contract-cli.exit-7'] }, async (code) => {
    expect((await runAgainst(refusals(429, code, true), ['whoami'])).code).toBe(7);
  });

  it('is 7 immediately when the server asks to wait more than ten seconds, and says how long', {
    tags: ['contract-cli.exit-7'],
  }, async () => {
    const fields = { retryable: true, fix: 'Wait for the seconds in `retry-after`.' };
    const refusal = problem(429, 'rate_limited', fields, { 'retry-after': '11' });
    const { code, stderr, received } = await runAgainst(Array(2).fill(refusal), ['whoami', '--json']);
    expect([code, received.length]).toEqual([7, 1]);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'rate_limited', fix: 'Wait for 11 s.' });
  });

  it('is 3 for a key the server does not know', { tags: ['contract-cli.exit-3'] }, async () => {
    expect((await runAgainst(refusals(401, 'invalid_key'), ['whoami'])).code).toBe(3);
  });

  it('is 3 without a key, and nothing is sent', { tags: ['contract-cli.exit-3'] }, async () => {
    const { code, stderr } = await runInProcess(['whoami', '--json']);
    expect(code).toBe(3);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'missing_key', status: null, retryable: false });
  });

  it('is 4 when the key lacks the scope', { tags: ['contract-cli.exit-4'] }, async () => {
    expect((await runAgainst(refusals(403, 'missing_scope'), ['emails', 'list'])).code).toBe(4);
  });

  it('is 5 when the email does not exist', { tags: ['contract-cli.exit-5'] }, async () => {
    expect((await runAgainst(refusals(404, 'not_found'), ['emails', 'get', 'x'])).code).toBe(5);
  });

  it('is 6 when a rule of the server rejects the request', { tags: ['contract-cli.exit-6'] }, async () => {
    const codes = await Promise.all(
      [402, 409, 422].map(async (status) => (await runAgainst(refusals(status, 'refused'), ['whoami'])).code),
    );
    expect(codes).toEqual([6, 6, 6]);
  });

  it('is 8 when nothing listens', { tags: ['contract-cli.exit-8'] }, async () => {
    const unreachable = ['--base-url', 'http://127.0.0.1:1', '--api-key', KEY];
    const { code, stderr } = await runInProcess(['whoami', ...unreachable]);
    expect(code).toBe(8);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'connection_failed', status: null, retryable: true });
    expect(stderr).toContain('--base-url');
  });

  it('is 8 when the response does not arrive in time', { tags: ['contract-cli.exit-8'] }, async () => {
    const { code, stderr } = await runAgainst(['hang', 'hang', 'hang'], ['whoami', '--timeout', '1']);
    expect(code).toBe(8);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'timeout' });
    expect(stderr).toContain('--timeout');
  });

  it('is 8 when a proxy cannot reach the server', async () => {
    const gateway = Array(5).fill({ status: 502, body: '<h1>Bad gateway</h1>', headers: AT_ONCE });
    expect((await runAgainst(gateway, ['whoami'])).code).toBe(8);
  });

  it('is 1, and not 5, when another server does not know the path', async () => {
    const { code, stderr } = await runAgainst([{ status: 404, body: '<h1>Not found</h1>' }], ['emails', 'get', 'x']);
    expect(code).toBe(1);
    expect(JSON.parse(stderr)).toMatchObject({ code: 'unexpected_answer', status: 404 });
  });

  it('is 1 when another server responds with a page', async () => {
    const { code, stdout } = await runAgainst([{ status: 200, body: '<h1>Welcome</h1>' }], ['whoami']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
  });

  it('is 130 when the user interrupts', async () => {
    const interruption = new AbortController();
    interruption.abort();
    const { code, stdout } = await runAgainst(['hang'], ['whoami'], { signal: interruption.signal });
    expect(code).toBe(130);
    expect(stdout).toBe('');
  });
});
