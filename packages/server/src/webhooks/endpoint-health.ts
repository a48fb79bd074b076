import type { DisabledReason } from '@postrider/core';
import type { Sql } from '../db/client.ts';
import { appendAudit } from '../db/queries/audit-log.ts';
import {
  addFailures,
  disableEndpoint,
  type EndpointTally,
  type FailingEndpoint,
  forgetFailures,
  lockEndpoint,
  readEndpoint,
} from '../db/queries/webhook-endpoints.ts';
import { announce } from '../events/announce.ts';
import type { IdGenerator } from '../uuid-v7.ts';
import { decideDisabling } from './disable-rule.ts';
import { toWebhook } from './endpoint-record.ts';

interface HealthTools {
  readonly sql: Sql;
  readonly ids: IdGenerator;
}

/** An attempt, as far as it affects the health of its endpoint. */
export interface HealthSample {
  readonly accountId: string;
  readonly endpointId: string;
  /** The URL it was sent to. */
  readonly url: string;
  readonly succeeded: boolean;
  readonly statusCode: number | null;
  readonly createdAt: Date;
  readonly wasFailing: boolean;
}

/**
 * Updates endpoints after attempts: counts failures until a success, and disables an endpoint that is gone or fails for
 * days. Endpoints that simply work cost no statement.
 * @param samples in the order in which the attempts ended
 */
export async function settleHealth(tools: HealthTools, samples: readonly HealthSample[], now: Date): Promise<void> {
  if (samples.every(({ succeeded, wasFailing }) => succeeded && !wasFailing)) return;
  const lastSuccess = new Map(
    samples.flatMap((sample, index) => (sample.succeeded ? [[placeOf(sample), index] as const] : [])),
  );
  const recovered = samples.filter((sample) => sample.wasFailing && lastSuccess.has(placeOf(sample)));
  if (recovered.length > 0)
    await forgetFailures(tools.sql, [...new Map(recovered.map((sample) => [placeOf(sample), sample])).values()]);
  const gone = new Set(samples.filter(({ statusCode }) => statusCode === 410).map(placeOf));
  const failed = samples.filter(
    (sample, index) =>
      !sample.succeeded && (index > (lastSuccess.get(placeOf(sample)) ?? -1) || gone.has(placeOf(sample))),
  );
  if (failed.length === 0) return;
  for (const endpoint of await addFailures(tools.sql, tally(failed))) {
    const statusCode = gone.has(placeOf({ endpointId: endpoint.id, url: endpoint.url })) ? 410 : null;
    const reason = decideDisabling({ ...endpoint, statusCode }, now);
    if (reason !== null) await disableFailing(tools, endpoint, reason, now);
  }
}

/** An endpoint with one URL: attempts in progress when a user changed it say nothing about the new URL. */
function placeOf({ endpointId, url }: Pick<HealthSample, 'endpointId' | 'url'>): string {
  return `${endpointId} ${url}`;
}

function tally(failed: readonly HealthSample[]): readonly EndpointTally[] {
  const tallies = new Map<string, EndpointTally>();
  for (const sample of failed) {
    const { accountId, endpointId: id, url, createdAt } = sample;
    const place = placeOf(sample);
    const before = tallies.get(place);
    const since = before === undefined || createdAt < before.since ? createdAt : before.since;
    tallies.set(place, { accountId, id, url, failures: (before?.failures ?? 0) + 1, since });
  }
  return [...tallies.values()];
}

/** The event notifies the account's other endpoints, and its members by mail. */
async function disableFailing(
  { sql, ids }: HealthTools,
  { accountId, id, url, failingSince }: FailingEndpoint,
  reason: DisabledReason,
  now: Date,
): Promise<void> {
  await sql.begin(async (transaction) => {
    // The endpoint was changed, or responded, since its failures were counted, so they are outdated.
    const found = await lockEndpoint(transaction, accountId, id);
    if (found?.url !== url || found.failingSince?.getTime() !== failingSince.getTime()) return;
    if (!(await disableEndpoint(transaction, { accountId, id }, reason))) return;
    const row = await readEndpoint(transaction, accountId, id);
    if (row === null) return;
    await announce(transaction, ids, [{ accountId, type: 'webhook.disabled', data: toWebhook(row) }], now);
    const entry = { accountId, id: ids.next(now), actor: 'system', targetId: id, now };
    await appendAudit(transaction, [{ ...entry, action: 'webhook.disabled', details: { url: row.url, reason } }]);
  });
}
