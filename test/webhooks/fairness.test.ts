import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { type Responding, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

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

  async function receiver(how?: number | Responding): Promise<WebhookReceiver & { readonly id: string }> {
    const made = await startWebhookReceiver(how);
    receivers.push(made);
    return Object.assign(made, { id: await world.endpoint(made.url) });
  }

  it('lets no dead, slow or silent endpoint delay another, however much is queued for it', async () => {
    const silent = await receiver(() => undefined);
    const late = Promise.withResolvers<void>();
    const slow = await receiver((_event, response) => void late.promise.then(() => response.end()));
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
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    // Nothing of the other two has ended yet, so nothing can have waited for it.
    expect([await world.attempts(silent.id), await world.attempts(slow.id)]).toEqual([[], []]);
    expect(new Set(healthy.received.map(({ event }) => event.id)).size).toBe(EVENTS);
    expect(silent.received.length).toBeLessThan(20);
    expect(slow.received.length).toBeLessThan(20);
    late.resolve();
    await silent.close();
    for (const { id } of [silent, slow, dead])
      await world.sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'manual' WHERE id = ${id}`;
  });

  it('delivers once when two processes share the work', async () => {
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

  it('takes over the deliveries of a killed process, once its lease has ended', async () => {
    const first = await receiver(() => undefined);
    const [eventId] = await world.events(first.id);
    const killed = world.another();
    void killed.pump();
    await first.count(1);
    // It never receives the response and never records anything: for all others it is gone.
    const [row] = await world.sql`SELECT lease_until FROM webhook_deliveries WHERE endpoint_id = ${first.id}`;
    expect(row?.['lease_until']).not.toBeNull();
    first.respond(200);
    await world.dispatcher.pump();
    expect(first.received.length).toBe(1);
    world.clock.advance(61_000);
    await world.dispatcher.pump();
    await first.count(2);
    await world.dispatcher.idle();
    expect(first.received.map(({ event }) => event.id)).toEqual([eventId, eventId]);
    expect((await world.attempts(first.id)).map(({ succeeded }) => succeeded)).toEqual([true]);
  });

  it('releases what it had claimed when it stops, so that another continues immediately', async () => {
    const held = await receiver(() => undefined);
    await world.events(held.id, 10);
    const ending = world.another();
    void ending.pump();
    await held.count(4);
    await ending.stop(50);
    held.respond(200);
    // On a busy machine it ends before what it gives back is written.
    const received = async () => {
      await world.dispatcher.pump();
      return held.received.length;
    };
    await expect.poll(received).toBe(14);
    await world.dispatcher.idle();
    expect((await world.sql`SELECT 1 FROM webhook_deliveries WHERE endpoint_id = ${held.id}`).length).toBe(0);
  });

  it('stops within a second when an endpoint is disabled, also what it had claimed', async () => {
    const waiting: (() => void)[] = [];
    const stopped = await receiver((_event, response) => void waiting.push(() => response.end()));
    await world.events(stopped.id, 20);
    void world.dispatcher.pump();
    await stopped.count(4);
    await world.sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'manual', revision = revision + 1 WHERE id = ${stopped.id}`;
    await new Promise((resolve) => setTimeout(resolve, 510)); // The time within which it looks again.
    await world.dispatcher.pump();
    for (const respond of waiting) respond();
    await world.dispatcher.idle();
    expect(stopped.received.length).toBe(4);
  });
});

describe('a dispatcher whose endpoints stop responding', () => {
  let world: HandMadeDispatcher;
  const receivers: WebhookReceiver[] = [];
  beforeAll(async () => {
    world = await startHandMadeDispatcher();
  });
  afterAll(async () => {
    await world.close();
    for (const receiver of receivers) await receiver.close();
    expect(world.faults).toEqual([]);
  });

  async function receiver(): Promise<WebhookReceiver & { readonly id: string }> {
    const made = await startWebhookReceiver();
    receivers.push(made);
    return Object.assign(made, { id: await world.endpoint(made.url) });
  }

  it('lets them occupy no slot that another needs, however many they are', async () => {
    // As many as fill all the places together, once their queues are at their widest.
    const slow = await Promise.all(Array.from({ length: 4 }, () => receiver()));
    for (const { id } of slow) await world.events(id, 200);
    const { dispatcher } = world;
    while (slow.some(({ received }) => received.length < 200)) await dispatcher.pump();
    await dispatcher.idle();
    for (const each of slow) each.respond(() => undefined);
    for (const { id } of slow) await world.events(id, 1_000);
    await dispatcher.pump();
    await Promise.all(slow.map((each) => each.count(250)));
    const healthy = await receiver();
    await world.events(healthy.id, 20);
    world.clock.advance(2_000);
    await dispatcher.pump();
    await healthy.count(20);
  });
});

