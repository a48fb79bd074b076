import type { MessageStatus } from '@postrider/core';
import type { Decider } from '../approvals/holds/decider.ts';
import { recordCancel } from '../approvals/holds/record-cancel.ts';
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
import { judgeReschedule } from './judge-reschedule.ts';
import type { JudgingKey } from './key-rules.ts';
import { expiryOf } from './message-rows.ts';

export interface ChangeTools {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly ids: IdGenerator;
}

export interface RescheduleTools extends ChangeTools {
  /** For how many hours a message is retried before it fails. */
  readonly retryHours: number;
}

/** What came of the wish to change a queued message. */
export type QueuedVerdict =
  | { readonly kind: 'changed'; readonly id: string }
  | { readonly kind: 'missing' }
  | (Refusal & { readonly kind: 'refused' })
  | { readonly kind: 'not_queued'; readonly currentStatus: MessageStatus };

/** Deliveries get their ids in the same turn as their message; a second is far more than a hundred of them ever took. */
const IDS_WITHIN_MS = 1_000;

/**
 * Takes a queued message back: out of the outbox, its content gone, its quota given back to the month it was taken from. The row locks of its
 * deliveries decide against the workers, so that it is either canceled or sent. The log keeps the row, and its idempotency key goes on
 * standing for it. One that is held is withdrawn with its hold.
 */
export async function cancelMessage(
  tools: ChangeTools,
  caller: JudgingKey,
  messageId: string,
  decider: Decider,
): Promise<QueuedVerdict> {
  const found = await findOwner(tools, 'cancel', caller, messageId);
  if ('kind' in found) return found;
  const { sql, clock, ids } = tools;
  const { accountId } = caller;
  const now = clock.now();
  const event = () => ({ eventId: ids.next(now), now, detail: `by ${decider.actor}` });
  const takeBack = async (query: Query) =>
    toVerdict(await cancelQueuedMessage(query, keyOf(accountId, messageId), event()));
  const cancel =
    found.holdStatus !== null
      ? async () => await cancelApproved(sql, ids, { accountId, messageId }, takeBack, decider, now)
      : async () => await takeBack(sql);
  const verdict = await cancel();
  if (verdict.kind !== 'not_queued' || verdict.currentStatus !== 'pending_approval') return verdict;
  const isWithdrawn = await withdrawHeldMessage(sql, ids, { accountId, messageId }, decider, now);
  // Where it was decided in between it may be queued by now, and that can be taken back as well.
  return isWithdrawn ? { kind: 'changed', id: messageId.toLowerCase() } : await cancel();
}

/** Cancels a message that an approver let go. What becomes of a decision is in the trail of the hold and in the audit log as well. */
async function cancelApproved(
  sql: Sql,
  ids: IdGenerator,
  name: { readonly accountId: string; readonly messageId: string },
  takeBack: (query: Query) => Promise<QueuedVerdict>,
  decider: Decider,
  now: Date,
): Promise<QueuedVerdict> {
  const answered = await sql.begin(async (transaction) => {
    const verdict = await takeBack(transaction);
    if (verdict.kind === 'changed') await recordCancel(transaction, ids, name, decider, now);
    return { verdict };
  });
  return answered.verdict;
}

/** Moves the time a queued message is due at; its retries end as long after it as ever. */
export async function rescheduleMessage(
  tools: RescheduleTools,
  caller: JudgingKey,
  messageId: string,
  dueAt: Date,
): Promise<QueuedVerdict> {
  const found = await findOwner(tools, 'reschedule', caller, messageId);
  if ('kind' in found) return found;
  const { sql, clock, ids, retryHours } = tools;
  const { accountId } = caller;
  const refusal = await judgeReschedule(sql, caller, messageId, found);
  if (refusal !== null) return { kind: 'refused', ...refusal };
  const now = clock.now();
  const change = { eventId: ids.next(now), now, dueAt, expiresAt: expiryOf(dueAt, retryHours) };
  return toVerdict(await rescheduleQueuedMessage(sql, keyOf(accountId, messageId), change));
}

/** Whose message it is where the caller may change it, as far as it is queued; else why not. */
async function findOwner(
  { sql }: ChangeTools,
  change: 'cancel' | 'reschedule',
  caller: JudgingKey,
  messageId: string,
): Promise<MessageOwner | QueuedVerdict> {
  if (!isUuid(messageId)) return { kind: 'missing' };
  const owner = await readMessageOwner(sql, caller.accountId, messageId);
  if (owner === null) return { kind: 'missing' };
  const refusal = refuseChange(change, caller, owner);
  return refusal === null ? owner : { kind: 'refused', ...refusal };
}

function keyOf(accountId: string, messageId: string): QueuedMessageKey {
  return { accountId, messageId, idsBefore: idFloorAfter(messageId, IDS_WITHIN_MS) };
}

function toVerdict({ id, obstacle }: QueuedChange): QueuedVerdict {
  if (obstacle === null) return { kind: 'changed', id };
  // The column holds what message-status.ts names.
  return obstacle === 'missing'
    ? { kind: 'missing' }
    : { kind: 'not_queued', currentStatus: obstacle as MessageStatus };
}
