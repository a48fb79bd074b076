import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { type Answering, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

const EVENTS = 400;

describe('the dispatcher', () => {
  let world: HandMadeDispatcher;
  const receivers: WebhookReceiver[] = [];
  beforeAll(async () => {
    world = await startHandMadeDispatcher({ totalMs: 3_000, maxInFlight: 60 });
  });
  afterAll(async () => {
    await world.close();
    for (const receiver of receivers) await receiver.close();
    expect(world.faults).toEqual([]);
  });

  async function receiver(how?: number | Answering): Promise<WebhookReceiver & { readonly id: string }> {
    const made = await startWebhookReceiver(how);
    receivers.push(made);
    return Object.assign(made, { id: await world.endpoint(made.url) });
  }

  it('lets no endpoint that is dead, slow or silent keep another waiting, however much waits for it', async () => {
    const silent = await receiver(() => undefined);
    const slow = await receiver((_event, response) => void setTimeout(() => response.end(), 1_500));
    const dead = await receiver();
    await dead.close();
    for (const { id } of [silent, slow, dead]) await world.events(id, EVENTS);
    const pumped = world.dispatcher.pump();
    const healthy = await receiver();
    await world.events(healthy.id, EVENTS);
    const startedAtMs = performance.now();
    await pumped;
    await world.dispatcher.pump();
    await healthy.count(EVENTS);
    // The slow one alone needs minutes for what waits for it.
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    expect(new Set(healthy.received.map(({ event }) => event.id)).size).toBe(EVENTS);
    expect(silent.received.length).toBeLessThan(20);
    expect(slow.received.length).toBeLessThan(20);
    for (const { id } of [silent, slow, dead])
      await world.sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'manual' WHERE id = ${id}`;
  });

  it('delivers once where two processes share the work', async () => {
    const shared = await receiver();
    await world.events(shared.id, EVENTS);
    const other = world.another();
    for (const dispatcher of [world.dispatcher, other, world.dispatcher, other]) void dispatcher.pump();
    await shared.count(EVENTS);
    expect(shared.received.length).toBe(EVENTS);
    expect(new Set(shared.received.map(({ event }) => event.id)).size).toBe(EVENTS);
    const leases = await world.sql`SELECT DISTINCT lease_id FROM webhook_deliveries WHERE endpoint_id = ${shared.id}`;
    expect(leases.length).toBeLessThanOrEqual(2);
  });

  it('takes over what a process left that was killed, once its lease has ended', async () => {
    const first = await receiver(() => undefined);
    const [eventId] = await world.events(first.id);
    const killed = world.another();
    void killed.pump();
    await first.count(1);
    // It never hears of the answer, and never writes anything down: to everybody else it is gone.
    const [row] = await world.sql`SELECT lease_until FROM webhook_deliveries WHERE endpoint_id = ${first.id}`;
    expect(row?.['lease_until']).not.toBeNull();
    first.answer(200);
    await world.dispatcher.pump();
    expect(first.received.length).toBe(1);
    world.clock.advance(61_000);
    await world.dispatcher.pump();
    await first.count(2);
    await world.dispatcher.idle();
    expect(first.received.map(({ event }) => event.id)).toEqual([eventId, eventId]);
    expect((await world.attempts(first.id)).map(({ succeeded }) => succeeded)).toEqual([true]);
  });

  it('gives back at its end what it had taken, so that another goes on at once', async () => {
    const held = await receiver(() => undefined);
    await world.events(held.id, 10);
    const ending = world.another();
    void ending.pump();
    await held.count(4);
    await ending.stop(50);
    held.answer(200);
    await world.dispatcher.pump();
    await held.count(14);
    await world.dispatcher.idle();
    expect((await world.sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${held.id}`).length).toBe(0);
  });

  it('stops within a second where an endpoint is disabled, also with what it had taken', async () => {
    const waiting: (() => void)[] = [];
    const stopped = await receiver((_event, response) => void waiting.push(() => response.end()));
    await world.events(stopped.id, 20);
    void world.dispatcher.pump();
    await stopped.count(4);
    await world.sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'manual', revision = revision + 1 WHERE id = ${stopped.id}`;
    await new Promise((resolve) => setTimeout(resolve, 510)); // The time within which it looks again.
    await world.dispatcher.pump();
    for (const answer of waiting) answer();
    await world.dispatcher.idle();
    expect(stopped.received.length).toBe(4);
  });
});
