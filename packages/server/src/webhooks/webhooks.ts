import { LIMITS } from '@postrider/core';
import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import { isStillAllowed } from '../keys/check-again.ts';
import { createEventFeeds } from './event-feeds.ts';
import { deriveListenerSecret } from './listener-secret.ts';
import type { ListeningTools } from './listening-tools.ts';
import type { WebhookTools } from './webhook-tools.ts';

/** Everything that manages webhook endpoints and streams events. */
export interface Webhooks extends WebhookTools {
  readonly listening: ListeningTools;
}

export interface WebhooksOptions extends WebhookTools, Pick<ListeningTools, 'localClient'> {
  readonly sql: Sql;
  readonly clock: Clock;
  /** The secret key of the installation, which the secrets of listeners are derived from. */
  readonly secretKey: () => Buffer;
}

export function createWebhooks({ sql, clock, secretKey, localClient, ...tools }: WebhooksOptions): Webhooks {
  return {
    ...tools,
    listening: {
      feeds: createEventFeeds({ sql, clock, maxPerAccount: LIMITS.webhookStreamsPerAccount }),
      // All of its scopes, because they determine what the stream shows: a client that has lost one reconnects and sees less.
      mayListen: (caller) => isStillAllowed(sql, caller, caller.scopes, clock.now()),
      secretOf: (keyId) => deriveListenerSecret(secretKey(), keyId),
      localClient,
    },
  };
}
