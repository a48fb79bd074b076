import { describe, expect, it } from 'vitest';
import {
  type AcceptanceQuestion,
  checkAcceptance,
  examineAcceptance,
} from '../../packages/server/src/sending/acceptance.ts';

function ask(changes: Partial<AcceptanceQuestion> = {}) {
  return checkAcceptance(questionWith(changes));
}

function questionWith(changes: Partial<AcceptanceQuestion>): AcceptanceQuestion {
  return {
    fromDomain: 'example.com',
    recipients: [{ email: 'Ann@example.org', kind: 'to' }],
    cost: 1,
    recipientAllowlist: null,
    accountSuspended: false,
    domainVerified: true,
    suppressed: () => false,
    quotaLimit: 10,
    quotaUsed: 0,
    ...changes,
  };
}

describe('the acceptance check', () => {
  it('passes when no rule objects', () => {
    expect(ask()).toEqual({ ok: true });
  });

  it('rejects by the first rule that objects: account, domain, recipients, quota', () => {
    const all = { accountSuspended: true, domainVerified: false, recipientAllowlist: [], quotaUsed: 10 };
    expect(ask(all)).toMatchObject({ code: 'account_suspended' });
    expect(ask({ ...all, accountSuspended: false })).toMatchObject({ code: 'domain_not_verified' });
    expect(ask({ recipientAllowlist: [], quotaUsed: 10 })).toMatchObject({ code: 'recipient_not_allowed' });
    expect(ask({ quotaUsed: 10 })).toMatchObject({ code: 'quota_exceeded' });
  });

  it('queries the suppression list for normalized addresses, of every kind', () => {
    const asked: string[] = [];
    ask({
      recipients: [
        { email: 'Ann@example.org', kind: 'to' },
        { email: 'BEN@example.org', kind: 'cc' },
        { email: 'Cy@example.org', kind: 'bcc' },
      ],
      suppressed: (email) => {
        asked.push(email);
        return false;
      },
    });
    expect(asked).toEqual(['ann@example.org', 'ben@example.org', 'cy@example.org']);
  });

  it('names every recipient that fails, each with its own reason, the allowlist before the suppression list', () => {
    const verdict = ask({
      recipients: [
        { email: 'ok@example.org', kind: 'to' },
        { email: 'both@elsewhere.co', kind: 'cc' },
        { email: 'gone@example.org', kind: 'bcc' },
      ],
      recipientAllowlist: ['@example.org'],
      suppressed: (email) => email.startsWith('both') || email.startsWith('gone'),
    });
    expect(verdict).toEqual({
      ok: false,
      code: 'recipient_not_allowed',
      detail: 'both@elsewhere.co: not on the key’s recipient allowlist. Nothing was sent to anyone.',
      recipients: [
        { email: 'both@elsewhere.co', kind: 'cc', code: 'recipient_not_allowed' },
        { email: 'gone@example.org', kind: 'bcc', code: 'recipient_suppressed' },
      ],
    });
  });

  it('allows the last of the quota and nothing beyond it', () => {
    expect(ask({ quotaUsed: 9 })).toEqual({ ok: true });
    expect(ask({ quotaUsed: 9, cost: 2 })).toMatchObject({ ok: false, detail: expect.stringContaining('1 of the 10') });
    expect(ask({ quotaUsed: 10, cost: 0 })).toEqual({ ok: true });
    expect(ask({ quotaLimit: 0 })).toMatchObject({ detail: expect.stringContaining('0 of the 0') });
  });

  it('costs nothing when nothing leaves, even for an account that was cut below what it has used', () => {
    expect(ask({ quotaUsed: 50, cost: 0 })).toEqual({ ok: true });
  });
});

describe('the check for a dry run', () => {
  const NOTHING = { account: null, domain: null, allowlist: null, suppression: null, quota: null, refused: [] };

  it('finds nothing when the acceptance check passes', () => {
    expect(examineAcceptance(questionWith({}))).toEqual(NOTHING);
  });

  it.each<[keyof typeof NOTHING, Partial<AcceptanceQuestion>]>([
    ['account', { accountSuspended: true }],
    ['domain', { domainVerified: false }],
    ['allowlist', { recipientAllowlist: [] }],
    ['suppression', { suppressed: () => true }],
    ['quota', { quotaUsed: 10 }],
  ])('reports by the rule of %s the error of a send', (rule, changes) => {
    const { refused: _, ...found } = examineAcceptance(questionWith(changes));
    const { refused: __, ...nothing } = NOTHING;
    const refusal = checkAcceptance(questionWith(changes));
    expect(refusal.ok).toBe(false);
    expect(found).toEqual({ ...nothing, [rule]: { ...refusal, ok: undefined } });
  });

  it('evaluates every rule, whichever objected before', () => {
    const all = {
      accountSuspended: true,
      domainVerified: false,
      recipientAllowlist: [],
      suppressed: () => true,
      quotaUsed: 10,
    };
    const { refused, ...found } = examineAcceptance(questionWith(all));
    expect(Object.values(found).every((refusal) => refusal !== null)).toBe(true);
    expect(refused).toEqual([{ email: 'Ann@example.org', kind: 'to', code: 'recipient_not_allowed' }]);
  });
});
