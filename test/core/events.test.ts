import { CLASSIFICATIONS, MESSAGE_EVENT_TYPES, OPERATIONS, toOpenApi } from '@postrider/core';
import { describe, expect, it } from 'vitest';

// A reader's view of the published schemas, by path.
// biome-ignore lint/suspicious/noExplicitAny: see above
const document: any = toOpenApi(OPERATIONS, { version: '0', serverUrl: 'http://api.test' });

describe('the events of a message', () => {
  it('have the contract’s type names, and each says when it is recorded', {
    tags: ['events.type-names', 'contract-messages.trail-types'],
  }, () => {
    expect(Object.keys(MESSAGE_EVENT_TYPES)).toEqual([
      ...[
        'queued',
        'pending_approval',
        'approved',
        'rejected',
        'scheduled',
        'rescheduled',
        'sent',
        'delivered',
        'deferred',
      ],
      ...['bounced', 'complained', 'opened', 'clicked', 'failed', 'suppressed', 'canceled', 'expired', 'unsubscribed'],
    ]);
    for (const meaning of Object.values(MESSAGE_EVENT_TYPES)) expect(meaning).toMatch(/^[A-Z].+\.$/);
  });

  it('have the specification’s classifications', { tags: ['events.bounce-and-complaint'] }, () => {
    expect(Object.keys(CLASSIFICATIONS)).toEqual(['hard', 'soft', 'block', 'spam', 'unknown']);
  });

  it('are published with all their names, so that a client knows which exist', {
    tags: ['events.type-names'],
  }, () => {
    const { properties } = document.components.schemas.MessageEvent;
    expect(properties.type.enum).toEqual(Object.keys(MESSAGE_EVENT_TYPES));
    expect(JSON.stringify(properties.classification)).toContain(JSON.stringify(Object.keys(CLASSIFICATIONS)));
    for (const name of Object.keys(MESSAGE_EVENT_TYPES)) expect(properties.type.description).toContain(`\`${name}\`: `);
  });
});
