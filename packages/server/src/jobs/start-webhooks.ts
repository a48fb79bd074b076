import type { Clock } from '../clock.ts';
import type { Sql } from '../db/client.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { mailNotices } from '../notices/mail-notices.ts';
import type { OutboundClient } from '../outbound/outbound-client.ts';
import type { UserMailer } from '../support/installation-mail.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { announceQuota } from '../webhooks/announce-quota.ts';
import { createDispatcher, type DispatcherLoad } from '../webhooks/dispatcher.ts';
import { storeEmailEvents } from '../webhooks/store-email-events.ts';
import type { ObservedAttempt } from '../webhooks/webhook-metrics.ts';
import { createBacklogWorker } from './backlog-worker.ts';

/** Everything that delivers events to endpoints, as one part of a worker. */
export interface WebhookWorker {
  /** Checks for due deliveries at once. */
  wake(): void;
  load(): DispatcherLoad;
  stop(): Promise<void>;
}

/** On average half of this passes between an event and its delivery. Four queries a second on two empty tables cost almost nothing. */
const LOOK_EVERY_MS = 250;
const RARE_EVERY_LOOKS = 4;
const DRAIN_MS = 3_000;

export function startWebhooks(options: {
  readonly sql: Sql;
  /** See DispatcherOptions, also for `renewPlans`. */
  readonly queueSql: Sql;
  readonly renewPlans: () => Promise<void>;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly box: SecretBox;
  readonly client: OutboundClient;
  readonly random: () => number;
  readonly monthlyQuota: number;
  readonly mailer: UserMailer;
  readonly onAttempt: (attempt: ObservedAttempt) => void;
  readonly onError: (error: unknown, what: string) => void;
}): WebhookWorker {
  const { sql, clock, client, mailer, onError } = options;
  const dispatcher = createDispatcher(options);
  const take = async () => {
    const taken = await storeEmailEvents(sql, clock);
    if (taken > 0) void dispatcher.pump();
    return taken;
  };
  const backlog = createBacklogWorker({ take, what: 'storing events of messages', onError });
  let looks = 0;
  let rare: Promise<void> | null = null;

  function look(): void {
    looks += 1;
    void backlog.run();
    void dispatcher.pump();
    if (looks % RARE_EVERY_LOOKS !== 0) return;
    rare ??= pollSlowly().finally(() => {
      rare = null;
    });
  }

  async function pollSlowly(): Promise<void> {
    await announceQuota(options, 'listening').catch((error: unknown) => onError(error, 'checking for used quotas'));
    await mailNotices(mailer).catch((error: unknown) => onError(error, 'mailing notices to members'));
  }

  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    wake: look,
    load: dispatcher.load,
    async stop() {
      clearInterval(timer);
      await Promise.all([backlog.stop(), rare, dispatcher.stop(DRAIN_MS)]);
      await client.close();
    },
  };
}
