import type { Classification, MessageStatus } from '@postrider/core';
import type { Query } from '../db/client.ts';
import { type LateEventFacts, readLateEventFacts, writeLateEvent } from '../db/queries/record-late-event.ts';
import { messageStatusOf, nextRecipientStatus } from './message-status.ts';

/** News about a recipient after its delivery attempt ended, for example from a report. */
export interface LateEvent {
  readonly accountId: string;
  readonly messageId: string;
  readonly ordinal: number;
  readonly type: 'bounced' | 'complained' | 'delivered' | 'deferred';
  readonly classification: Classification | null;
  /** Text from a third party. */
  readonly detail: string | null;
  readonly at: Date;
  /** The id of the event, if one is created. */
  readonly eventId: string;
}

/** A retry is needed only if another event of the same message was written between the read and the write. */
const MAX_ROUNDS = 20;
/** Delays change no status, so only this limit bounds how many of them a server can report for one recipient. */
const MAX_DELAYS = 10;

/**
 * Adds a late event to the event log and derives the statuses. Returns false if nothing changed: there is no such recipient, the event is
 * known already, or we are still trying this recipient. A report can arrive before its own delivery attempt is recorded: a caller that
 * gets false for a `sending` recipient tries again later.
 * @throws database errors
 */
export async function recordLateEvent(query: Query, event: LateEvent): Promise<boolean> {
  for (let round = 1; round <= MAX_ROUNDS; round += 1) {
    const facts = await readLateEventFacts(query, event.accountId, event.messageId, event);
    const current = facts === null ? null : statusOf(facts, event.ordinal);
    if (facts === null || current === null) return false;
    const next = nextRecipientStatus(current, event.type);
    if (!isChange(current, next, event.type, facts.alike)) return false;
    if (await write(query, event, facts, next)) return true;
  }
  throw new Error(`The event log of ${event.messageId} changes faster than a report can be added to it.`);
}

function statusOf({ statuses }: LateEventFacts, ordinal: number): MessageStatus | null {
  return statuses.find((recipient) => recipient.ordinal === ordinal)?.status ?? null;
}

/** Whether there is anything to report. */
function isChange(current: MessageStatus, next: MessageStatus, type: LateEvent['type'], alike: number): boolean {
  if (current === 'queued' || current === 'sending' || current === 'deferred') return false;
  return type === 'deferred' ? current === 'sent' && alike < MAX_DELAYS : next !== current;
}

async function write(query: Query, event: LateEvent, facts: LateEventFacts, next: MessageStatus): Promise<boolean> {
  const { accountId, messageId, ordinal, type, classification, detail, at } = event;
  const statuses = facts.statuses.map((recipient) => (recipient.ordinal === ordinal ? next : recipient.status));
  return await writeLateEvent(query, {
    ...{ accountId, messageId, ordinal, seen: facts.eventCount },
    recipientStatus: next,
    messageStatus: messageStatusOf(statuses),
    lastError: type === 'bounced' ? `${facts.recipient}: ${detail ?? 'a bounce was reported'}` : null,
    ...{ eventId: event.eventId, type, recipient: facts.recipient, classification, detail, at },
  });
}
