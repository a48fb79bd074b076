import { EVENT_VISIBILITY, type Scope, WEBHOOK_EVENT_NAMES } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../packages/server/src/db/client.ts';
import { readableEvents, redactWebhookEvents } from '../../packages/server/src/visibility/redact-webhook-event.ts';
import { makeSampleEvent } from '../../packages/server/src/webhooks/sample-event.ts';

/** No message is named, so nothing is read. */
const NO_DATABASE: Query = Object.assign(() => Promise.reject(new Error('read the database')), {}) as never;
const KEY_ID = '01900000-0000-7000-8000-000000000003';
const EVENTS = WEBHOOK_EVENT_NAMES.map((type) => {
  const sample = makeSampleEvent({ id: KEY_ID, type, now: new Date(0) });
  return { type, body: JSON.stringify({ ...sample, data: { ...sample.data, emailId: null } }) };
});

describe('the events that a caller may read', () => {
  const typesFor = async (keyId: string, ...scopes: Scope[]) => {
    const shown = await readableEvents(NO_DATABASE, KEY_ID, EVENTS, { keyId, scopes, isUser: false });
    return new Set(shown.map(({ type }) => type.split('.')[0]));
  };

  it('need the scope that reading what they are about needs', { tags: ['holes.readable-events'] }, async () => {
    const always = ['quota', 'webhook'];
    expect(await typesFor('other', 'webhooks:read')).toEqual(new Set(always));
    const SCOPES: Readonly<Record<string, Scope>> = {
      ...{ email: 'emails:read', approval: 'approvals:read', key: 'keys:read', domain: 'domains:read' },
      suppression: 'suppressions:read',
    };
    for (const [subject, scope] of Object.entries(SCOPES))
      expect(await typesFor('other', 'webhooks:read', scope)).toEqual(new Set([...always, subject]));
    expect(Object.keys(EVENT_VISIBILITY).sort()).toEqual([...Object.keys(SCOPES), ...always].sort());
  });

  it('do not say why a hold of another key exists, nor what its approver wrote', {
    tags: ['holes.sight'],
  }, async () => {
    const decided = EVENTS.filter(({ type }) => type === 'approval.decided').map(({ body }) => {
      const event = JSON.parse(body);
      const data = { ...event.data, reasons: ['hasBcc'], edited: ['bcc'], note: 'A note' };
      return { type: 'approval.decided', body: JSON.stringify({ ...event, data }) };
    });
    const shownTo = async (keyId: string, ...scopes: Scope[]) => {
      const [shown] = await redactWebhookEvents(NO_DATABASE, KEY_ID, decided, { keyId, scopes, isUser: false });
      const { reasons, edited, note } = JSON.parse(shown?.body ?? '').data;
      return { reasons, edited, note };
    };
    const all = { reasons: ['hasBcc'], edited: ['bcc'], note: 'A note' };
    expect(await shownTo('other', 'webhooks:read')).toEqual({ reasons: [], edited: [], note: null });
    expect(await shownTo('other', 'approvals:read')).toEqual(all);
    expect(await shownTo(KEY_ID)).toEqual(all);
  });

  it('include those about the key itself and its own holds', { tags: ['holes.readable-events'] }, async () => {
    expect(await typesFor(KEY_ID)).toEqual(new Set(['approval', 'key', 'quota', 'webhook']));
  });
});
