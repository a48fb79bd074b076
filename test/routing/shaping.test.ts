import { describe, expect, it } from 'vitest';
import { type DestinationHealth, healthOf } from '../../packages/server/src/routing/destination-health.ts';
import {
  afterAttempt,
  allowedAtOnce,
  closedUntil,
  FRESH_SHAPE,
  mostAtOnce,
  type Shape,
} from '../../packages/server/src/routing/shaping.ts';
import { toErrorVerdicts } from '../../packages/server/src/smtp-client/error-verdicts.ts';
import type { RecipientVerdict } from '../../packages/server/src/smtp-client/transport.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const MINUTE_MS = 60_000;

/** Attempts one after the other, each begun after the one before. */
function after(shape: Shape, healths: readonly DestinationHealth[], { now = NOW, most = 10 } = {}): Shape {
  return healths.reduce((current, health) => afterAttempt(current, health, current.era, now, most), shape);
}

const times = (n: number, health: DestinationHealth) => Array.from({ length: n }, () => health);

describe('parallel deliveries to a destination', () => {
  it('are two at first, and one more for each clean round, up to the maximum', () => {
    expect(allowedAtOnce(FRESH_SHAPE, NOW)).toBe(2);
    expect(after(FRESH_SHAPE, times(1, 'clean')).limit).toBe(2);
    expect(after(FRESH_SHAPE, times(2, 'clean')).limit).toBe(3);
    expect(after(FRESH_SHAPE, times(4, 'clean')).limit).toBe(3);
    expect(after(FRESH_SHAPE, times(5, 'clean')).limit).toBe(4);
  });

  it.each([
    ['example.org', 10],
    ['constructor', 10],
    ['google.com', 5],
    ['outlook.com', 5],
    ['orange.fr', 2],
  ])('are never more for %s than %i', (group, most) => {
    expect(mostAtOnce(group)).toBe(most);
    expect(after(FRESH_SHAPE, times(500, 'clean'), { most: mostAtOnce(group) }).limit).toBe(most);
  });

  it('are halved after a throttle, to at least one, and a new round begins', () => {
    const grown = after(FRESH_SHAPE, times(500, 'clean'));
    expect(after(grown, ['throttled']).limit).toBe(5);
    expect(after(grown, ['throttled', 'throttled']).limit).toBe(2);
    expect(after(grown, times(9, 'throttled')).limit).toBe(1);
    const halved = after(grown, [...times(9, 'clean'), 'throttled']);
    expect(after(halved, times(4, 'clean')).limit).toBe(5);
    expect(after(halved, times(5, 'clean')).limit).toBe(6);
  });

  it('are halved once by parallel deliveries with the same reply', () => {
    const grown = after(FRESH_SHAPE, times(500, 'clean'));
    const shape = times(10, 'throttled').reduce<Shape>(
      (shape, health) => afterAttempt(shape, health, grown.era, NOW, 10),
      grown,
    );
    expect(shape.limit).toBe(5);
  });
});

