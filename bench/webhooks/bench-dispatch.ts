import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { makeEndpoint } from '../../packages/server/src/webhooks/manage-endpoints.ts';
import type { TaggedSql } from '../../test/harness/tagged.ts';
import { TEST_SECRET_KEY } from '../../test/harness/template-database.ts';
import { openBenchDatabase } from '../parts/bench-database.ts';
import { type Child, startChild, type Usage } from '../parts/child.ts';
import { createPostgresCpu } from '../parts/postgres-cpu.ts';
import { describeMachine, judge, median, round } from '../parts/report.ts';
import type { DispatchQuestion, DispatchSettings } from './dispatch-process.ts';

const IN_FLIGHT = 50;
const SHARE_MIN = 0.8;

/**
 * `pnpm bench webhooks`: delivers queued events to a local receiver, with signatures and every attempt recorded, compared with a loop that
 * only signs and posts the same bodies. Both have 50 requests in flight; rounds alternate. A dispatcher round includes about a fifth of a
 * second in which its queue widens and the last attempts are written, so use enough events that the time in between dominates.
 */
export async function benchDispatch({
  count,
  rounds,
}: {
  readonly count: number;
  readonly rounds: number;
}): Promise<boolean> {
  const database = await openBenchDatabase();
  const sink = await startChild<{ readonly port: number }>(new URL('./sink-process.ts', import.meta.url), {});
  const url = `http://127.0.0.1:${sink.ready.port}/hooks`;
  const target = await prepare(database.sql, url);
  const postgresCpuMs = await createPostgresCpu(database.sql);
  const settings: DispatchSettings = { target: database.target, url, inFlight: IN_FLIGHT };
  const dispatch = await startChild<unknown>(new URL('./dispatch-process.ts', import.meta.url), settings);
  console.log(`${describeMachine(database.settings)}\nevents a round: ${round(count)}, in flight: ${IN_FLIGHT}`);
  try {
    await queueEvents(database.sql, target, count);
    await measure(dispatch, sink, 'dispatcher', count); // Warms up both.
    await measure(dispatch, sink, 'bare', count);
    const shares: number[] = [];
    for (let pass = 1; pass <= rounds; pass += 1) {
      await queueEvents(database.sql, target, count);
      const before = postgresCpuMs();
      const own = await measure(dispatch, sink, 'dispatcher', count);
      const spentMs = postgresCpuMs() - before;
      const bare = await measure(dispatch, sink, 'bare', count);
      shares.push(own.rate / bare.rate);
      const postgresUs = round((spentMs * 1_000) / count);
      console.log(
        `round ${pass}: dispatcher ${round(own.rate)}/s (${round(own.cpuUs)} µs of CPU an event, and ${postgresUs} µs in postgres), bare ${round(bare.rate)}/s (${round(bare.cpuUs)} µs)`,
      );
    }
    const share = median(shares);
    console.log(judge('dispatch, of a bare loop that signs and posts', share, SHARE_MIN, 'at least'));
    return share >= SHARE_MIN;
  } finally {
    await dispatch.stop();
    await sink.stop();
    await database.close();
  }
}

interface Measured {
  /** Events per second, from the first request to the last recorded attempt. */
  readonly rate: number;
  /** CPU time of the posting process per event. */
  readonly cpuUs: number;
}

async function measure(
  dispatch: Child<unknown>,
  sink: Child<unknown>,
  by: DispatchQuestion['by'],
  count: number,
): Promise<Measured> {
  const arrived = sink.ask<Usage>({ count });
  const startedAtMs = performance.now();
  const { cpuMs } = await dispatch.ask<Usage>({ by, count } satisfies DispatchQuestion);
  await arrived;
  return { rate: (count * 1_000) / (performance.now() - startedAtMs), cpuUs: (cpuMs * 1_000) / count };
}

interface Target {
  readonly accountId: string;
  readonly endpointId: string;
}

async function prepare(sql: TaggedSql, url: string): Promise<Target> {
  const tools = { sql, clock: { now: () => new Date() }, ids: createIdGenerator() };
  const { accountId } = await createAccount(tools, { name: 'Bench', ownerEmail: 'bench@sandbox.test' });
  const webhooks = { secrets: createSecretBox(TEST_SECRET_KEY), policy: { allowLoopback: true } };
  const made = await makeEndpoint({ ...tools, webhooks }, { accountId, keyId: 'operator', user: {} }, { url });
  if (made.kind !== 'done') throw new Error(made.kind);
  return { accountId, endpointId: made.row.id };
}

/** The size of events of delivered messages: about 600 bytes each. */
async function queueEvents(sql: TaggedSql, { accountId, endpointId }: Target, count: number): Promise<void> {
  await sql`TRUNCATE webhook_events, webhook_deliveries, webhook_attempts`;
  await sql`
    INSERT INTO webhook_events (account_id, id, type, body, created_at)
    SELECT ${accountId}, id, 'email.delivered', json_build_object('id', id, 'type', 'email.delivered',
      'createdAt', '2026-01-31T09:00:00.000Z', 'apiVersion', 'v1', 'data', json_build_object('emailId', id, 'seq', 3,
        'recipient', 'somebody@example.com', 'from', 'Shop <orders@shop.example.com>', 'to', 'somebody@example.com',
        'subject', 'Your order has been sent', 'tags', '["order","receipt"]'::json, 'metadata', '{"order":"100200300"}'::json,
        'channel', 'api', 'source', 'backend', 'agentName', null, 'classification', null, 'detail', '250 2.0.0 Ok: queued as 4XyZ12',
        'occurredAt', '2026-01-31T09:00:00.000Z'))::text, now()
    FROM (SELECT uuid_v7(now()) AS id FROM generate_series(1, ${count})) AS ids`;
  await sql`
    INSERT INTO webhook_deliveries (account_id, endpoint_id, event_id, id, event_type, attempt, step, next_at, created_at)
    SELECT account_id, ${endpointId}, id, uuid_v7(now()), type, 1, 0, now(), now() FROM webhook_events`;
  await sql`ANALYZE webhook_events, webhook_deliveries`;
}
