import { afterAll, beforeAll, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/webhook-deliveries.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { type Attempt, createAttemptRecorder } from '../../packages/server/src/webhooks/attempt-recorder.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';

let world: HandMadeDispatcher;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
});
afterAll(() => world.close());

it('an attempt that the database rejects does not prevent recording those beside it', async () => {
  const { sql, clock, accountId } = world;
  const ids = createIdGenerator();
  const endpointId = await world.endpoint('http://127.0.0.1:1/');
  const leaseId = '00000000-0000-4000-8000-000000000000';
  const faults: unknown[] = [];
  const recorder = createAttemptRecorder({
    sql,
    queueSql: sql,
    clock,
    ids,
    leaseId,
    onError: (error) => void faults.push(error),
  });
  for (let n = 1; n <= 9; n += 1) {
    const now = clock.now();
    // Half a character is no JSON text to Postgres.
    const responseBody = n === 6 ? 'half \ud83d' : 'noted';
    recorder.add({
      ...{ accountId, endpointId, eventId: ids.next(now), id: ids.next(now), eventType: 'webhook.test', attempt: n },
      ...{ succeeded: false, statusCode: 500, error: 'The endpoint responded with 500.', durationMs: 1, responseBody },
      ...{ createdAt: now, nextAttemptAt: null, nextId: null, wasFailing: false, url: 'http://127.0.0.1/hooks' },
    });
  }
  const beganMs = performance.now();
  await recorder.settle();
  const kept = (await world.attempts(endpointId)).map(({ attempt }) => attempt);
  expect([kept, faults.length]).toEqual([[1, 2, 3, 4, 5, 7, 8, 9], 1]);
  // Nothing was waited for: what is refused once is refused always.
  expect(performance.now() - beganMs).toBeLessThan(5_000);
});

/** Events of its own endpoint, taken, and a recorder for what comes of them. */
async function take(count: number) {
  const { sql, clock, accountId } = world;
  const ids = createIdGenerator();
  const endpointId = await world.endpoint('http://127.0.0.1:1/');
  await world.events(endpointId, count);
  const leaseId = '00000000-0000-4000-8000-000000000001';
  const now = clock.now();
  const lease = { leaseId, leaseUntil: new Date(now.getTime() + 60_000) };
  const capacity = new Map([[endpointId, count]]);
  const claimed = await claimDeliveries(sql, { now, ...lease, capacity, otherwise: 0, limit: count });
  const faults: unknown[] = [];
  const recorder = createAttemptRecorder({
    sql,
    queueSql: sql,
    clock,
    ids,
    leaseId,
    onError: (error) => void faults.push(error),
  });
  const attempts = claimed.map(({ eventId, eventType, attempt, place }, n): Attempt => {
    const succeeded = n % 2 === 0;
    const nextAttemptAt = succeeded ? null : new Date(now.getTime() + 5_000);
    return {
      ...{ accountId, endpointId, eventId, id: ids.next(now), eventType, attempt, place, succeeded, createdAt: now },
      ...{
        statusCode: succeeded ? 200 : 500,
        error: succeeded ? null : 'The endpoint responded with 500.',
        durationMs: 1,
      },
      ...{ responseBody: 'noted, {"so": "to say"}', nextAttemptAt, nextId: succeeded ? null : ids.next(now) },
      ...{ wasFailing: false, url: 'http://127.0.0.1:1/' },
    };
  });
  const outcome = async () => ({
    faults,
    logged: (await world.attempts(endpointId)).length,
    waiting: (
      await sql`SELECT attempt, step, next_at, lease_id FROM webhook_deliveries WHERE endpoint_id = ${endpointId}`
    ).map((row) => [row['attempt'], row['step'], row['next_at'].getTime() - now.getTime(), row['lease_id']]),
  });
  return { endpointId, recorder, attempts, outcome };
}

it('ends and postpones deliveries whose rows were changed since they were claimed, too', async () => {
  const { endpointId, recorder, attempts, outcome } = await take(4);
  // The first two are where they were.
  const moved = attempts.slice(2).map(({ eventId }) => eventId);
  await world.sql`UPDATE webhook_deliveries SET event_type = event_type WHERE endpoint_id = ${endpointId} AND event_id = ANY (${moved}::uuid[])`;
  for (const attempt of attempts) recorder.add(attempt);
  await recorder.settle();
  const postponed = [2, 1, 5_000, null];
  expect(await outcome()).toEqual({ faults: [], logged: 4, waiting: [postponed, postponed] });
  const [logged] = await world.attempts(endpointId);
  expect(logged).toMatchObject({ attempt: 1, succeeded: true, status_code: 200, error: null, duration_ms: 1 });
  expect(logged).toMatchObject({ response_body: 'noted, {"so": "to say"}', created_at: attempts[0]?.createdAt });
});

it('writes everything that arrives while it is writing', async () => {
  const { recorder, attempts, outcome } = await take(1_010);
  // So many that they are written at once, and a few that find it at that.
  for (const attempt of attempts) recorder.add(attempt);
  expect(recorder.waiting()).toBe(1_010);
  await recorder.settle();
  expect(recorder.waiting()).toBe(0);
  expect(await outcome()).toMatchObject({ faults: [], logged: 1_010, waiting: { length: 505 } });
});

it.each([
  ['is failing when the last completed attempt failed', [0, 1], true],
  ['is working when the last completed attempt succeeded', [1, 0], false],
])('an endpoint %s, also within one write', async (_what, order, fails) => {
  const { endpointId, recorder, attempts } = await take(2);
  for (const index of order) {
    const attempt = attempts[index];
    if (attempt !== undefined) recorder.add(attempt);
  }
  await recorder.settle();
  const [row] = await world.sql`SELECT failing_since FROM webhook_endpoints WHERE id = ${endpointId}`;
  expect(row?.['failing_since'] !== null).toBe(fails);
});