describe('the breaker of a destination', () => {
  const broken = after(FRESH_SHAPE, times(3, 'unreachable'));

  it('opens for 30 s after three failures to respond in a row, and not before', () => {
    expect(after(FRESH_SHAPE, times(2, 'unreachable')).breaker).toBeNull();
    expect(
      after(FRESH_SHAPE, ['unreachable', 'unreachable', 'clean', 'unreachable', 'unreachable']).breaker,
    ).toBeNull();
    expect(after(FRESH_SHAPE, ['unreachable', 'unreachable', 'unknown', 'unreachable']).breaker).not.toBeNull();
    expect(closedUntil(broken, NOW)).toEqual(later(30_000));
    expect([allowedAtOnce(broken, NOW), allowedAtOnce(broken, later(29_999))]).toEqual([0, 0]);
  });

  it('lets one through when its time is over, and closes after a response', () => {
    const now = later(30_000);
    expect([closedUntil(broken, now), allowedAtOnce(broken, now)]).toEqual([null, 1]);
    for (const response of ['clean', 'throttled'] as const) {
      const repaired = after(broken, [response], { now });
      expect([repaired.breaker, repaired.failures]).toEqual([null, 0]);
    }
    expect(allowedAtOnce(after(broken, ['clean'], { now }), now)).toBe(2);
    expect(after(after(broken, ['clean'], { now }), times(3, 'unreachable'), { now }).breaker?.pauseMs).toBe(30_000);
  });

  it('stays open twice as long each time, up to 15 minutes', () => {
    const pauses: number[] = [];
    let shape = broken;
    for (let n = 0; n < 7; n += 1) {
      const pauseMs = shape.breaker?.pauseMs ?? 0;
      pauses.push(pauseMs);
      shape = after(shape, ['unreachable'], { now: shape.breaker?.endsAt ?? NOW });
    }
    expect(pauses).toEqual([
      30_000,
      MINUTE_MS,
      2 * MINUTE_MS,
      4 * MINUTE_MS,
      8 * MINUTE_MS,
      15 * MINUTE_MS,
      15 * MINUTE_MS,
    ]);
  });

  it('is not extended by what was in progress when it opened', () => {
    expect(after(broken, times(5, 'unreachable'), { now: later(1_000) }).breaker).toEqual(broken.breaker);
  });

  it('opens after three rejected connections in a row, and lets fewer through before', () => {
    const grown = after(FRESH_SHAPE, times(500, 'clean'));
    expect(after(grown, times(2, 'turned-away'))).toMatchObject({ limit: 2, breaker: null });
    const opened = after(grown, times(3, 'turned-away'));
    expect(opened.breaker?.pauseMs).toBe(30_000);
    expect(after(opened, ['turned-away'], { now: later(30_000) }).breaker?.pauseMs).toBe(60_000);
  });

  it('counts parallel rejected connections once', () => {
    const grown = after(FRESH_SHAPE, times(500, 'clean'));
    const shape = times(10, 'turned-away').reduce<Shape>(
      (shape, health) => afterAttempt(shape, health, grown.era, NOW, 10),
      grown,
    );
    expect(shape).toMatchObject({ limit: 5, failures: 1, breaker: null });
  });

  it('starts again with two in parallel', () => {
    const grown = after(FRESH_SHAPE, times(500, 'clean'));
    const opened = after(grown, times(3, 'unreachable'));
    expect([opened.limit, opened.isProven]).toEqual([2, false]);
  });
});

const OUTGOING = {
  ...{ accountId: 'a', messageId: 'm', deliveryId: 'd', attempt: 1, mailFrom: '', data: Buffer.alloc(0) },
  recipients: ['ann@example.com'],
};

describe('what a delivery attempt shows about its destination', () => {
  const verdict = (changes: Partial<RecipientVerdict>): RecipientVerdict => ({
    ...{ recipient: 'ann@example.com', outcome: 'deferred', reply: null, reason: '', ambiguous: false },
    ...changes,
  });
  const reply = (code: number, enhanced: string | null) => ({ code, enhanced, text: '', server: null });
  const refused = (code: number, enhanced: string | null) =>
    verdict({ outcome: code >= 500 ? 'refused' : 'deferred', reply: reply(code, enhanced) });

  it.each<[string, RecipientVerdict[], DestinationHealth]>([
    ['an accepted message', [verdict({ outcome: 'accepted', reply: reply(250, '2.0.0') })], 'clean'],
    ['a bad address', [refused(550, '5.1.1')], 'clean'],
    ['a full mailbox', [refused(452, '4.2.2')], 'clean'],
    ['a permanent rejection as spam', [refused(550, '5.7.1')], 'clean'],
    ['421 without more', [refused(421, null)], 'throttled'],
    ['4.7.0, as for a rate limit', [refused(450, '4.7.0')], 'throttled'],
    ['4.7.28', [refused(450, '4.7.28')], 'throttled'],
    ['too many recipients', [refused(452, '4.5.3')], 'throttled'],
    ['a system that accepts no mail', [refused(450, '4.3.2')], 'throttled'],
    ['congestion', [refused(451, '4.4.5')], 'throttled'],
    ['one accepted and one deferred by policy', [refused(250, '2.0.0'), refused(451, '4.7.1')], 'throttled'],
    ['a connection that failed', [verdict({})], 'unreachable'],
    ['a connection lost after the message', [verdict({ ambiguous: true })], 'unreachable'],
    ['one reply and the rest lost', [refused(550, '5.1.1'), verdict({})], 'clean'],
    ['a domain that accepts no mail', [verdict({ outcome: 'refused' })], 'unknown'],
    ['nothing tried', [verdict({ costsNoAttempt: true })], 'unknown'],
    ['no recipients', [], 'unknown'],
    ['554 in place of a greeting', [{ ...refused(554, null), outcome: 'deferred', isBeforeMail: true }], 'turned-away'],
    [
      'a server that cannot do what a policy of the domain demands',
      [{ ...refused(454, null), isBeforeMail: true, isAboutDomain: true }],
      'clean',
    ],
    ['an error of ours', [...toErrorVerdicts(OUTGOING, new Error('ours'))], 'unknown'],
  ])('%s', (_, verdicts, health) => {
    expect(healthOf(verdicts)).toBe(health);
  });
});
