import type { Viewer } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import type { ClaimedDelivery } from '../db/queries/webhook-deliveries.ts';
import { createExpiringCache } from '../keys/expiring-cache.ts';
import { redactWebhookEvents } from '../visibility/redact-webhook-event.ts';
import { readViewerOfKey } from '../visibility/viewer.ts';
import type { AttemptResult } from './post-event.ts';
import type { Receiver } from './receivers.ts';

/** Limits what endpoints are sent: if a key chose the URL, only what that key may see now. */
export interface ReceiverVisibility {
  /** The payload for an endpoint; null if the database could not determine what its key may see. */
  bodyFor(receiver: Receiver, delivery: ClaimedDelivery): string | null | Promise<string | null>;
}

/** The result of an attempt for which the endpoint's permissions could not be determined. It is retried later. */
export const UNREAD: AttemptResult = {
  succeeded: false,
  statusCode: null,
  error: 'Not sent: the permissions of this endpoint’s key could not be read.',
  durationMs: 0,
  responseBody: null,
  retryAfterMs: null,
};

export function createReceiverVisibility(
  { sql, clock }: { readonly sql: Sql; readonly clock: Clock },
  onError: (error: unknown, what: string) => void,
): ReceiverVisibility {
  const memory = createExpiringCache<Viewer>(clock);

  async function redactedFor(keyId: string, delivery: ClaimedDelivery): Promise<string | null> {
    const { accountId, eventType: type, body } = delivery;
    try {
      const viewer = await memory.recall(keyId, () => readViewerOfKey(sql, accountId, keyId));
      const [shown] = await redactWebhookEvents(sql, accountId, [{ type, body }], viewer);
      return shown?.body ?? null;
    } catch (error) {
      onError(error, 'reading the permissions of a webhook endpoint');
      return null;
    }
  }

  return {
    bodyFor: ({ chosenBy }, delivery) => (chosenBy === null ? delivery.body : redactedFor(chosenBy, delivery)),
  };
}
