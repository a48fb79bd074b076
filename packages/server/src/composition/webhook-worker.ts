import type { Installation } from '../config/installation.ts';
import { createPlanRenewal } from '../db/client.ts';
import { CONNECTIONS } from '../db/connection-counts.ts';
import type { DatabasePools } from '../db/database-pools.ts';
import type { DnsResolver } from '../dns/dns-resolver.ts';
import { startWebhooks, type WebhookWorker } from '../jobs/start-webhooks.ts';
import type { SecretBox } from '../keys/secret-box.ts';
import { createOutboundClient } from '../outbound/outbound-client.ts';
import { createHostResolver } from '../outbound/resolve-host.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { VERSION } from '../version.ts';
import type { ObservedAttempt } from '../webhooks/webhook-metrics.ts';
import type { AppOptions } from './app-options.ts';

/** Many endpoints may share one host that receives for others: a slow one must not use up the connections of all. */
const CONNECTIONS_PER_ORIGIN = 256;

/** Delivers events to endpoints with a separate client, so that nothing else waits for its connections. Starts at once. */
export function createWebhookWorker(
  { config, clock, random }: AppOptions,
  {
    pools: { work: sql, webhooks: queueSql },
    ids,
    dns,
    box,
    installation,
    onAttempt,
    onError,
  }: {
    readonly pools: Pick<DatabasePools, 'work' | 'webhooks'>;
    readonly ids: IdGenerator;
    readonly dns: DnsResolver;
    readonly box: SecretBox;
    readonly installation: Installation;
    readonly onAttempt: (attempt: ObservedAttempt) => void;
    readonly onError: (error: unknown, what: string) => void;
  },
): WebhookWorker {
  const client = createOutboundClient({
    allowLoopback: config.mode === 'development',
    resolve: createHostResolver(dns),
    userAgent: `Postrider/${VERSION}`,
    connectionsPerOrigin: CONNECTIONS_PER_ORIGIN,
  });
  return startWebhooks({
    ...{ sql, queueSql, clock, ids, box, client, random, onAttempt, onError },
    renewPlans: createPlanRenewal(queueSql, CONNECTIONS.webhooks),
    monthlyQuota: installation.monthlyQuota,
    mailer: { sql, clock, ids, secrets: box, ...installation },
  });
}
