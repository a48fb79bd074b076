import type { MessageStatus } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import {
  isSettled,
  messageStatusOf,
  nextRecipientStatus,
  type RecipientChange,
} from '../../packages/server/src/delivery/message-status.ts';

const CHANGES: readonly RecipientChange[] = [
  'sent',
  'delivered',
  'deferred',
  'bounced',
  'complained',
  'failed',
  'suppressed',
];

describe('the next status of a recipient', () => {
  it('follows what happened while nothing is final', {
    tags: ['states.other-transitions', 'contract-messages.statuses'],
  }, () => {
    for (const current of ['queued', 'sending', 'deferred'] as const) {
      for (const change of CHANGES) expect(nextRecipientStatus(current, change)).toBe(change);
    }
  });

  it('after `sent` is what is reported later, but never a retry', () => {
    const next = Object.fromEntries(CHANGES.map((change) => [change, nextRecipientStatus('sent', change)]));
    expect(next).toEqual({
      sent: 'sent',
      delivered: 'delivered',
      deferred: 'sent',
      bounced: 'bounced',
      complained: 'complained',
      failed: 'failed',
      suppressed: 'suppressed',
    });
  });

  it('after `delivered` is a bounce, a complaint or unchanged', { tags: ['contract-messages.late-events'] }, () => {
    const next = CHANGES.map((change) => nextRecipientStatus('delivered', change));
    expect(next).toEqual(['delivered', 'delivered', 'delivered', 'bounced', 'complained', 'delivered', 'delivered']);
  });

  it('never turns a failure into a success', { tags: ['contract-messages.late-events'] }, () => {
    const ends: readonly MessageStatus[] = [
      'bounced',
      'complained',
      'failed',
      'suppressed',
      'rejected',
      'expired',
      'canceled',
    ];
    for (const end of ends) {
      for (const change of ['sent', 'delivered', 'deferred', 'failed'] as const) {
        expect(nextRecipientStatus(end, change), `${end} and ${change}`).toBe(end);
      }
    }
    expect(nextRecipientStatus('complained', 'bounced')).toBe('complained');
    expect(nextRecipientStatus('bounced', 'complained')).toBe('complained');
  });
});

describe('the status of a message', () => {
  it('is the first in the contract’s order that any recipient has', {
    tags: ['contract-messages.worst-recipient'],
  }, () => {
    const order: readonly MessageStatus[] = [
      ...([
        'sending',
        'queued',
        'deferred',
        'complained',
        'bounced',
        'failed',
        'suppressed',
        'sent',
        'delivered',
      ] as const),
    ];
    order.forEach((status, index) => {
      expect(messageStatusOf(order.slice(index).reverse())).toBe(status);
      expect(messageStatusOf([status, status])).toBe(status);
    });
  });

  it('is failed when there is no recipient at all', () => {
    expect(messageStatusOf([])).toBe('failed');
  });

  it('ends a wait when it is final or `sent`', { tags: ['contract-messages.wait'] }, () => {
    const open: readonly MessageStatus[] = ['queued', 'sending', 'deferred', 'pending_approval'];
    const over: readonly MessageStatus[] = [
      ...([
        'sent',
        'delivered',
        'bounced',
        'complained',
        'failed',
        'suppressed',
        'rejected',
        'expired',
        'canceled',
      ] as const),
    ];
    expect(open.filter(isSettled)).toEqual([]);
    expect(over.filter((status) => !isSettled(status))).toEqual([]);
  });
});
