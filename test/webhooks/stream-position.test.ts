import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { keepStreaming, storeEvents } from '../../packages/server/src/db/queries/webhook-events.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { OPERATOR } from '../../packages/server/src/visibility/viewer.ts';
import { createEventFeeds, type EventFeeds } from '../../packages/server/src/webhooks/event-feeds.ts';
import { createWebhookSecret } from '../../packages/server/src/webhooks/sign-webhook.ts';
import { streamEvents } from '../../packages/server/src/webhooks/stream-events.ts';
import { type HandMadeDispatcher, startHandMadeDispatcher } from '../harness/hand-made-dispatcher.ts';

let world: HandMadeDispatcher;
let feeds: EventFeeds;
beforeAll(async () => {
  world = await startHandMadeDispatcher();
  feeds = createEventFeeds({ sql: world.sql, clock: world.clock, maxPerAccount: 9 });
});
let accountId: string;
beforeEach(async () => {
  const tools = { sql: world.sql, clock: world.clock, ids: createIdGenerator() };
  accountId = (await createAccount(tools, { name: 'Streams', ownerEmail: 'o@sandbox.test' })).accountId;
  await keepStreaming(world.sql, accountId, 600_000);
});
afterAll(async () => {
  feeds.close();
  await world.close();
});

const idOf = (ageMs: number) => createIdGenerator().next(new Date(world.clock.now().getTime() - ageMs));

/** Stores events that happened so long ago, by a process whose clock is so much behind; returns their ids. */
async function store(agesMs: readonly number[], clockBehindMs = 0): Promise<string[]> {
  const { sql, clock } = world;
  const ids = agesMs.map(idOf);
  const now = new Date(clock.now().getTime() - clockBehindMs);
  const rest = { accountId, type: 'suppression.added' as const, body: '{}', endpointId: null, createdAt: now };
  await storeEvents(
    sql,
    ids.map((id) => ({ id, ...rest })),
    now,
  );
  return ids;
}

/** A stream after an event, and what it sends next. */
async function listen(lastEventId: string | null) {
  const { sql, clock } = world;
  const feed = await feeds.open({ accountId, types: null, isAllowed: () => Promise.resolve(true) });
  if (feed === null) throw new Error('the feed was refused');
  const request = {
    accountId,
    types: null,
    lastEventId,
    beginId: idOf(0),
    secret: createWebhookSecret(),
    viewer: OPERATOR,
  };
  const stream = streamEvents(request, feed, { sql, clock });
  /** The ids of the next events. */
  async function next(count: number): Promise<string[]> {
    const found: string[] = [];
    while (found.length < count) {
      const { value, done } = await stream.next();
      if (done === true) throw new Error(`the stream ended after ${found.join(', ')}`);
      const id = /^id: (.*)$/m.exec(value)?.[1];
      if (id !== undefined) found.push(id);
    }
    return found;
  }
  expect(await next(1)).toEqual([lastEventId ?? expect.anything()]);
  return { next, close: () => stream.return(undefined) };
}

it('a listener that catches up receives events in the order in which they were stored', async () => {
  const [last = ''] = await store([30_000]);
  const missed = await store(Array.from({ length: 60 }, (_, n) => 20_000 - n));
  const stream = await listen(last);
  expect(await stream.next(50)).toEqual(missed.slice(0, 50));
  // It happened before what was just sent, and is stored while that is read.
  const late = await store([25_000]);
  const young = await store([0]);
  expect(await stream.next(12)).toEqual([...missed.slice(50), ...late, ...young]);
  await stream.close();
});

it('a listener reconnects to a database that was restored elsewhere, and misses nothing', async () => {
  const [last = ''] = await store([10_000]);
  const behind = await store([9_000]);
  // Transactions are numbered again there.
  await world.sql`
    UPDATE webhook_events SET stored_by = '9000000000000', stored_beside = '9000000000000', stored_at = stored_at - interval '2 minutes'
    WHERE id = ANY (${[last, ...behind]}::uuid[])`;
  const late = await store([15_000]);
  const stream = await listen(last);
  expect(await stream.next(2)).toEqual([...late, ...behind]);
  await stream.close();
});

it('a listener receives events of a process whose clock is an hour behind', async () => {
  const stream = await listen(null);
  const stored = await store([0], 3_600_000);
  expect(await stream.next(1)).toEqual(stored);
  await stream.close();
});
