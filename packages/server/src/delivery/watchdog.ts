import { randomUUID } from 'node:crypto';
import { MESSAGE_STATUSES, type MessageStatus } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Transaction } from '../db/client.ts';
import {
  claimExpiredDeliveries,
  type ExpiredDelivery,
  findLostDeliveries,
  findStrandedMessages,
  freeLostDeliveries,
  type LostDeliveries,
  lockStrandedMessage,
  type MessageName,
  repairMessage,
  type StrandedMessage,
} from '../db/queries/stuck-messages.ts';
import type { AttemptOutcome } from './attempt-outcome.ts';
import { isSettled, messageStatusOf, nextRecipientStatus, type RecipientChange } from './message-status.ts';
import { recordOutcomes } from './outcome-recorder.ts';

export interface WatchdogOptions {
  readonly recording: Parameters<typeof recordOutcomes>[0];
  readonly clock: Clock;
  /** The deliveries of a message's recipients, as planned at acceptance. */
  readonly plan: (message: PlannedMessage) => readonly PlannedDelivery[];
  /** When the retry time ends for a message that is due now. */
  readonly expiryOf: (dueAt: Date) => Date;
  /** How long this process has been delivering: deliveries that became due during downtime first get their attempts. */
  readonly uptimeMs: () => number;
  /** Called for each item that could not be repaired. The others are repaired anyway. */
  readonly onError: (error: unknown, what: string) => void;
}

export interface PlannedMessage extends Pick<StrandedMessage, 'unsubscribe' | 'html' | 'text' | 'isTest'> {
  readonly recipients: readonly { readonly ordinal: number; readonly email: string }[];
}

interface PlannedDelivery {
  readonly route: string;
  readonly destination: string;
  readonly ordinals: readonly number[];
}

/** What one round repaired. */
export interface WatchdogRound {
  /** Waited for a lease or a time that would never end. */
  readonly freed: number;
  /** Had no delivery: queued again, failed, or corrected to their actual status. */
  readonly stranded: number;
  /** Past the end of their retries, and given up. */
  readonly expired: number;
}

// Object.keys widens to string; the catalog contains exactly these names.
const OPEN_STATUSES = (Object.keys(MESSAGE_STATUSES) as MessageStatus[]).filter(
  (status) => !isSettled(status) && status !== 'pending_approval',
);
/** A message and its deliveries are written together, so a healthy one never looks like this. The delay allows for clock differences. */
const STRANDED_AFTER_MS = 10 * 60_000;
/** Leases last one minute. A later end was set by a wrong clock. */
const LONGEST_LEASE_MS = 10 * 60_000;
/** The last attempt is exactly at the end of the retries. A delivery that still waits after that has a destination that accepts nothing. */
const EXPIRY_GRACE_MS = 15 * 60_000;
const LEASE_MS = 60_000;
const ROWS_A_ROUND = 200;

/** Finds stuck messages, and queues them again or gives them up, each with a reason. Never rejects. */
export async function runWatchdog(options: WatchdogOptions): Promise<WatchdogRound> {
  const repair = (what: string, part: (options: WatchdogOptions) => Promise<number>) =>
    part(options).catch((error: unknown) => {
      options.onError(error, what);
      return 0;
    });
  const freed = await repair('freeing lost deliveries', freeLost);
  const stranded = await repair('repairing stranded messages', repairStranded);
  const isEarly = options.uptimeMs() < EXPIRY_GRACE_MS;
  const expired = isEarly ? 0 : await repair('ending expired deliveries', endExpired);
  return { freed, stranded, expired };
}

const LOST_REASON = 'The delivery was scheduled for a time that would never be reached. It is tried again.';
const STRANDED_REASON = 'The delivery was missing from the queue and was added again.';

async function freeLost(options: WatchdogOptions): Promise<number> {
  const { recording, clock } = options;
  const now = clock.now();
  const lost = await findLostDeliveries(recording.sql, { now, longestLeaseMs: LONGEST_LEASE_MS, limit: ROWS_A_ROUND });
  let freed = 0;
  for (const deliveries of lost) {
    const isFreed = await withErrorLog(options, deliveries, () => freeOne(options, deliveries, now));
    if (isFreed === true) freed += 1;
  }
  if (freed > 0) recording.onDueAt(now);
  return freed;
}

/** One message that cannot be repaired must not block the others. Null if it failed. */
async function withErrorLog<T>(
  { onError }: WatchdogOptions,
  { messageId }: MessageName,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    onError(error, `repairing the message ${messageId}`);
    return null;
  }
}

/** The reason is logged in the same transaction that frees the rows. */
async function freeOne({ recording }: WatchdogOptions, deliveries: LostDeliveries, now: Date): Promise<boolean> {
  return await recording.sql.begin(async (transaction) => {
    const freed = await freeLostDeliveries(transaction, { ...deliveries, now, longestLeaseMs: LONGEST_LEASE_MS });
    if (freed === 0) return false;
    const message = await lockStrandedMessage(transaction, deliveries);
    if (message !== null) await recordFreed(transaction, recording.ids, deliveries, message, now);
    return true;
  });
}

async function recordFreed(
  transaction: Transaction,
  ids: WatchdogOptions['recording']['ids'],
  name: MessageName,
  message: StrandedMessage,
  now: Date,
): Promise<void> {
  const changed = changeOpen(message, 'deferred');
  await repairMessage(transaction, {
    ...{ accountId: name.accountId, messageId: name.messageId, now, eventCount: message.eventCount },
    ...{ lastError: LOST_REASON, recipients: changed.open },
    status: messageStatusOf(changed.statuses),
    events: [{ id: ids.next(now), type: 'deferred', recipient: null, detail: LOST_REASON }],
    ...{ deliveries: [], nextAt: now, expiresAt: now },
  });
}

