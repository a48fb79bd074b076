import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { createEventFeeds, type EventFeed, type EventFeeds } from '../../packages/server/src/webhooks/event-feeds.ts';
import { createFakeClock } from '../harness/fake-clock.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('a feed of events', () => {
  const clock = createFakeClock();
  const ids = createIdGenerator();
  let database: TestDatabase;
  let feeds: EventFeeds;
  beforeAll(async () => {
    database = await createTestDatabase();
    feeds = createEventFeeds({ sql: database.sql, clock, maxPerAccount: 2, maxWaiting: 200 });
  });
  afterAll(async () => {
    feeds.close();
    await database.drop();
  });

  const newAccount = async () =>
    (await createAccount({ sql: database.sql, clock, ids }, { name: 'Feeds', ownerEmail: 'o@sandbox.test' })).accountId;

  async function open(accountId: string, types: readonly string[] | null = null): Promise<EventFeed> {
    const isAllowed = () => Promise.resolve(true);
    const feed = await feeds.open({ accountId, types: types === null ? null : new Set(types), isAllowed });
    if (feed === null) throw new Error('the feed was refused');
    return feed;
  }

  /** Stores events that happened so long ago, the oldest first. */
  async function store(accountId: string, agesMs: readonly number[], type = 'email.sent'): Promise<string[]> {
    const stored = agesMs.map((ageMs) => createIdGenerator().next(new Date(clock.now().getTime() - ageMs)));
    await database.sql`
      INSERT INTO webhook_events (account_id, id, type, body, created_at, stored_at)
      SELECT ${accountId}, id, ${type}, '{}', ${clock.now()}, ${clock.now()} FROM unnest(${stored}::uuid[]) AS id`;
    return stored;
  }

  it('contains what is stored from its start on, each event once, in order, and nothing from before', async () => {
    const accountId = await newAccount();
    await store(accountId, [2_000, 1_000]);
    const feed = await open(accountId);
    const first = await store(accountId, [3, 2, 1]);
    expect(await feed.take(2, 5_000)).toEqual(first.slice(0, 2));
    expect(await feed.take(2, 5_000)).toEqual(first.slice(2));
    const second = await store(accountId, [0]);
    expect(await feed.take(9, 5_000)).toEqual(second);
    expect(await feed.take(9, 300)).toEqual([]);
    feed.close();
    expect(await feed.take(9, 300)).toBeNull();
  });

  it('contains an event that is stored late, after newer ones', async () => {
    const accountId = await newAccount();
    const feed = await open(accountId);
    const young = await store(accountId, [0]);
    expect(await feed.take(9, 5_000)).toEqual(young);
    const late = await store(accountId, [30_000]);
    expect(await feed.take(9, 5_000)).toEqual(late);
    feed.close();
  });

  it('keeps to its types and its account, and each of several contains all', async () => {
    const [accountId, other] = [await newAccount(), await newAccount()];
    const [all, some, foreign] = [await open(accountId), await open(accountId, ['email.opened']), await open(other)];
    const sent = await store(accountId, [1]);
    const opened = await store(accountId, [0], 'email.opened');
    expect(await some.take(9, 5_000)).toEqual(opened);
    const found: string[] = [];
    while (found.length < 2) found.push(...((await all.take(9, 5_000)) ?? []));
    expect(found.sort()).toEqual([...sent, ...opened].sort());
    expect(await foreign.take(9, 0)).toEqual([]);
    for (const feed of [all, some, foreign]) feed.close();
  });

  it('is closed when its reader falls too far behind, so that its memory is bounded', async () => {
    const accountId = await newAccount();
    const [feed, picky] = [await open(accountId), await open(accountId, ['email.opened'])];
    for (let round = 0; round < 2; round += 1) {
      await store(accountId, Array(101).fill(0));
      await store(accountId, [0], 'email.opened');
      expect(await picky.take(9, 10_000)).toHaveLength(1);
    }
    expect(await feed.take(9, 0)).toBeNull();
    picky.close();
  });

  it('is rejected when the account has as many as it may have', async () => {
    const accountId = await newAccount();
    const isAllowed = () => Promise.resolve(true);
    const request = { accountId, types: null, isAllowed };
    const [first, second, third] = await Promise.all([feeds.open(request), feeds.open(request), feeds.open(request)]);
    expect([first, second, third].filter((feed) => feed === null)).toHaveLength(1);
    first?.close();
    second?.close();
    third?.close();
    const again = await feeds.open(request);
    expect(again).not.toBeNull();
    again?.close();
  });
});
