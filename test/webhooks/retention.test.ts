import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeWebhooks } from '../../packages/server/src/db/queries/purge-webhooks.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const DAY_MS = 86_400_000;

describe('events and attempts', () => {
  let world: HandMadeDispatcher;
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    world = await startHandMadeDispatcher();
    receiver = await startWebhookReceiver(500);
  });
  afterAll(async () => {
    await world.close();
    await receiver.close();
  });

  it('are removed after their retention, with their pending deliveries, and no sooner', async () => {
    const id = await world.endpoint(receiver.url);
    const deliver = async () => {
      const [eventId = ''] = await world.events(id);
      await world.dispatcher.pump();
      await world.dispatcher.idle();
      return eventId;
    };
    const old = await deliver();
    world.clock.advance(2 * DAY_MS);
    const young = await deliver();
    await purgeWebhooks(world.sql, new Date(world.clock.now().getTime() - DAY_MS));
    const kept = await world.sql`
      SELECT (SELECT array_agg(id::text) FROM webhook_events) AS events, (SELECT array_agg(event_id::text) FROM webhook_deliveries) AS waiting,
        (SELECT array_agg(DISTINCT event_id::text) FROM webhook_attempts) AS attempted`;
    // The second try of the old event was made two days later, and is kept for as long as any attempt.
    expect(kept[0]).toEqual({ events: [young], waiting: [young], attempted: expect.arrayContaining([young, old]) });
  });
});
