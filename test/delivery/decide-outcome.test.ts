import { describe, expect, it } from 'vitest';
import {
  type AttemptFacts,
  addSuppressed,
  decideOutcome,
  failOutcome,
} from '../../packages/server/src/delivery/decide-outcome.ts';
import type { RecipientVerdict } from '../../packages/server/src/smtp-client/transport.ts';

const NOW = new Date('2026-05-01T12:00:00.000Z');

function facts(changes: Partial<AttemptFacts> = {}): AttemptFacts {
  return {
    accountId: 'account',
    deliveryId: 'delivery',
    messageId: 'message',
    leaseId: 'lease',
    attempt: 1,
    expiresAt: new Date('2026-05-02T12:00:00.000Z'),
    recipients: [{ ordinal: 0, email: 'Ann@example.com' }],
    recipientsInMessage: 1,
    acceptedMeans: 'sent',
    isSimulated: false,
    now: NOW,
    random: 0.5,
    ...changes,
  };
}

function verdict(changes: Partial<RecipientVerdict> = {}): RecipientVerdict {
  const reply = { code: 250, enhanced: '2.0.0', text: '2.0.0 Ok', server: 'mx.test' };
  return { recipient: 'Ann@example.com', outcome: 'accepted', reply, reason: 'accepted', ambiguous: false, ...changes };
}

const refused = (code: number, text: string, changes: Partial<RecipientVerdict> = {}) => {
  const enhanced = /^\d\.\d+\.\d+/.exec(text)?.[0] ?? null;
  return verdict({
    outcome: code < 500 ? 'deferred' : 'refused',
    reply: { code, enhanced, text, server: 'mx.test' },
    ...changes,
  });
};

const eventsOf = (outcome: ReturnType<typeof decideOutcome>) =>
  outcome.recipients.flatMap(({ events }) => events.map(({ type, classification }) => [type, classification]));

