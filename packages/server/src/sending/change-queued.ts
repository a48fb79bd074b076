import { type MessageStatus, maySee, type Scope } from '@postrider/core';
import type { Decider } from '../approvals/holds/decider.ts';
import { type ApprovedChange, recordApprovedChange } from '../approvals/holds/record-change.ts';
import { withdrawHeldMessage } from '../approvals/holds/withdraw-holds.ts';
import type { Clock } from '../clock.ts';
import type { Query, Sql } from '../db/client.ts';
import {
  cancelQueuedMessage,
  type MessageOwner,
  type QueuedChange,
  type QueuedMessageKey,
  readMessageOwner,
  rescheduleQueuedMessage,
} from '../db/queries/queued-messages.ts';
import { type IdGenerator, idFloorAfter, isUuid } from '../uuid-v7.ts';
import type { Refusal } from './acceptance.ts';
import { refuseChange } from './change-authority.ts';
import { judgeApprovedTime } from './judge-approved-time.ts';
import { judgeReschedule } from './judge-reschedule.ts';
import type { JudgingKey } from './key-rules.ts';
import { expiryOf } from './message-rows.ts';

export interface ChangeTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export interface RescheduleTools extends ChangeTools {
  /** The number of hours that a message is retried before it fails. */
  readonly retryHours: number;
}

/** The caller of a change, with what it may see. */
export interface ChangingKey extends JudgingKey {
  readonly scopes: readonly Scope[];
  /** Null if the caller is a key. */
  readonly user: object | null;
}

/** The result of a request to change a queued message. */
export type QueuedVerdict =
  | { readonly kind: 'changed'; readonly id: string }
  | { readonly kind: 'missing' }
  | (Refusal & { readonly kind: 'refused' })
  | { readonly kind: 'not_queued'; readonly currentStatus: MessageStatus };

/** Deliveries get their ids together with their message. Even a hundred of them never took close to a second. */
const IDS_WITHIN_MS = 1_000;

/**
 * Cancels a queued message: removes it from the outbox, deletes its content and returns its quota to the month it was charged to. The row
 * locks of its deliveries settle the race with the workers, so the message is either canceled or sent. The log keeps the row, and its
 * idempotency key stays in use. A held message is withdrawn together with its hold.
 */
export async function cancelMessage(
  tools: ChangeTools,
  caller: ChangingKey,
  messageId: string,
  decider: Decider,
): Promise<QueuedVerdict> {
  const found = await findOwner(tools, 'cancel', caller, messageId);
  if ('kind' in found) return found;
  const { sql, clock, ids } = tools;
  const { accountId } = caller;
  const now = clock.now();
  const event = () => ({ eventId: ids.next(now), now, detail: `by ${decider.actor}` });
  const cancelQueued = async (query: Query) =>
    toVerdict(await cancelQueuedMessage(query, keyOf(accountId, messageId), event()));
  const cancel =
    found.holdStatus !== null
      ? async () => await changeApproved(tools, { accountId, messageId }, CANCELED, cancelQueued, decider)
      : async () => await cancelQueued(sql);
  const verdict = await cancel();
  if (verdict.kind !== 'not_queued' || verdict.currentStatus !== 'pending_approval') return verdict;
  const isWithdrawn = await withdrawHeldMessage(sql, ids, { accountId, messageId }, decider, now);
  // A hold decided in the meantime may have queued the message, which can be canceled too.
  return isWithdrawn ? { kind: 'changed', id: messageId.toLowerCase() } : await cancel();
}

const CANCELED: ApprovedChange = { type: 'canceled' };

/** Changes a message that an approver released. The events of the hold and the audit log also record what became of the decision. */
async function changeApproved(
  { sql, clock, ids }: ChangeTools,
  name: { readonly accountId: string; readonly messageId: string },
  change: ApprovedChange,
  apply: (query: Query) => Promise<QueuedVerdict>,
  decider: Decider,
): Promise<QueuedVerdict> {
  const result = await sql.begin(async (transaction) => {
    const verdict = await apply(transaction);
    if (verdict.kind === 'changed') await recordApprovedChange(transaction, ids, name, change, decider, clock.now());
    return { verdict };
  });
  return result.verdict;
}

/** Moves the time at which a queued message is due. Its retries still end the same time after it. */
export async function rescheduleMessage(
  tools: RescheduleTools,
  caller: ChangingKey,
  messageId: string,
  dueAt: Date,
  decider: Decider,
): Promise<QueuedVerdict> {
  const found = await findOwner(tools, 'reschedule', caller, messageId);
  if ('kind' in found) return found;
  const { sql, clock, ids, retryHours } = tools;
  const { accountId } = caller;
  const refusal = await judgeReschedule(sql, caller, messageId, found);
  if (refusal !== null) return { kind: 'refused', ...refusal };
  // Not tried: the hold may be approved meanwhile, and this caller may not move the time that was approved.
  if (found.holdStatus === 'pending') return notQueued(found.status);
  const now = clock.now();
  const change = { eventId: ids.next(now), now, dueAt, expiresAt: expiryOf(dueAt, retryHours) };
  const reschedule = async (query: Query) =>
    toVerdict(await rescheduleQueuedMessage(query, keyOf(accountId, messageId), change));
  if (found.holdStatus !== 'approved') return await reschedule(sql);
  const fixed = await judgeApprovedTime(sql, caller, found);
  if (fixed !== null) return found.status === 'queued' ? { kind: 'refused', ...fixed } : notQueued(found.status);
  const moved = { type: 'rescheduled', scheduledAt: dueAt.toISOString() } as const;
  return await changeApproved(tools, { accountId, messageId }, moved, reschedule, decider);
}

/** The owner of a queued message if the caller may change it; otherwise the reason why not. */
async function findOwner(
  { sql }: ChangeTools,
  change: 'cancel' | 'reschedule',
  caller: ChangingKey,
  messageId: string,
): Promise<MessageOwner | QueuedVerdict> {
  if (!isUuid(messageId)) return { kind: 'missing' };
  const owner = await readMessageOwner(sql, caller.accountId, messageId);
  if (owner === null) return { kind: 'missing' };
  const refusal = refuseChange(change, caller, owner);
  if (refusal === null) return owner;
  // For a key that cannot read the log, messages of other senders do not exist.
  const isKnown = owner.ownerKeyId === caller.keyId || maySee({ ...caller, isUser: false }, 'message.log', null);
  return isKnown ? { kind: 'refused', ...refusal } : { kind: 'missing' };
}

function keyOf(accountId: string, messageId: string): QueuedMessageKey {
  return { accountId, messageId, idsBefore: idFloorAfter(messageId, IDS_WITHIN_MS) };
}

function toVerdict({ id, obstacle }: QueuedChange): QueuedVerdict {
  if (obstacle === null) return { kind: 'changed', id };
  return obstacle === 'missing' ? { kind: 'missing' } : notQueued(obstacle);
}

function notQueued(status: string): QueuedVerdict {
  return { kind: 'not_queued', currentStatus: status as MessageStatus }; // The column contains only the statuses of message-status.ts.
}
