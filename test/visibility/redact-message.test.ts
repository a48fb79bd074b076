import { type Scope, VISIBILITY_RULES } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import { visibleUrl } from '../../packages/server/src/visibility/mask-url.ts';
import { redactMessage } from '../../packages/server/src/visibility/redact-message.ts';

const OWNER = { keyId: 'sender', blind: ['Blind@example.org'] };
const viewer = (keyId: string, ...scopes: Scope[]) => ({ keyId, scopes, isUser: false });
const event = (type: string, recipient: string | null, detail: string | null) => ({ type, recipient, detail });
const MESSAGE = {
  subject: 'Hello',
  html: '<p>Hi</p>',
  bcc: ['blind@example.org'],
  metadata: { order: '17' },
  lastError: '550 No such user',
  recipients: [
    { email: 'to@example.org', kind: 'to' },
    { email: 'Blind@example.org', kind: 'bcc' },
  ],
  events: [
    event('queued', null, null),
    event('bounced', 'blind@example.org', '550 No such user'),
    event('failed', null, 'blind@EXAMPLE.org: suppressed'),
    event('clicked', 'to@example.org', 'https://example.org/reset?token=secret'),
  ],
};

describe('the delivery attempts of a message', () => {
  const attempt = (...recipients: string[]) => ({ recipients, reply: '250 OK', conversation: [{ line: 'DATA' }] });
  const shown = {
    attempts: [attempt('to@example.org'), attempt('to@example.org', 'BLIND@example.org'), attempt('Blind@example.org')],
  };

  it('show nothing about a blind recipient to another key', { tags: ['holes.sight'] }, () => {
    expect(redactMessage(shown, OWNER, viewer('other', 'emails:read'))).toEqual({
      message: { attempts: [shown.attempts[0], { recipients: ['to@example.org'], reply: null, conversation: null }] },
      redacted: ['attempts'],
    });
  });

  it('are complete for the key that sent the message', { tags: ['holes.sight'] }, () => {
    expect(redactMessage(shown, OWNER, viewer('sender', 'emails:read'))).toEqual({ message: shown, redacted: [] });
  });
});

describe('a message for a caller', () => {
  it('is complete for the key that sent it with `emails:content`, and for `emails:content-all`', {
    tags: ['holes.sight'],
  }, () => {
    for (const caller of [viewer('sender', 'emails:read', 'emails:content'), viewer('other', 'emails:content-all')]) {
      expect(redactMessage(MESSAGE, OWNER, caller)).toEqual({ message: MESSAGE, redacted: [] });
    }
  });

  it('has no content and no clicked URL for its own key without `emails:content`', { tags: ['holes.sight'] }, () => {
    const { message, redacted } = redactMessage(MESSAGE, OWNER, viewer('sender', 'emails:read'));
    expect(redacted).toEqual(['html', 'events']);
    expect(message).toEqual({
      ...MESSAGE,
      html: null,
      events: [...MESSAGE.events.slice(0, 3), event('clicked', 'to@example.org', null)],
    });
  });

  it('has no bcc recipients, and nothing that names them, for another key', { tags: ['holes.sight'] }, () => {
    const { message, redacted } = redactMessage(MESSAGE, OWNER, viewer('other', 'emails:read', 'emails:content'));
    expect(redacted).toEqual(['html', 'bcc', 'metadata', 'lastError', 'recipients', 'events']);
    expect(message).toEqual({
      ...{ subject: 'Hello', html: null, bcc: [], metadata: {}, lastError: null },
      recipients: [{ email: 'to@example.org', kind: 'to' }],
      events: [event('queued', null, null), event('failed', null, null), event('clicked', 'to@example.org', null)],
    });
  });
});

describe('the reasons of a hold, the note of an approver and the id of a canceler', () => {
  const shown = {
    approval: { status: 'rejected', note: 'Quotes the text', reasons: ['linkDomainNotIn'], edited: ['bcc'] },
    events: [
      event('pending_approval', null, 'linkDomainNotIn'),
      event('approved', null, 'Quotes the text'),
      event('rejected', null, 'policy: Quotes the text'),
      event('canceled', null, 'by sender'),
    ],
  };
  const CLOSED = shown.events.map((one) => ({ ...one, detail: null }));

  it('are hidden from another key', { tags: ['holes.sight'] }, () => {
    expect(redactMessage(shown, OWNER, viewer('other', 'emails:read', 'approvals:read'))).toEqual({
      message: { approval: { status: 'rejected', note: null, reasons: [], edited: [] }, events: CLOSED },
      redacted: ['approval', 'events'],
    });
  });

  it('are shown to the key that sent the message, and by the scope for each', { tags: ['holes.sight'] }, () => {
    expect(redactMessage(shown, OWNER, viewer('sender', 'emails:read'))).toEqual({ message: shown, redacted: [] });
    const readsKeys = redactMessage(shown, OWNER, viewer('other', 'emails:read', 'keys:read'));
    expect(readsKeys.message.events.map(({ detail }) => detail)).toEqual([null, null, null, 'by sender']);
    const readsContent = redactMessage(shown, OWNER, viewer('other', 'emails:read', 'emails:content-all'));
    expect(readsContent.message).toEqual({ ...shown, events: [...shown.events.slice(0, 3), CLOSED[3]] });
  });
});

describe('the table of what each scope shows', () => {
  it('names a scope for everything that another key created', { tags: ['holes.sight'] }, () => {
    for (const rule of Object.values(VISIBILITY_RULES)) expect(rule.others.length).toBeGreaterThan(0);
  });

  it('masks a webhook URL after its host without `webhooks:write`', { tags: ['holes.sight'] }, () => {
    const url = 'https://hooks.example.com:8443/services/T0/secret?token=1';
    expect(visibleUrl(url, viewer('any', 'webhooks:read'))).toBe('https://hooks.example.com:8443/***');
    expect(visibleUrl(url, viewer('any', 'webhooks:write'))).toBe(url);
  });
});