describe('the outcome of an attempt', () => {
  it('has the fence of its attempt, and its end time', () => {
    expect(decideOutcome(facts({ attempt: 3 }), [verdict()])).toMatchObject({
      accountId: 'account',
      deliveryId: 'delivery',
      messageId: 'message',
      leaseId: 'lease',
      attempt: 3,
      at: '2026-05-01T12:00:00.000Z',
    });
  });

  it('is `sent` when the provider accepted it without saying more, and `delivered` where acceptance is final', {
    tags: ['contract-messages.sent'],
  }, () => {
    const sent = decideOutcome(facts(), [verdict()]);
    expect([sent.recipients[0]?.change, eventsOf(sent)]).toEqual(['sent', [['sent', null]]]);
    const delivered = decideOutcome(facts({ acceptedMeans: 'delivered' }), [verdict()]);
    expect(delivered.recipients[0]?.change).toBe('delivered');
    expect(eventsOf(delivered)).toEqual([
      ['sent', null],
      ['delivered', null],
    ]);
    expect([sent.retryAt, sent.lastError, delivered.lastError]).toEqual([null, null, null]);
    expect(sent.recipients[0]?.events[0]?.detail).toBe('250 2.0.0 Ok');
  });

  it.each([
    [550, '5.1.1 No such user', 'hard'],
    [550, '5.7.1 Blocked by policy', 'block'],
    [552, '5.2.2 Mailbox full', 'soft'],
    [550, 'No', 'unknown'],
  ])(
    'is a bounce with its classification: %i %s is %s',
    { tags: ['events.hard', 'events.soft', 'events.block', 'events.unknown'] },
    (code, text, classification) => {
      const outcome = decideOutcome(facts(), [refused(code, text)]);
      expect([outcome.recipients[0]?.change, eventsOf(outcome)]).toEqual(['bounced', [['bounced', classification]]]);
      expect(outcome.lastError).toBe(`Ann@example.com: ${code} ${text}`);
      expect(outcome.retryAt).toBeNull();
    },
  );

  it('trusts a transport that knows more than the text of the reply', () => {
    const outcome = decideOutcome(facts(), [refused(550, '5.7.1 Blocked', { classification: 'hard' })]);
    expect(eventsOf(outcome)).toEqual([['bounced', 'hard']]);
  });

  it('has every line of the reply in its event', () => {
    const lines = ['550-5.1.1 The account', '550 5.1.1 does not exist'];
    const reply = { code: 550, enhanced: '5.1.1', text: '5.1.1 The account does not exist', lines, server: 'mx.test' };
    const outcome = decideOutcome(facts(), [refused(550, '', { reply })]);
    expect(outcome.recipients[0]?.events[0]).toMatchObject({ classification: 'hard', detail: lines.join('\n') });
    expect(outcome.lastError).toBe(`Ann@example.com: ${lines.join('\n')}`);
  });

  it('is retried after a deferral, without a classification', {
    tags: ['events.classification-null'],
  }, () => {
    const outcome = decideOutcome(facts(), [refused(451, '4.3.0 Later')]);
    expect([outcome.recipients[0]?.change, eventsOf(outcome)]).toEqual(['deferred', [['deferred', null]]]);
    expect(outcome.retryAt).toBe('2026-05-01T12:00:30.000Z');
    expect(outcome.lastError).toBe('Ann@example.com: 451 4.3.0 Later');
  });

  it('is retried immediately when the transport says that it need not wait', () => {
    const outcome = decideOutcome(facts(), [refused(451, '4.3.0 Later', { retryAtOnce: true })]);
    expect(outcome.retryAt).toBe(NOW.toISOString());
  });

  it('is a soft bounce when the retries ran out, whatever the last reply was', {
    tags: ['contract-messages.retries-run-out', 'events.soft'],
  }, () => {
    for (const text of ['4.3.0 Later', '4.1.1 No such user', '4.7.1 Greylisted']) {
      const outcome = decideOutcome(facts({ expiresAt: NOW, attempt: 14 }), [refused(451, text)]);
      expect(eventsOf(outcome)).toEqual([['bounced', 'soft']]);
      expect(outcome.retryAt).toBeNull();
      expect(outcome.recipients[0]?.events[0]?.detail).toBe(`The retries ran out. 451 ${text}`);
    }
  });

  it('describes a network fault in plain words, and says that a lost connection may have delivered', () => {
    const outcome = decideOutcome(facts(), [
      verdict({ outcome: 'deferred', reply: null, reason: 'Connection lost', ambiguous: true }),
    ]);
    expect(outcome.recipients[0]?.events[0]?.detail).toMatch(/^Connection lost \(ambiguous: /);
  });

  it('is decided for each recipient separately', () => {
    const recipients = ['a@x.co', 'b@x.co', 'c@x.co'].map((email, ordinal) => ({ ordinal, email }));
    const outcome = decideOutcome(facts({ recipients, recipientsInMessage: 5 }), [
      refused(451, '4.2.1 Later', { recipient: 'c@x.co' }),
      verdict({ recipient: 'A@X.CO' }),
      refused(550, '5.1.1 No such user', { recipient: 'b@x.co' }),
    ]);
    expect(outcome.recipients.map(({ email, change }) => [email, change])).toEqual([
      ['a@x.co', 'sent'],
      ['b@x.co', 'bounced'],
      ['c@x.co', 'deferred'],
    ]);
    expect(outcome).toMatchObject({
      retryAt: '2026-05-01T12:00:30.000Z',
      lastError: 'b@x.co: 550 5.1.1 No such user',
      recipientsInMessage: 5,
    });
  });

  it('retries recipients that the transport did not report', { tags: ['contract-messages.never-stuck'] }, () => {
    const outcome = decideOutcome(facts(), []);
    expect(outcome.recipients[0]?.change).toBe('deferred');
    expect(outcome.retryAt).not.toBeNull();
  });

  it('is a complaint when the receiver complained during the transaction', () => {
    const outcome = decideOutcome(facts({ acceptedMeans: 'delivered' }), [verdict({ complaint: true })]);
    expect(outcome.recipients[0]?.change).toBe('complained');
    expect(eventsOf(outcome)).toEqual([
      ['sent', null],
      ['delivered', null],
      ['complained', 'spam'],
    ]);
  });
});

describe('a delivery that cannot be attempted', () => {
  it('fails for every recipient, with the reason, and is not retried', {
    tags: ['contract-messages.never-stuck'],
  }, () => {
    const outcome = failOutcome(facts(), 'The sending domain is gone.');
    expect(outcome).toMatchObject({ retryAt: null, lastError: 'The sending domain is gone.' });
    expect(outcome.recipients).toEqual([
      {
        ordinal: 0,
        email: 'Ann@example.com',
        change: 'failed',
        events: [{ type: 'failed', classification: null, detail: 'The sending domain is gone.' }],
      },
    ]);
  });
});

describe('recipients who were not attempted', () => {
  const untried = (changes: Partial<RecipientVerdict> = {}) =>
    verdict({ outcome: 'deferred', reply: null, reason: 'nothing goes there', costsNoAttempt: true, ...changes });

  it('cost no attempt and add no event; a message that was never attempted stays queued', () => {
    const outcome = decideOutcome(facts(), [untried()]);
    expect(outcome).toMatchObject({ costsNoAttempt: true, lastError: 'nothing goes there' });
    expect([outcome.recipients[0]?.change, outcome.recipients[0]?.events]).toEqual(['queued', []]);
    expect(decideOutcome(facts({ attempt: 2 }), [untried()]).recipients[0]?.change).toBe('deferred');
  });

  it('wait until they may be attempted, or half a minute, and never past the expiry', () => {
    const at = (changes: Partial<RecipientVerdict>) => decideOutcome(facts(), [untried(changes)]).retryAt;
    expect(at({ notBefore: new Date('2026-05-01T12:07:00.000Z') })).toBe('2026-05-01T12:07:00.000Z');
    expect(at({})).toBe('2026-05-01T12:00:30.000Z');
    expect(at({ notBefore: new Date('2026-05-09T12:00:00.000Z') })).toBe('2026-05-02T12:00:00.000Z');
  });

  it('bounce like others when the retry time is over', { tags: ['contract-messages.retries-run-out'] }, () => {
    const outcome = decideOutcome(facts({ now: new Date('2026-05-02T12:00:00.000Z') }), [untried()]);
    expect([eventsOf(outcome), outcome.retryAt]).toEqual([[['bounced', 'soft']], null]);
    expect(outcome).not.toHaveProperty('costsNoAttempt');
  });

  it('count with the others when another recipient of the attempt was tried', () => {
    const recipients = ['a@example.com', 'b@example.com'].map((email, ordinal) => ({ ordinal, email }));
    const verdicts = [verdict({ recipient: 'a@example.com' }), untried({ recipient: 'b@example.com' })];
    const outcome = decideOutcome(facts({ recipients, recipientsInMessage: 2 }), verdicts);
    expect(outcome.recipients.map(({ change }) => change)).toEqual(['sent', 'deferred']);
    expect(outcome).not.toHaveProperty('costsNoAttempt');
  });
});

describe('recipients on the suppression list', () => {
  const suppressed = [{ ordinal: 3, email: 'gone@example.com', reason: 'unsubscribe' }];

  it('end as `suppressed`, with the reason in the events, beside the outcomes of the others', () => {
    const outcome = addSuppressed(decideOutcome(facts({ recipientsInMessage: 2 }), [verdict()]), suppressed);
    expect(outcome.recipients.map(({ ordinal, change }) => [ordinal, change])).toEqual([
      [3, 'suppressed'],
      [0, 'sent'],
    ]);
    const [event] = outcome.recipients[0]?.events ?? [];
    expect(event).toMatchObject({ type: 'suppressed', classification: null });
    expect(event?.detail).toContain('unsubscribe');
    expect([outcome.lastError, outcome.recipientsInMessage]).toEqual([null, 2]);
  });

  it('end so when they are the only ones left, and change nothing when there are none', () => {
    const none = decideOutcome(facts({ recipients: [] }), []);
    expect(addSuppressed(none, suppressed)).toMatchObject({ retryAt: null, recipients: [{ change: 'suppressed' }] });
    expect(addSuppressed(none, [])).toBe(none);
  });
});

describe('an outcome', () => {
  it('says when it was only simulated, and nothing otherwise', () => {
    expect(decideOutcome(facts({ isSimulated: true }), [verdict()]).isSimulated).toBe(true);
    expect(decideOutcome(facts(), [verdict()])).not.toHaveProperty('isSimulated');
  });
});
