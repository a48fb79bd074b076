import { LIMITS } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '../../packages/server/src/delivery/attempt-outcome.ts';
import { toTries } from '../../packages/server/src/delivery/attempt-tries.ts';
import { joinTries, readTries } from '../../packages/server/src/delivery/stored-attempt.ts';
import type { ServerTry } from '../../packages/server/src/smtp-client/exchange.ts';

const EMAIL = 'ann@example.com';
const RECIPIENTS = [
  { ordinal: 3, email: EMAIL },
  { ordinal: 7, email: 'bob@example.com' },
];
const AT = '2026-05-01T12:00:00.000Z';
const events = [{ type: 'deferred', classification: null, detail: null }] as const;

function outcome(changes: Partial<AttemptOutcome> = {}): AttemptOutcome {
  const fence = { accountId: 'a', deliveryId: 'd', messageId: 'm', leaseId: 'l', attempt: 2, recipientsInMessage: 9 };
  const recipients = [{ ordinal: 3, email: EMAIL, change: 'deferred' as const, events }];
  return { ...fence, at: AT, recipients, retryAt: null, lastError: null, ...changes };
}

function tried(changes: Partial<ServerTry> = {}): ServerTry {
  return {
    ...{ recipients: [EMAIL], tls: null, isReused: false, outcome: 'deferred', startedMs: 0, endedMs: 5 },
    server: { host: 'mx.example.com', address: '192.0.2.1', port: 25 },
    reply: '451 Later',
    lines: ['C RCPT TO:<ann@example.com>', 'S 451 Later'],
    ...changes,
  };
}

const notes = (...tries: readonly ServerTry[]) => ({ recipients: RECIPIENTS, tries, startedMs: 0 });
const read = (tries: readonly string[]) => readTries(joinTries(2, 'direct', tries));

describe('the tries of an attempt', () => {
  it('are read as they were noted', { tags: ['emails-get.attempts'] }, () => {
    const tls = { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', isVerified: true };
    const [first, second] = read(
      toTries(outcome(), [], notes(tried({ tls, isReused: true }), tried({ reply: 'x\ty\n' }))),
    );
    expect(first).toEqual({
      ...{ number: 2, transport: 'direct', startedAt: expect.any(Date), durationMs: 5, ordinals: [3], isReused: true },
      ...{ outcome: 'deferred', reply: '451 Later' },
      server: { host: 'mx.example.com', address: '192.0.2.1', port: 25 },
      tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384', verified: true },
      conversation: [
        { from: 'client', line: 'RCPT TO:<ann@example.com>' },
        { from: 'server', line: '451 Later' },
      ],
    });
    expect(second).toMatchObject({ reply: 'x y', tls: null, isReused: false });
  });

  it('keep the conversations of the last servers within the limit for an attempt', {
    tags: ['emails-get.conversation'],
  }, () => {
    const lines = [`S ${'x'.repeat(LIMITS.conversationBytes - 200)}`] as const;
    const many = Array.from({ length: 10 }, () => tried({ lines }));
    const tries = toTries(outcome(), [], notes(...many));
    expect(read(tries).map(({ conversation }) => conversation !== null)).toEqual([
      ...new Array(8).fill(false),
      ...[true, true],
    ]);
    expect(read(tries)[0]).toMatchObject({ reply: '451 Later', outcome: 'deferred' });
  });

  it('are not stored for an attempt that did not count', { tags: ['emails-get.attempts'] }, () => {
    const recipients = [{ ordinal: 3, email: EMAIL, change: 'queued' as const, events: [] }];
    expect(toTries(outcome({ recipients }), [], notes(tried()))).toEqual([]);
  });

  it('have one entry with the reason if no server was involved', { tags: ['emails-get.attempts'] }, () => {
    expect(read(toTries(outcome(), 'The stored body expired before delivery.', notes()))).toMatchObject([
      { ordinals: [3, 7], outcome: 'failed', server: null, reply: 'The stored body expired before delivery.' },
    ]);
  });
});
