import { expect, it } from 'vitest';
import type { ClaimedDelivery } from '../../packages/server/src/db/queries/webhook-deliveries.ts';
import { createLanes, type Lanes, WAITING_MAX } from '../../packages/server/src/webhooks/lanes.ts';

const NOW = new Date('2026-01-31T09:00:00.000Z');
/** Answers that it takes for the widest lane there is. */
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

function answerQuickly(lanes: Lanes, endpointId: string): void {
  for (let n = 0; n < TO_THE_WIDEST; n += 1) {
    lanes.add(delivery(endpointId), NOW);
    const [lane] = lanes.inTurn();
    lane?.take(NOW);
    lane?.finish({ succeeded: true, statusCode: 200, durationMs: 5 }, NOW);
  }
}

it('takes for no endpoint more than its part of what fits in, where many that are quick have more waiting', () => {
  const lanes = createLanes();
  const ids = Array.from({ length: 12 }, (_, n) => `endpoint ${n}`);
  for (const id of ids) answerQuickly(lanes, id);
  const asked = lanes.rooms(NOW);
  expect([...asked.rooms.values()]).toEqual(ids.map(() => Math.floor(WAITING_MAX / ids.length)));

  // All but one turn out to have nothing more: then the room is its own, as much as it can use in a while.
  const room = asked.rooms.get('endpoint 0') ?? 0;
  const taken = Array.from({ length: room }, (_, n) => delivery('endpoint 0', `${n}`));
  lanes.noteTaken(asked, taken, false);
  expect(lanes.rooms(NOW).rooms.get('endpoint 0')).toBe(25 * WIDEST);
});

it('leaves even the hundredth that is quick as much as it can have under way at once', () => {
  const lanes = createLanes();
  for (let n = 0; n < 100; n += 1) answerQuickly(lanes, `endpoint ${n}`);
  expect(new Set(lanes.rooms(NOW).rooms.values())).toEqual(new Set([WIDEST]));
});

it('begins what waits in the order in which it came, however much that is', () => {
  const lanes = createLanes();
  const ids = Array.from({ length: 1_001 }, (_, n) => `${n}`);
  for (const id of ids) lanes.add(delivery('endpoint', id), NOW);
  const [lane] = lanes.inTurn();
  expect(ids.map(() => lane?.take(NOW)?.delivery.eventId)).toEqual(ids);
  expect([lane?.take(NOW), lanes.waitingCount()]).toEqual([null, 0]);
});
