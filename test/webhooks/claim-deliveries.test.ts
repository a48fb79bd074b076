import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/webhook-deliveries.ts';
import { storeEvents } from '../../packages/server/src/db/queries/webhook-events.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';

const ENDPOINTS = 2_100;

let world: HandMadeDispatcher;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
});
afterAll(() => world.close());

/** Claims as a process would that has nothing yet; returns how many it took, and the locks that this cost. */
async function claim(limit: number) {
  const now = world.clock.now();
  return await world.sql.begin(async (transaction) => {
    const lease = { leaseId: '00000000-0000-4000-8000-000000000000', leaseUntil: new Date(now.getTime() + 60_000) };
    const claimed = await claimDeliveries(transaction, { now, ...lease, capacity: new Map(), otherwise: 40, limit });
    const locks = await transaction`
      SELECT 1 FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND granted`;
    return { claimed: claimed.length, locks: locks.length };
  });
}

it('claiming deliveries locks a limited number of endpoints, and none without due ones', async () => {
  const { sql, accountId } = world;
  const first = await world.endpoint('http://127.0.0.1:1/');
  await sql`
    INSERT INTO webhook_endpoints (account_id, id, url, events, secret, created_at)
    SELECT account_id, gen_random_uuid(), url, events, secret, created_at
    FROM webhook_endpoints, generate_series(2, ${ENDPOINTS}) WHERE id = ${first}`;
  const now = world.clock.now();
  const id = createIdGenerator().next(now);
  const event = { accountId, id, type: 'webhook.test' as const, body: '{}', endpointId: null, createdAt: now };
  await storeEvents(sql, [event], now);
  await sql`UPDATE webhook_deliveries SET next_at = now() + interval '1 hour' WHERE endpoint_id <> ${first}`;
  expect(await claim(500)).toEqual({ claimed: 1, locks: 1 });
  await sql`UPDATE webhook_deliveries SET next_at = now() - interval '1 second'`;
  const many = await claim(500);
  expect(many.claimed).toBe(500);
  // Where the limit is reached, one more may have been looked at, and locked, by then.
  expect(many.locks - many.claimed).toBeOneOf([0, 1]);
  await sql`UPDATE webhook_deliveries SET lease_until = now() + interval '1 minute'`;
  expect(await claim(500)).toEqual({ claimed: 0, locks: 2_000 });
});