async function repairStranded(options: WatchdogOptions): Promise<number> {
  const { recording, clock } = options;
  const before = new Date(clock.now().getTime() - STRANDED_AFTER_MS);
  const names = await findStrandedMessages(recording.sql, {
    ...{ before, openStatuses: OPEN_STATUSES, limit: ROWS_A_ROUND },
  });
  let repaired = 0;
  for (const name of names) {
    const status = await withErrorLog(options, name, () =>
      recording.sql.begin((transaction) => repairOne(options, transaction, name)),
    );
    if (status === null) continue;
    repaired += 1;
    recording.onRecorded([{ id: name.messageId, status }]);
  }
  if (repaired > 0) recording.onDueAt(clock.now());
  return repaired;
}

/** Returns the new status, or null if there was nothing left to repair. */
async function repairOne(
  options: WatchdogOptions,
  transaction: Transaction,
  name: MessageName,
): Promise<MessageStatus | null> {
  const { clock, recording } = options;
  const message = await lockStrandedMessage(transaction, name);
  if (message === null || message.hasDeliveries || !OPEN_STATUSES.includes(message.status)) return null;
  const now = clock.now();
  const dueAt = message.scheduledAt ?? message.createdAt;
  const expiresAt = options.expiryOf(dueAt);
  const failure = failureOf(message, expiresAt, now);
  const changed = changeOpen(message, failure === null ? 'deferred' : 'failed');
  const emails = new Map(message.recipients.map(({ ordinal, email }) => [ordinal, email]));
  const status = messageStatusOf(changed.statuses);
  const open = message.recipients.filter(({ ordinal }) =>
    changed.open.some((recipient) => recipient.ordinal === ordinal),
  );
  const retried = failure === null && open.length > 0;
  const events = changed.open.map(({ ordinal }) => ({
    id: recording.ids.next(now),
    type: failure === null ? ('deferred' as const) : ('failed' as const),
    recipient: emails.get(ordinal) ?? null,
    detail: failure ?? STRANDED_REASON,
  }));
  await repairMessage(transaction, {
    ...{ ...name, now, status, events, eventCount: message.eventCount, recipients: changed.open, expiresAt },
    lastError: open.length === 0 && message.recipients.length > 0 ? null : (failure ?? STRANDED_REASON),
    deliveries: retried
      ? options.plan({ ...message, recipients: open }).map((delivery) => ({ id: recording.ids.next(now), ...delivery }))
      : [],
    nextAt: dueAt > now ? dueAt : now,
  });
  return status;
}

/** Why a message cannot be queued again; null if it can. */
function failureOf({ hasBody }: StrandedMessage, expiresAt: Date, now: Date): string | null {
  if (!hasBody) return 'The delivery was missing from the queue, and the stored body has expired.';
  return now < expiresAt ? null : 'The delivery was missing from the queue until the retry time was over.';
}

/** The changes for recipients that are not settled: the changed ones, and the statuses of all. */
function changeOpen({ recipients }: StrandedMessage, change: RecipientChange) {
  const open: { ordinal: number; status: MessageStatus }[] = [];
  const statuses = recipients.map(({ ordinal, status: current }) => {
    if (!OPEN_STATUSES.includes(current)) return current;
    // A delivery that was never started stays unchanged, so that it can still be canceled.
    const next = change === 'deferred' && current === 'queued' ? current : nextRecipientStatus(current, change);
    open.push({ ordinal, status: next });
    return next;
  });
  return { open, statuses };
}

async function endExpired(options: WatchdogOptions): Promise<number> {
  const { recording, clock } = options;
  let ended = 0;
  for (;;) {
    const now = clock.now();
    const leaseId = randomUUID();
    const expired = await claimExpiredDeliveries(recording.sql, {
      ...{ leaseId, now, limit: ROWS_A_ROUND },
      leaseUntil: new Date(now.getTime() + LEASE_MS),
      before: new Date(now.getTime() - EXPIRY_GRACE_MS),
    });
    ended += await endTogether(
      options,
      expired.map((delivery) => toOutcome(delivery, leaseId, now)),
    );
    if (expired.length < ROWS_A_ROUND) return ended;
  }
}

/** If they cannot be recorded together, records each separately. Returns how many were recorded. */
async function endTogether(options: WatchdogOptions, outcomes: readonly AttemptOutcome[]): Promise<number> {
  if (outcomes.length === 0) return 0;
  try {
    return (await recordOutcomes(options.recording, outcomes)).size;
  } catch (error) {
    options.onError(error, 'ending expired deliveries together');
  }
  let ended = 0;
  for (const outcome of outcomes) {
    const recorded = await withErrorLog(options, outcome, () => recordOutcomes(options.recording, [outcome]));
    ended += recorded?.size ?? 0;
  }
  return ended;
}

function toOutcome(expired: ExpiredDelivery, leaseId: string, now: Date): AttemptOutcome {
  const { accountId, messageId, id, attempt, recipients, recipientsInMessage, lastError } = expired;
  const words = lastError ?? 'It was never attempted: nothing could be sent to this destination in all that time.';
  const detail = `The retries ran out. ${words}`;
  const event = { type: 'bounced', classification: 'soft', detail } as const;
  return {
    ...{ accountId, messageId, deliveryId: id, attempt, leaseId, recipientsInMessage, at: now.toISOString() },
    recipients: recipients.map((recipient) => ({ ...recipient, change: 'bounced', events: [event] })),
    ...{ retryAt: null, lastError: detail },
  };
}