describe('a dispatcher with hundreds of silent endpoints', () => {
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

  async function receiver(how?: Responding): Promise<WebhookReceiver & { readonly id: string }> {
    const made = await startWebhookReceiver(how);
    receivers.push(made);
    return Object.assign(made, { id: await world.endpoint(made.url) });
  }

  it('has room for endpoints that respond, however many are silent with large queues', async () => {
    const healthy = await receiver();
    await world.events(healthy.id, 8);
    await world.dispatcher.pump();
    await healthy.count(8);
    const silent = await receiver(() => undefined);
    // More than an account may have: they are those of several.
    const copies = await world.sql<{ id: string }[]>`
      INSERT INTO webhook_endpoints (account_id, id, url, events, secret, created_at)
      SELECT account_id, gen_random_uuid(), url, events, secret, created_at
      FROM webhook_endpoints, generate_series(2, 100) WHERE id = ${silent.id} RETURNING id`;
    const ids = [silent.id, ...copies.map(({ id }) => id)];
    for (const id of ids) await world.events(id, 40);
    for (let look = 0; look < 10; look += 1) await world.dispatcher.pump();
    await world.events(healthy.id, 100);
    const startedAtMs = performance.now();
    await world.dispatcher.pump();
    await healthy.count(108);
    expect(performance.now() - startedAtMs).toBeLessThan(2_500);
    // Sooner than the first of the silent ones is given up.
    for (const id of ids) expect(await world.attempts(id)).toEqual([]);
    expect(silent.received.length).toBeGreaterThan(0);
  });
});

describe('a dispatcher whose slots are all in use', () => {
  let world: HandMadeDispatcher;
  const receivers: WebhookReceiver[] = [];
  beforeEach(async () => {
    world = await startHandMadeDispatcher({ maxInFlight: 60, totalMs: 60_000 });
  });
  afterEach(async () => {
    await world.close();
    for (const receiver of receivers.splice(0)) await receiver.close();
    expect(world.faults).toEqual([]);
  });

  /** Endpoints that responded fast to so many events, then stop responding with more waiting than they may have in progress. */
  async function fallenSilent(count: number, responded: number) {
    const slow = await Promise.all(
      Array.from({ length: count }, async () => {
        const receiver = await startWebhookReceiver();
        receivers.push(receiver);
        return Object.assign(receiver, { id: await world.endpoint(receiver.url) });
      }),
    );
    for (const { id } of slow) await world.events(id, responded);
    while (slow.some(({ received }) => received.length < responded)) await world.dispatcher.pump();
    await world.dispatcher.idle();
    for (const receiver of slow) receiver.respond(() => undefined);
    for (const { id } of slow) await world.events(id, 100);
    await world.dispatcher.pump();
  }

  async function healthy() {
    const receiver = await startWebhookReceiver();
    receivers.push(receiver);
    await world.events(await world.endpoint(receiver.url), 20);
    await world.dispatcher.pump();
    return receiver;
  }

  it('reserves some for endpoints with few, however many wide queues become silent together', async () => {
    await fallenSilent(4, 40);
    // Three quarters are for all, and of the rest each has four at most.
    expect(world.dispatcher.load().underWay).toBeGreaterThanOrEqual(45);
    // No one has to give up first, and no time has to pass.
    await (await healthy()).count(20);
  });

  it('stops counting the slots of endpoints that ended no request for two seconds', async () => {
    await fallenSilent(20, 8);
    expect(world.dispatcher.load().underWay).toBeGreaterThanOrEqual(60);
    const waiting = await healthy();
    world.clock.advance(2_000);
    await world.dispatcher.pump();
    await waiting.count(20);
    // What they hold is bounded anyway.
    expect(world.dispatcher.load().underWay).toBeLessThanOrEqual(120);
  });
});
