import { afterAll, beforeAll, expect, it } from 'vitest';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { createAttemptRecorder } from '../../packages/server/src/webhooks/attempt-recorder.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';

let world: HandMadeDispatcher;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
});
afterAll(() => world.close());

it('an attempt that the database does not take costs none of those beside it their record', async () => {
  const { sql, clock, accountId } = world;
  const ids = createIdGenerator();
  const endpointId = await world.endpoint('http://127.0.0.1:1/');
  const leaseId = '00000000-0000-4000-8000-000000000000';
  const faults: unknown[] = [];
  const recorder = createAttemptRecorder({ sql, clock, ids, leaseId, onError: (error) => void faults.push(error) });
  for (let n = 1; n <= 9; n += 1) {
    const now = clock.now();
    // Half a character is no JSON text to Postgres.
    const responseBody = n === 6 ? 'half \ud83d' : 'noted';
    recorder.add({
      ...{ accountId, endpointId, eventId: ids.next(now), id: ids.next(now), eventType: 'webhook.test', attempt: n },
      ...{ succeeded: false, statusCode: 500, error: 'The endpoint answered 500.', durationMs: 1, responseBody },
      ...{ createdAt: now, nextAttemptAt: null, nextId: null, wasFailing: false },
    });
  }
  const beganMs = performance.now();
  await recorder.settle();
  const kept = (await world.attempts(endpointId)).map(({ attempt }) => attempt);
  expect([kept, faults.length]).toEqual([[1, 2, 3, 4, 5, 7, 8, 9], 1]);
  // Nothing was waited for: what is refused once is refused always.
  expect(performance.now() - beganMs).toBeLessThan(5_000);
});
