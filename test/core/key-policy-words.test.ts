import {
  ALL_SCOPES,
  CALLER_POLICY,
  KEY_POWERS,
  type KeyPolicy,
  type KeyPolicyWords,
  keyPolicyInWords,
  OPERATIONS,
  type Operation,
  refusedKind,
  SCOPE_SHORTHANDS,
  type Scope,
} from '@postrider/core';
import { describe, expect, it } from 'vitest';

const ORDINARY: KeyPolicy = {
  ...{ mode: 'live', scopes: SCOPE_SHORTHANDS.sending, rateLimit: 600, sendLimit: null, recipientAllowlist: null },
  ...{ ipAllowlist: null, attachmentHosts: null, approvalMode: 'off', holdWhen: null, persona: null },
  ...{ lockPersona: false, expiresAt: null },
};
const NO_RULES = {
  ...{ firstContact: false, recipientDomainNotIn: null, recipientsOver: null, hasBcc: false, hasAttachments: false },
  ...{ freeformBody: false, linkDomainNotIn: null },
};
const words = (changes: Partial<KeyPolicy> = {}): KeyPolicyWords => keyPolicyInWords({ ...ORDINARY, ...changes });
const held = (rules: Partial<NonNullable<KeyPolicy['holdWhen']>>) =>
  words({ approvalMode: 'policy', holdWhen: { ...NO_RULES, ...rules } }).held;

