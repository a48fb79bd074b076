import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { changeEndpoint, readEndpoint } from '../../packages/server/src/db/queries/webhook-endpoints.ts';
import { requeueEvents } from '../../packages/server/src/db/queries/webhook-replays.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

/** What is asked for while an attempt is under way. */
describe('a delivery in progress', () => {
  let world: HandMadeDispatcher;
  const receivers: WebhookReceiver[] = [];
  beforeAll(async () => {
    world = await startHandMadeDispatcher();
  });
  afterEach(async () => {
    await world.sql`DELETE FROM webhook_deliveries`;
    for (const receiver of receivers.splice(0)) await receiver.close();
  });
  afterAll(async () => {
    await world.close();
    expect(world.faults).toEqual([]);
  });

  /** An endpoint whose first response waits for the test, with one event in transit to it and the given number of attempts. */
  async function underWay(failedBefore = 0) {
    const held = Promise.withResolvers<(status: number) => void>();
    const receiver = await startWebhookReceiver((_event, response, count) => {
      if (count === 1) held.resolve((status) => void response.writeHead(status).end());
      else response.end();
    });
    receivers.push(receiver);
    const endpointId = await world.endpoint(receiver.url);
    const eventIds = await world.events(endpointId);
    await world.sql`UPDATE webhook_deliveries SET step = ${failedBefore} WHERE endpoint_id = ${endpointId}`;
    await world.dispatcher.pump();
    const respond = await held.promise;
    world.clock.advance(1_000);
    const ask = () => requeueEvents(world.sql, { accountId: world.accountId, endpointId, eventIds }, world.clock.now());
    const waiting = () => world.sql`SELECT attempt, step, next_at, asked_at, lease_id FROM webhook_deliveries
      WHERE endpoint_id = ${endpointId}`;
    const settle = async () => {
      await world.dispatcher.pump();
      await world.dispatcher.idle();
    };
    const outcomes = async () =>
      (await world.attempts(endpointId)).map(({ attempt, succeeded }) => [attempt, succeeded]);
    return { receiver, endpointId, respond, ask, waiting, settle, outcomes };
  }

  for (const [what, failedBefore] of [
    ['a late one', 5],
    ['the last one', 9],
  ] as const) {
    it(`is repeated immediately, with the whole schedule, when it was ${what} of its round and fails`, async () => {
      const { receiver, respond, ask, waiting, settle, outcomes } = await underWay(failedBefore);
      expect(await ask()).toBe(1);
      respond(500);
      await world.dispatcher.idle();
      const [row, ...others] = await waiting();
      expect([row, others]).toMatchObject([{ attempt: 2, step: 0, asked_at: null, lease_id: null }, []]);
      expect(row?.['next_at'].getTime()).toBeLessThanOrEqual(world.clock.now().getTime());
      await settle();
      expect(receiver.received).toHaveLength(2);
      expect(await outcomes()).toEqual([
        [1, false],
        [2, true],
      ]);
      expect(await waiting()).toEqual([]);
    });
  }

  it('is repeated when it succeeds, since it began before the request', async () => {
    const { receiver, respond, ask, waiting, settle, outcomes } = await underWay();
    await ask();
    respond(200);
    await world.dispatcher.idle();
    await settle();
    expect(receiver.received.map(({ event }) => event.id)).toEqual(Array(2).fill(receiver.received[0]?.event.id));
    expect(await outcomes()).toEqual([
      [1, true],
      [2, true],
    ]);
    expect(await waiting()).toEqual([]);
  });

  it('is not repeated when it was only claimed, and began after the request', async () => {
    const { receiver, endpointId, respond, waiting, settle } = await underWay();
    const responses: (() => void)[] = [];
    receiver.respond((_event, response) => void responses.push(() => response.end()));
    // A queue starts with four at once: the last ones wait in memory.
    const eventIds = await world.events(endpointId, 5);
    await world.dispatcher.pump();
    await receiver.count(4);
    const taken = await waiting();
    expect(taken.filter(({ lease_id }) => lease_id === null)).toEqual([]);
    expect(taken).toHaveLength(6);
    world.clock.advance(1_000);
    const asked = { accountId: world.accountId, endpointId, eventIds: eventIds.slice(-1) };
    await requeueEvents(world.sql, asked, world.clock.now());
    world.clock.advance(1_000);
    receiver.respond(200);
    for (const end of [() => respond(200), ...responses]) end();
    await world.dispatcher.idle();
    await settle();
    expect(receiver.received).toHaveLength(6);
    expect(await waiting()).toEqual([]);
  });

  it('has no effect on a URL that replaced its own meanwhile, not even by 410', async () => {
    const { endpointId, respond } = await underWay();
    const endpoint = { accountId: world.accountId, id: endpointId };
    await world.sql`UPDATE webhook_endpoints SET failures = 30, failing_since = now() - interval '9 days' WHERE id = ${endpointId}`;
    const fresh = await startWebhookReceiver();
    receivers.push(fresh);
    await changeEndpoint(world.sql, endpoint, { url: fresh.url, description: null, events: [], chosenBy: null });
    expect((await readEndpoint(world.sql, world.accountId, endpointId))?.failingSince).toBeNull();
    respond(410);
    await world.dispatcher.idle();
    const after = await readEndpoint(world.sql, world.accountId, endpointId);
    expect(after).toMatchObject({ status: 'enabled', failingSince: null, url: fresh.url });
    const [{ failures } = { failures: null }] =
      await world.sql`SELECT failures FROM webhook_endpoints WHERE id = ${endpointId}`;
    expect(failures).toBe(0);
  });

  it('continues immediately when the URL changes, as do paused deliveries of an unreachable endpoint', async () => {
    const dead = await startWebhookReceiver();
    await dead.close();
    const endpointId = await world.endpoint(dead.url);
    await world.events(endpointId, 60);
    // Twenty tries in a row, and then one behind each pause, until the pauses are at their longest.
    for (let look = 0; look < 30; look += 1) {
      world.clock.advance(31_000);
      await world.dispatcher.pump();
      await world.dispatcher.idle();
    }
    const fresh = await startWebhookReceiver();
    receivers.push(fresh);
    const endpoint = { accountId: world.accountId, id: endpointId };
    await changeEndpoint(world.sql, endpoint, { url: fresh.url, description: null, events: [], chosenBy: null });
    await new Promise((resolve) => setTimeout(resolve, 510)); // The time within which it looks again.
    const [eventId] = await world.events(endpointId);
    await world.dispatcher.pump();
    await fresh.first(({ event }) => event.id === eventId);
  });

  it('keeps its failures on any other change', async () => {
    const { endpointId, respond, receiver } = await underWay();
    const endpoint = { accountId: world.accountId, id: endpointId };
    respond(500);
    await world.dispatcher.idle();
    const before = await readEndpoint(world.sql, world.accountId, endpointId);
    expect(before?.failingSince).not.toBeNull();
    await changeEndpoint(world.sql, endpoint, {
      url: receiver.url,
      description: 'Other words',
      events: [],
      chosenBy: null,
    });
    const after = await readEndpoint(world.sql, world.accountId, endpointId);
    expect(after?.failingSince).toEqual(before?.failingSince);
  });
});
