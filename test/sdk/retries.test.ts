import { describe, expect, it } from 'vitest';
import { decideRetry, parseRetryAfter, type RetryFacts } from '../../packages/sdk/src/retries.ts';

type Failure = RetryFacts['failure'];

const unavailable: Failure = { code: 'unavailable', status: 503, retryable: true, retryAfterMs: null };
const facts = {
  failure: unavailable,
  retriesDone: 0,
  maxRetries: 2,
  maxRetryAfterMs: 60_000,
  repeatable: true,
  random: 0.5,
};

function verdictOn(failure: Partial<Failure>, changes: Partial<RetryFacts> = {}) {
  return decideRetry({ ...facts, ...changes, failure: { ...unavailable, ...failure } });
}

describe('whether a failed request is sent again', () => {
  it.each<[string, Partial<Failure>]>([
    ['a connection that failed', { code: 'connection_failed', status: null }],
    ['an attempt that timed out', { code: 'timeout', status: null }],
    ['a rate limit', { code: 'rate_limited', status: 429 }],
    ['a server error', { code: 'internal', status: 500 }],
    ['a server that is unavailable', { code: 'unavailable', status: 503 }],
    ['the same send still running', { code: 'idempotency_in_progress', status: 409 }],
    ['a proxy without a server: 502', { code: 'unexpected_answer', status: 502 }],
    ['a proxy without a server: 503', { code: 'unexpected_answer', status: 503 }],
    ['a proxy without a server: 504', { code: 'unexpected_answer', status: 504 }],
  ])('yes after %s', (_, failure) => {
    expect(verdictOn(failure).retry).toBe(true);
  });

  it.each<[string, Partial<Failure>]>([
    ['a permanent error', { code: 'validation_failed', status: 422, retryable: false }],
    ['a used up quota', { code: 'quota_exceeded', status: 402, retryable: false }],
    ['an error marked as not retryable', { code: 'internal', status: 500, retryable: false }],
    ['a retryable error that waits for a user', { code: 'authorization_pending', status: 400 }],
    ['an attachment that could not be fetched', { code: 'attachment_fetch_failed', status: 422 }],
    ['another server’s 500 page', { code: 'unexpected_answer', status: 500 }],
    ['another server’s 408', { code: 'unexpected_answer', status: 408 }],
    ['another server’s 429', { code: 'unexpected_answer', status: 429 }],
    ['a redirect', { code: 'unexpected_answer', status: 302, retryable: false }],
  ])('no after %s', (_, failure) => {
    expect(verdictOn(failure).retry).toBe(false);
  });

  it('stops when the retries are used up', () => {
    expect(verdictOn({}, { retriesDone: 1 }).retry).toBe(true);
    expect(verdictOn({}, { retriesDone: 2 }).retry).toBe(false);
    expect(verdictOn({}, { maxRetries: 0 }).retry).toBe(false);
  });

  it('repeats a write without an idempotency key only after a rate limit, which rejects it before any effect', () => {
    const write = { repeatable: false };
    expect(verdictOn({ code: 'rate_limited', status: 429 }, write).retry).toBe(true);
    expect(verdictOn({ code: 'unavailable', status: 503 }, write).retry).toBe(false);
    expect(verdictOn({ code: 'connection_failed', status: null }, write).retry).toBe(false);
    expect(verdictOn({ code: 'timeout', status: null }, write).retry).toBe(false);
  });
});

describe('how long it waits before', () => {
  it('doubles the longest wait from 0.5 s up to 8 s and uses a random part of it', () => {
    const longest = [0, 1, 2, 3, 4, 5, 20].map((retriesDone) =>
      verdictOn({}, { retriesDone, maxRetries: 99, random: 1 }),
    );
    expect(longest).toEqual(
      [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000].map((delayMs) => ({ retry: true, delayMs })),
    );
    expect(verdictOn({}, { random: 0 })).toEqual({ retry: true, delayMs: 0 });
  });

  it('waits exactly as long as the server asks, up to what the caller allows', () => {
    expect(verdictOn({ retryAfterMs: 1_000 })).toEqual({ retry: true, delayMs: 1_000 });
    expect(verdictOn({ retryAfterMs: 0 })).toEqual({ retry: true, delayMs: 0 });
    expect(verdictOn({ retryAfterMs: 60_000 })).toEqual({ retry: true, delayMs: 60_000 });
  });

  it('gives up when the server asks for more', () => {
    expect(verdictOn({ retryAfterMs: 60_001 })).toEqual({ retry: false });
    expect(verdictOn({ retryAfterMs: 60_000 }, { maxRetryAfterMs: 59_999 })).toEqual({ retry: false });
  });
});

describe('the retry-after header', () => {
  const nowMs = Date.parse('2026-01-31T09:00:00Z');

  it('is read as seconds or as an HTTP date', () => {
    expect(parseRetryAfter('2', nowMs)).toBe(2_000);
    expect(parseRetryAfter('Sat, 31 Jan 2026 09:00:30 GMT', nowMs)).toBe(30_000);
    expect(parseRetryAfter('Sat, 31 Jan 2026 08:00:00 GMT', nowMs)).toBe(0);
  });

  it.each([undefined, '', 'soon', '-1', '1.5', '5 minutes', '2026'.repeat(4)])('is ignored when it is %j', (value) => {
    expect(parseRetryAfter(value, nowMs)).toBeNull();
  });
});
