import { expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../packages/server/src/db/queries/webhook-deliveries.ts';
import {
  createEndpointQueues,
  type EndpointQueues,
  WAITING_MAX,
} from '../../packages/server/src/webhooks/endpoint-queues.ts';

const NOW = new Date('2026-01-31T09:00:00.000Z');
/** The fast responses that make the widest queue. */
const TO_THE_WIDEST = 46;
const WIDEST = 50;

function delivery(endpointId: string, eventId = 'one'): ClaimedDelivery {
  return {
    ...{
      accountId: 'acme',
      endpointId,
      eventId,
      id: eventId,
      eventType: 'webhook.test',
      attempt: 1,
      step: 0,
      body: '{}',
    },
    ...{ revision: 1, isFailing: false, place: '(0,1)' },
  };
}

function respondQuickly(queues: EndpointQueues, endpointId: string): void {
  for (let n = 0; n < TO_THE_WIDEST; n += 1) {
    queues.add(delivery(endpointId), NOW);
    const [queue] = queues.roundRobin();
    queue?.take(NOW);
    queue?.finish({ succeeded: true, statusCode: 200, durationMs: 5 }, NOW);
  }
}

it('uses for an endpoint no more than its part of the capacity, when many quick ones have more queued', () => {
  const queues = createEndpointQueues();
  const ids = Array.from({ length: 12 }, (_, n) => `endpoint ${n}`);
  for (const id of ids) respondQuickly(queues, id);
  const asked = queues.capacity(NOW);
  expect([...asked.capacity.values()]).toEqual(ids.map(() => Math.floor(WAITING_MAX / ids.length)));

  // All but one turn out to have nothing more: then the room is its own, as much as it can use in a while.
  const room = asked.capacity.get('endpoint 0') ?? 0;
  const taken = Array.from({ length: room }, (_, n) => delivery('endpoint 0', `${n}`));
  queues.recordClaimed(asked, taken, false);
  expect(queues.capacity(NOW).capacity.get('endpoint 0')).toBe(25 * WIDEST);
});

it('leaves even the hundredth quick one its full parallel deliveries', () => {
  const queues = createEndpointQueues();
  for (let n = 0; n < 100; n += 1) respondQuickly(queues, `endpoint ${n}`);
  expect(new Set(queues.capacity(NOW).capacity.values())).toEqual(new Set([WIDEST]));
});

it('begins what waits in order, however much that is', () => {
  const queues = createEndpointQueues();
  const ids = Array.from({ length: 1_001 }, (_, n) => `${n}`);
  for (const id of ids) queues.add(delivery('endpoint', id), NOW);
  const [queue] = queues.roundRobin();
  expect(ids.map(() => queue?.take(NOW)?.delivery.eventId)).toEqual(ids);
  expect([queue?.take(NOW), queues.waitingCount()]).toEqual([null, 0]);
});
