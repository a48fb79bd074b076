import type { Query } from '../db/client.ts';
import type { LockedApproval } from '../db/queries/approval-decisions.ts';
import { type HeldMessage, type Release, releaseHeldMessage } from '../db/queries/held-messages.ts';
import type { Refusal } from '../sending/acceptance.ts';
import { expiryOf } from '../sending/message-rows.ts';
import { planDeliveries } from '../sending/plan-deliveries.ts';
import { hasUnsubscribePlaceholder } from '../unsubscribe/placeholder.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import type { EditedContent } from './apply-edits.ts';

interface Releasing {
  readonly ids: IdGenerator;
  readonly sandboxDomain: string;
  /** See planDeliveries. */
  readonly byDomain: boolean;
  readonly retryHours: number;
}

/** Queues an approved message, or fails it if the acceptance check now refuses it. */
export async function releaseMessage(
  transaction: Query,
  { ids, sandboxDomain, byDomain, retryHours }: Releasing,
  hold: LockedApproval,
  held: HeldMessage,
  { recipients, html, text, scheduledAt }: EditedContent,
  how: {
    /** The fields that approvers changed. */
    readonly edited: readonly string[];
    readonly note: string | null;
    readonly refusal: Refusal | null;
    readonly charged: number;
    readonly isTest: boolean;
    readonly now: Date;
  },
): Promise<void> {
  const { refusal, charged, isTest, now } = how;
  const isPersonal = held.unsubscribe || hasUnsubscribePlaceholder(html) || hasUnsubscribePlaceholder(text);
  const planned = refusal === null ? planDeliveries(recipients, sandboxDomain, isPersonal, byDomain, isTest) : [];
  // A message whose scheduled time passed while it was held is sent at once.
  const waits = scheduledAt !== null && scheduledAt > now;
  const dueAt = waits ? scheduledAt : now;
  const approved: ReleaseEvent = { type: 'approved', detail: detailOf(how.edited, how.note) };
  const next: readonly ReleaseEvent[] =
    refusal === null
      ? [{ type: 'queued', detail: null }, ...(waits ? [{ type: 'scheduled' as const, detail: null }] : [])]
      : [{ type: 'failed', detail: refusal.detail }];
  await releaseHeldMessage(transaction, hold, {
    status: refusal === null ? 'queued' : 'failed',
    lastError: refusal?.detail ?? null,
    charged,
    events: [approved, ...next].map((event) => ({ id: ids.next(now), ...event })),
    deliveries: planned.map((delivery) => ({ id: ids.next(now), ...delivery })),
    ...{ dueAt, expiresAt: expiryOf(dueAt, retryHours), now },
  });
}

type ReleaseEvent = Omit<Release['events'][number], 'id'>;

function detailOf(fields: readonly string[], note: string | null): string | null {
  const edited = fields.length === 0 ? null : `edited: ${fields.join(', ')}`;
  return [edited, note].filter((part) => part !== null).join('; ') || null;
}