describe('the words for the policy of a key', () => {
  it('describe a key for sending', { tags: ['keys.policy-words'] }, () => {
    expect(words()).toEqual({
      may: [
        'May send to anyone.',
        'May attach files, also by the URL of any public host.',
        'May read the log of all messages of the account, without their content.',
        'May read the content of messages that it sent itself.',
        'May cancel and reschedule queued messages of the whole account.',
        'May read and render templates.',
        'May read sending domains.',
        'May read the suppression list.',
        'May read statistics.',
        'May make 600 requests a minute.',
      ],
      mayNot: [
        'Cannot read the content of messages of other senders.',
        'Cannot change templates.',
        'Cannot change sending domains.',
        'Cannot create or change webhook endpoints.',
        'Cannot remove suppressions.',
        'Cannot change the account.',
        'Cannot create or change keys.',
        'Cannot decide approvals.',
        'Cannot change the team.',
      ],
      held: [],
    });
  });

  it.each<readonly [Partial<KeyPolicy>, string]>([
    [
      { recipientAllowlist: ['@acme.example'], sendLimit: { hour: 50, day: 200 } },
      'May send to anyone at acme.example, at most 50 an hour and 200 a day.',
    ],
    [{ sendLimit: { hour: null, day: 10_000 } }, 'May send to anyone, at most 10,000 a day.'],
    [
      { recipientAllowlist: ['ada@acme.example', '@b.example', '*.c.example'] },
      'May send to ada@acme.example, anyone at b.example and anyone at a subdomain of c.example.',
    ],
    [
      { recipientAllowlist: Array.from({ length: 12 }, (_, n) => `a${n}@b.example`) },
      'May send to a0@b.example, a1@b.example, a2@b.example, a3@b.example and 8 more.',
    ],
    [{ recipientAllowlist: [] }, 'May send to no one.'],
    [{ mode: 'test' }, 'May send test messages to anyone. They pass all checks and are not delivered.'],
    [{ persona: { agentName: 'Bot', source: null } }, 'Messages name the agent “Bot”, unless a send names another.'],
    [
      { persona: { agentName: 'Bot', source: 'agent' }, lockPersona: true },
      'Every message names the agent “Bot” and the source `agent`.',
    ],
    [
      { attachmentHosts: ['files.example', '*.cdn.example'] },
      'May attach files, also by URL from files.example and subdomains of cdn.example.',
    ],
    [{ attachmentHosts: [] }, 'May attach files, but none by URL.'],
    [{ recipientAllowlist: ['@a.example'] }, 'May attach files, but none by URL.'],
    [{ approvalMode: 'always' }, 'May attach files, but none by URL.'],
    [{ sendLimit: { hour: 5, day: null } }, 'May cancel and reschedule queued messages that it sent itself.'],
    [{ approvalMode: 'always' }, 'May cancel queued messages that it sent itself.'],
    [
      { scopes: ['emails:read', 'emails:content-all'] },
      'May read every message of the account, with its content and bcc recipients.',
    ],
    [{ scopes: ['keys:write'] }, 'May create and change keys that are restricted at least as much as itself.'],
    [
      { scopes: ['keys:write'], mode: 'test' },
      'May create and change test keys that are restricted at least as much as itself.',
    ],
    [{ scopes: ['keys:write'], isPaused: true }, 'May pause and revoke keys.'],
    [{ scopes: ['account:write'], isPaused: true }, 'May pause the account, and lift a pause that a key set.'],
  ])('say what %j may do', (changes, sentence) => {
    expect(words(changes).may).toContain(sentence);
  });

  it.each<readonly [Partial<KeyPolicy>, string]>([
    [{ scopes: ['emails:read'] }, 'Cannot send.'],
    [{ scopes: ['emails:read'] }, 'Cannot read the content of messages.'],
    [{ scopes: ['emails:send', 'emails:content'] }, 'Cannot read messages.'],
    [
      { ipAllowlist: ['10.0.0.0/8', '192.0.2.1/32'] },
      'Cannot be used from addresses other than 10.0.0.0/8 and 192.0.2.1/32.',
    ],
    [{ expiresAt: '2027-01-31T10:30:00+01:00' }, 'Cannot be used after 2027-01-31 09:30 UTC.'],
    [{ isPaused: true }, 'Cannot send or change anything while it is paused.'],
    [{ scopes: SCOPE_SHORTHANDS.full, approvalMode: 'always' }, 'Cannot rename or delete templates.'],
    [{ scopes: SCOPE_SHORTHANDS.full, approvalMode: 'always' }, 'Cannot create or change keys.'],
    [{ scopes: SCOPE_SHORTHANDS.full, mode: 'test' }, 'Cannot create or change webhook endpoints.'],
    [{ scopes: ['account:write'], mode: 'test', isPaused: true }, 'Cannot change the account.'],
    [{ scopes: ['approvals:decide'], mode: 'test' }, 'Cannot decide approvals.'],
  ])('say what %j may not do', (changes, sentence) => {
    expect(words(changes).mayNot).toContain(sentence);
  });

  it('promise no send of a key that is paused or has no scope for it', () => {
    for (const { may } of [words({ isPaused: true }), words({ scopes: ['emails:read'] })]) {
      expect(may.filter((sentence) => /\b(send|attach|names?)\b/i.test(sentence))).toEqual([]);
    }
  });

  it.each<readonly [Partial<NonNullable<KeyPolicy['holdWhen']>>, readonly string[]]>([
    [{}, ['No message waits for approval: the policy has no rule.']],
    [
      { firstContact: true },
      ['Messages to an address that the account has never sent to wait for a person’s approval.'],
    ],
    [
      { recipientDomainNotIn: ['a.example', 'b.example'] },
      ['Messages to a domain other than a.example and b.example wait for a person’s approval.'],
    ],
    [{ recipientDomainNotIn: [] }, ['Messages to any domain wait for a person’s approval.']],
    [{ recipientsOver: 0 }, ['Messages to more than 0 recipients wait for a person’s approval.']],
    [{ recipientsOver: 1 }, ['Messages to more than 1 recipient wait for a person’s approval.']],
    [{ hasBcc: true }, ['Messages with bcc recipients wait for a person’s approval.']],
    [{ hasAttachments: true }, ['Messages with attachments or embedded files wait for a person’s approval.']],
    [{ freeformBody: true }, ['Messages that contain more than a stored template wait for a person’s approval.']],
    [{ linkDomainNotIn: [] }, ['Messages with any link wait for a person’s approval.']],
    [
      { linkDomainNotIn: ['a.example'], hasBcc: true },
      [
        'Messages with bcc recipients wait for a person’s approval.',
        'Messages with a link to a domain other than a.example wait for a person’s approval.',
      ],
    ],
  ])('say what the policy %j holds', (rules, sentences) => {
    expect(held(rules)).toEqual(sentences);
  });

  it('say what is held without a policy, and that templates become drafts', () => {
    const always = ['Every message waits for a person’s approval.'];
    expect(words({ approvalMode: 'always' }).held).toEqual(always);
    // A policy without rules holds everything, as in the rules themselves.
    expect(words({ approvalMode: 'policy' }).held).toEqual(always);
    expect(words({ approvalMode: 'always', scopes: ['emails:read'] }).held).toEqual([]);
    const drafts = ['Changes to templates are drafts until an approver publishes them.'];
    expect(words({ mode: 'test', scopes: ['templates:write'] }).held).toEqual(drafts);
    expect(words({ approvalMode: 'always', scopes: ['emails:send', 'templates:write'] }).held).toEqual([
      ...always,
      ...drafts,
    ]);
  });

  const SPOKEN_APART: readonly Scope[] = [
    ...(['emails:send', 'emails:read', 'emails:content', 'emails:content-all', 'emails:cancel'] as const),
  ];

  it('cover every scope', () => {
    expect(ALL_SCOPES.filter((scope) => KEY_POWERS[scope] === undefined)).toEqual(SPOKEN_APART);
  });

  it.each(Object.keys(KEY_POWERS) as Scope[])('claim of %s what the policy of its operations allows', (scope) => {
    const power = KEY_POWERS[scope];
    const operations = OPERATIONS.filter(({ access, reach, heldAs }: Operation) => {
      const isOfScope = access.kind === 'key' && access.scope === scope;
      return isOfScope && reach !== 'none' && heldAs === undefined;
    });
    expect(power?.reach === 'none').toBe(operations.length === 0);
    if (power === undefined || operations.length === 0) return;
    const facts = { role: null, isDevice: false, isPaused: false, isAllowlisted: false, isLimited: false };
    for (const kind of [
      { isHeld: false, isTest: false },
      { isHeld: true, isTest: false },
      { isHeld: false, isTest: true },
    ]) {
      const isRefused = refusedKind(power, { ...facts, ...kind }) !== null;
      const verdicts = operations.map((operation) => refusedKind(operation, { ...facts, ...kind }) !== null);
      expect(new Set(verdicts)).toEqual(new Set([isRefused]));
    }
    expect(CALLER_POLICY['ordinary key'][power.reach]).toBe('allow');
  });
});
