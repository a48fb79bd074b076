import { MESSAGE_STATUSES, type MessageStatus } from '@postrider/core';
import { describe, expect, it } from 'vitest';
import {
  decideReport,
  type KnownRecipient,
  type ReportFacts,
} from '../../packages/server/src/inbound/decide-report.ts';
import type {
  AbuseReport,
  DeliveryReport,
  ReportedRecipient,
} from '../../packages/server/src/inbound/inbound-report.ts';

const ANN = 'Ann@example.com';
const knowing = (status: MessageStatus, rest: Partial<KnownRecipient> = {}): KnownRecipient => ({
  ...{ ordinal: 0, email: ANN, status, isDelayed: false },
  ...rest,
});
const facts = (...recipients: readonly KnownRecipient[]): ReportFacts => ({
  recipients,
  ordinals: recipients.map(({ ordinal }) => ordinal),
});
const reportOn = (...recipients: readonly Partial<ReportedRecipient>[]): DeliveryReport => ({
  kind: 'delivery_status',
  recipients: recipients.map((recipient) => ({
    ...{ addresses: [ANN.toLowerCase()], action: 'failed', status: '5.1.1', diagnostic: 'smtp; 550 5.1.1 no' },
    ...recipient,
  })),
});
const complaining = (rest: Partial<AbuseReport> = {}): AbuseReport => ({
  ...{ kind: 'abuse', feedbackType: 'abuse', reporter: null, addresses: [], returnPaths: [] },
  ...rest,
});
const decide = (known: ReportFacts, report: DeliveryReport | AbuseReport) => decideReport(known, report, () => 'hard');
const STATUSES = Object.keys(MESSAGE_STATUSES) as MessageStatus[]; // Object.keys widens to string.
const newsOf = (report: DeliveryReport | AbuseReport) =>
  STATUSES.filter((status) => {
    const verdict = decide(facts(knowing(status)), report);
    return verdict.kind === 'decided' && verdict.events.length > 0;
  });

describe('the recipients that a report changes', () => {
  it('are those handed off, without a worse status yet', () => {
    expect(newsOf(reportOn({}))).toEqual(['sent', 'delivered']);
    expect(newsOf(reportOn({ action: 'delivered' }))).toEqual(['sent']);
    expect(newsOf(reportOn({ action: 'delayed' }))).toEqual(['sent']);
    expect(newsOf(reportOn({ action: 'relayed' }))).toEqual([]);
    expect(newsOf(complaining())).toEqual(['sent', 'delivered', 'bounced']);
  });

  it('exclude those still queued, and the report waits while their delivery attempt is in progress', () => {
    for (const status of ['queued', 'deferred', 'pending_approval', 'canceled'] as const) {
      expect(decide(facts(knowing(status)), reportOn({}))).toMatchObject({ outcome: 'in_hand', events: [] });
    }
    expect(decide(facts(knowing('sending')), reportOn({}))).toEqual({ kind: 'too_early' });
    expect(decide(facts(knowing('sending')), reportOn({ addresses: ['eve@x.example'] }))).toMatchObject({
      outcome: 'foreign_recipient',
    });
  });

  it('get one event, even when one report names them twice', () => {
    const delay = reportOn({ action: 'delayed' }, { action: 'delayed' });
    expect(decide(facts(knowing('sent')), delay)).toMatchObject({ outcome: 'applied', events: { length: 1 } });
    expect(decide(facts(knowing('sent', { isDelayed: true })), delay)).toMatchObject({ outcome: 'repeated' });
    expect(decide(facts(knowing('sent')), reportOn({}, {}))).toMatchObject({ events: { length: 1 } });
    const order = decide(facts(knowing('sent')), reportOn({}, { action: 'delivered' }));
    expect(order).toMatchObject({ events: [{ type: 'bounced' }] });
  });
});

describe('the recipient of a report', () => {
  const two = [knowing('sent'), knowing('sent', { ordinal: 1, email: 'bob@example.com' })];
  const who = (known: ReportFacts, report: DeliveryReport | AbuseReport) => {
    const verdict = decide(known, report);
    return verdict.kind === 'decided' ? verdict.events.map(({ ordinal }) => ordinal) : null;
  };

  it('is the original recipient, before the final one', () => {
    expect(who(facts(...two), reportOn({ addresses: ['bob@example.com', ANN.toLowerCase()] }))).toEqual([1]);
    expect(who(facts(...two), reportOn({ addresses: ['box@store.example', 'bob@example.com'] }))).toEqual([1]);
    expect(who(facts(...two), reportOn({ addresses: [] }))).toEqual([]);
  });

  it('is the one in the return path, unless the report says otherwise', () => {
    const own = { recipients: two, ordinals: [1] };
    expect(who(own, reportOn({ addresses: [] }))).toEqual([1]);
    expect(who(own, reportOn({ addresses: [ANN.toLowerCase()] }))).toEqual([]);
    expect(who(own, complaining({ addresses: ['hidden@example.com'] }))).toEqual([1]);
    expect(who(own, complaining({ addresses: ['hidden@elsewhere.example'] }))).toEqual([]);
    expect(who({ recipients: two, ordinals: [7] }, reportOn({ addresses: [] }))).toEqual([]);
  });

  it('is never outside the delivery, whatever the report says', () => {
    const all = [...two, knowing('delivered', { ordinal: 2, email: 'victim@example.org' })];
    const shared = { recipients: all, ordinals: [0, 1] };
    const foreign = { outcome: 'foreign_recipient', events: [] };
    expect(decide(shared, reportOn({ addresses: ['victim@example.org'] }))).toMatchObject(foreign);
    expect(decide(shared, complaining({ addresses: ['victim@example.org'] }))).toMatchObject(foreign);
    expect(who(shared, reportOn({ addresses: ['victim@example.org'] }, { addresses: ['bob@example.com'] }))).toEqual([
      1,
    ]);
  });

  it('of a complaint without a name is the only recipient of the delivery, and none of several', () => {
    expect(who(facts(knowing('sent')), complaining())).toEqual([0]);
    expect(who(facts(...two), complaining())).toEqual([]);
    expect(who(facts(...two), complaining({ addresses: ['bob@example.com'] }))).toEqual([1]);
  });

  it('is unknown once the message is gone from the log', () => {
    expect(decide(facts(), reportOn({}))).toMatchObject({ outcome: 'gone', events: [] });
  });
});
