import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fillSearch } from '../../packages/server/src/db/queries/fill-search.ts';
import { purgeExpired } from '../../packages/server/src/db/queries/maintenance.ts';
import { idFloor, type MessageFilters, needsSearch } from '../../packages/server/src/db/queries/message-filters.ts';
import { ensurePartitions } from '../../packages/server/src/db/queries/partitions.ts';
import { countMessages, listMessages } from '../../packages/server/src/db/queries/read-messages.ts';
import { spanOf } from '../../packages/server/src/db/queries/search-matches.ts';
import { collectMatches, countMatches, searchMessages } from '../../packages/server/src/db/queries/search-messages.ts';
import type { Transaction } from '../../packages/server/src/db/query.ts';
import { createSearchFiller } from '../../packages/server/src/jobs/search-filler.ts';
import { type SeededRandom, seededRandom } from '../harness/seeded-random.ts';
import type { TaggedTransaction } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const ACCOUNT = '00000000-0000-7000-8000-000000000001';
const OTHER = '00000000-0000-7000-8000-000000000002';
const THIRD = '00000000-0000-7000-8000-000000000003';
/** A key that sees the blind recipients of its own messages alone. */
const AGENT = '01234567-0000-7000-8000-00000000000a';
const DAY_MS = 86_400_000;
/** More than a walk looks through, over four months. */
const COUNT = 9_000;
const DAYS = 100;

const NONE: MessageFilters = {
  accountId: ACCOUNT,
  blindOfKey: null,
  statuses: [],
  channel: null,
  source: null,
  agentName: null,
  keyId: null,
  domain: null,
  tags: [],
  recipient: null,
  sender: null,
  text: null,
  from: null,
  to: null,
};

interface Stored {
  readonly id: string;
  readonly accountId: string;
  readonly keyId: string;
  readonly createdAt: Date;
  readonly subject: string;
  readonly status: string;
  readonly channel: string;
  readonly source: string;
  readonly agentName: string | null;
  readonly domain: string;
  readonly tags: readonly string[];
  /** The first is no blind one, the others are. */
  readonly recipients: readonly string[];
}

describe('the search in the message log', () => {
  let database: TestDatabase;
  let stored: Stored[];
  const now = new Date();
  beforeAll(async () => {
    database = await createTestDatabase();
    for (let month = 0; month < 6; month += 1)
      await ensurePartitions(database.sql, new Date(now.getTime() - month * 30 * DAY_MS));
    stored = makeMessages(now);
    await store(stored);
    await database.sql`UPDATE search_backlog SET message_ids = message_ids WHERE random() < 0.5`;
    while ((await backlogRows()) > 3) await database.sql.begin((transaction) => takeSome(transaction));
  }, 60_000);
  afterAll(() => database.drop());

  async function store(messages: readonly Stored[]): Promise<void> {
    const rows = messages.map((message) => ({
      ...message,
      account: message.accountId,
      key: message.keyId,
      at: message.createdAt,
      agent: message.agentName,
    }));
    for (let at = 0; at < rows.length; at += 500) {
      const given = JSON.stringify(rows.slice(at, at + 500));
      await database.sql`
        WITH given AS MATERIALIZED (
          SELECT * FROM json_to_recordset(${given}::text::json) AS g (account uuid, id uuid, key uuid, at timestamptz, subject text, status text,
            channel text, source text, agent text, domain text, tags text[], recipients text[])
        ), addressed AS (
          INSERT INTO message_recipients (account_id, message_id, ordinal, kind, email, status)
          SELECT account, id, n, CASE n WHEN 1 THEN 'to' ELSE 'bcc' END, email, status FROM given, unnest(recipients) WITH ORDINALITY AS r (email, n)
        ), noted AS (
          INSERT INTO search_backlog (account_id, message_ids) SELECT account, array_agg(id) FROM given GROUP BY account
        )
        INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source,
          agent_name, tags, metadata, charged, event_count)
        SELECT account, id, key, at, 'a@' || domain, domain, '', subject, status, channel, source, agent, tags, '{}', 0, 1 FROM given`;
    }
  }

  async function backlogRows(): Promise<number> {
    return (await database.sql`SELECT FROM search_backlog`).length;
  }

  /** What the background does, with a part of the backlog. */
  async function takeSome(transaction: TaggedTransaction): Promise<void> {
    await transaction`CREATE TEMP TABLE kept ON COMMIT DROP AS SELECT * FROM search_backlog ORDER BY ctid DESC LIMIT 3`;
    await transaction`DELETE FROM search_backlog WHERE ctid IN (SELECT ctid FROM search_backlog ORDER BY ctid DESC LIMIT 3)`;
    while (
      (await fillSearch({ begin: async (work: unknown) => await (work as typeof takeSome)(transaction) } as never)) > 0
    );
    await transaction`INSERT INTO search_backlog SELECT * FROM kept`;
  }

  const all = async (filters: MessageFilters, limit: number) => {
    const pages: string[] = [];
    for (let before: string | null = null; ; ) {
      const position = { before, limit };
      const page: readonly string[] = needsSearch(filters)
        ? await searchMessages(database.bound(filters.accountId), filters, position)
        : (await listMessages(database.sql, filters, position)).map(({ id }) => id);
      pages.push(...page);
      before = page.at(-1) ?? null;
      if (page.length < limit || before === null) return pages;
    }
  };

  function expected(filters: MessageFilters): string[] {
    return stored
      .filter((message) => matches(message, filters))
      .map(({ id }) => id)
      .sort()
      .reverse();
  }

  it('has some messages indexed and some not, over several months', async () => {
    const [row] = await database.sql<{ indexed: number; partitions: number }[]>`
      SELECT count(*)::int AS indexed, count(DISTINCT tableoid)::int AS partitions FROM message_search`;
    expect(row?.indexed).toBeGreaterThan(COUNT / 2);
    expect(row?.indexed).toBeLessThan(stored.length);
    expect(row?.partitions).toBeGreaterThan(2);
    expect(await backlogRows()).toBeGreaterThan(0);
  });

  it('returns what the log itself returns, for filters of every kind and combination, page by page', async () => {
    const random = seededRandom('filters');
    const seen = { some: 0, none: 0, many: 0 };
    for (let n = 0; n < 40; n += 1) {
      const filters = makeFilters(random, stored, now);
      const ids = expected(filters);
      // Pages small enough to part what matches, and large enough to come to the end.
      const found = await all(filters, Math.max(23, Math.ceil(ids.length / 4)));
      expect({ filters, found }).toEqual({ filters, found: ids });
      const count = needsSearch(filters)
        ? await countMatches(database.bound(filters.accountId), filters, 100_000)
        : await countMessages(database.sql, filters, 100_000);
      expect({ filters, count }).toEqual({ filters, count: ids.length });
      if (ids.length === 0) seen.none += 1;
      else if (ids.length < 100) seen.some += 1;
      else seen.many += 1;
    }
    // The filters were worth asking.
    expect(Math.min(seen.some, seen.none, seen.many)).toBeGreaterThan(0);
  }, 60_000);

  it('matches bcc recipients of a key’s own messages only for that key, in pages and counts', {
    tags: ['holes.sight'],
  }, async () => {
    for (const filter of [{ recipient: 'copy3@web.example' }, { text: 'web.example' }]) {
      const filters = { ...NONE, ...filter, blindOfKey: AGENT };
      const found = await all(filters, 20);
      expect(found).toEqual(expected(filters));
      expect(found.length).toBeGreaterThan(0);
      expect(found.length).toBeLessThan(expected({ ...NONE, ...filter }).length / 2);
      expect(await countMatches(database.bound(ACCOUNT), filters, 10_000)).toBe(found.length);
      const ids = await collectMatches(database.bound(ACCOUNT), filters, 10_000);
      expect(ids.length / 16).toBe(found.length);
    }
  });

  it('collects the ids of all matches in order, up to a cap', async () => {
    const filters = { ...NONE, tags: ['rare'] };
    const ids = expected(filters);
    const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
    expect(hex(await collectMatches(database.bound(filters.accountId), filters, 1_000))).toBe(
      ids.join('').replaceAll('-', ''),
    );
    expect(hex(await collectMatches(database.bound(filters.accountId), filters, 2))).toBe(
      ids.slice(0, 2).join('').replaceAll('-', ''),
    );
    expect(await collectMatches(database.bound(ACCOUNT), { ...NONE, tags: ['never'] }, 10)).toHaveLength(0);
    expect(await countMatches(database.bound(ACCOUNT), { ...NONE, channel: 'api' }, 11)).toBe(11);
  });

  it('finds a message whose id is older than what was indexed before: clocks and commits may lag', async () => {
    const late: Stored = {
      ...(stored[0] as Stored), // There are thousands.
      accountId: ACCOUNT,
      id: '0123456f-0000-7000-8000-00000000abcd',
      createdAt: new Date(now.getTime() - 300 * DAY_MS),
      tags: ['late'],
    };
    const filters = { ...NONE, tags: ['late'] };
    await store([late]);
    expect(await all(filters, 10)).toEqual([late.id]);
    while ((await fillSearch(database.sql)) > 0);
    expect(await backlogRows()).toBe(0);
    expect(await all(filters, 10)).toEqual([late.id]);
    for (const [table, column] of [
      ['messages', 'id'],
      ['message_search', 'message_id'],
    ] as const) {
      await database.sql`DELETE FROM ${database.sql(table)} WHERE ${database.sql(column)} = ${late.id}`;
    }
  });

  it('finds a short internationalized name in the spans of its A-label', async () => {
    const old: Stored = {
      ...(stored[0] as Stored), // There are thousands.
      accountId: ACCOUNT,
      id: '0123456f-0000-7000-8000-00000000abce',
      createdAt: new Date(now.getTime() - 300 * DAY_MS),
      recipients: ['x@xn--nda.at'],
    };
    const filters = { ...NONE, text: 'ö.at' };
    await store([old]);
    while ((await fillSearch(database.sql)) > 0);
    expect(await all(filters, 10)).toEqual([old.id]);
    expect(await countMatches(database.bound(ACCOUNT), filters, 10)).toBe(1);
    for (const [table, column] of [
      ['messages', 'id'],
      ['message_search', 'message_id'],
    ] as const) {
      await database.sql`DELETE FROM ${database.sql(table)} WHERE ${database.sql(column)} = ${old.id}`;
    }
  });

  it('keeps the order of messages that are not indexed yet, however many there are', async () => {
    const filters = { ...NONE, tags: ['campaign'] };
    const old = expected(filters).slice(-400);
    // Noted again, as all of a log are that was there before the search was.
    await database.sql`INSERT INTO search_backlog VALUES (${ACCOUNT}, ${old}::uuid[])`;
    expect(await all(filters, 100)).toEqual(expected(filters));
    while ((await fillSearch(database.sql)) > 0);
  });

  it('loses no message while several processes index it', async () => {
    const fresh = makeMessages(now)
      .slice(0, 4_000)
      .map((message, n) => ({
        ...message,
        accountId: THIRD,
        id: `${idFloor(now.getTime() - n).slice(0, 14)}7000-8000-${String(n).padStart(12, '0')}`,
        tags: ['fresh'],
      }));
    const filters = { ...NONE, accountId: THIRD, tags: ['fresh'] };
    await store(fresh);
    const fillers = Array.from({ length: 3 }, () =>
      createSearchFiller({ sql: database.sql, onError: (error) => expect.fail(String(error)) }),
    );
    let done = false;
    const filling = Promise.all(fillers.map((filler) => filler.run())).then(() => {
      done = true;
    });
    let looks = 0;
    while (!done) {
      expect(
        await searchMessages(database.bound(filters.accountId), filters, { before: null, limit: 5_000 }),
      ).toHaveLength(fresh.length);
      expect(await countMatches(database.bound(filters.accountId), filters, 10_000)).toBe(fresh.length);
      looks += 1;
    }
    await filling;
    expect(looks).toBeGreaterThan(0);
    expect(await backlogRows()).toBe(0);
    const [row] = await database.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM message_search WHERE account_id = ${THIRD}`;
    expect(row?.n).toBe(fresh.length);
  });

  it('leaves a message in the backlog when indexing it failed', async () => {
    await database.sql`INSERT INTO search_backlog SELECT account_id, array_agg(id) FROM (SELECT * FROM messages LIMIT 3) AS m GROUP BY 1`;
    const given = await backlogRows();
    await database.sql`ALTER TABLE message_search RENAME TO gone`;
    await expect(fillSearch(database.sql)).rejects.toThrow('message_search');
    await database.sql`ALTER TABLE gone RENAME TO message_search`;
    expect(await backlogRows()).toBe(given);
    while ((await fillSearch(database.sql)) > 0);
    expect(await backlogRows()).toBe(0);
  });

  it('rewrites a message that is queued a second time', async () => {
    const [id] = expected({ ...NONE, tags: ['rare'] });
    const subject = 'Quite another matter';
    await database.sql`UPDATE messages SET subject = ${subject} WHERE id = ${id ?? ''}`;
    stored = stored.map((message) => (message.id === id ? { ...message, subject } : message));
    await database.sql`INSERT INTO search_backlog VALUES (${ACCOUNT}, ${[id ?? '']}::uuid[])`;
    while ((await fillSearch(database.sql)) > 0);
    expect(await all({ ...NONE, text: 'ANOTHER matter' }, 10)).toEqual([id]);
  });

  it('scans only the spans that contain the pairs of a text without trigrams', async () => {
    const filters = { ...NONE, text: '_5' };
    expect(await all(filters, 100)).toEqual(expected(filters));
    await database.sql`CREATE TABLE kept AS SELECT * FROM search_pairs`;
    await database.sql`UPDATE search_pairs SET pairs = repeat('0', 65536)::bit(65536)`;
    expect((await all(filters, 100)).length).toBeLessThan(expected(filters).length / 2);
    await database.sql`UPDATE search_pairs p SET pairs = k.pairs FROM kept k WHERE k.account_id = p.account_id AND k.span = p.span`;
    await database.sql`DROP TABLE kept`;
    expect(await countMatches(database.bound(ACCOUNT), filters, 10_000)).toBe(expected(filters).length);
  });

  it('reads and processes long texts in parts, and notes the pairs of all of them', async () => {
    const ids = expected(NONE).slice(0, 60);
    const long = `${'long subject '.repeat(8_000)}~`;
    await database.sql`UPDATE messages SET subject = ${long} || (array_position(${ids}::uuid[], id) % 7) || '~' WHERE id = ANY (${ids}::uuid[])`;
    await database.sql`INSERT INTO search_backlog VALUES (${ACCOUNT}, ${ids}::uuid[])`;
    await database.sql`UPDATE search_pairs SET pairs = repeat('0', 65536)::bit(65536)`;
    const read: number[] = [];
    const counted = (transaction: Transaction): Transaction => ({
      ...transaction,
      run: async (...given: Parameters<Transaction['run']>) => {
        const rows = await transaction.run(...given);
        read.push(JSON.stringify(rows).length);
        return rows as never; // Of the type that the caller asked for.
      },
    });
    let pauses = 0;
    const filling = {
      begin: (work: (transaction: Transaction) => unknown) => database.sql.begin((tx) => work(counted(tx))),
    };
    const pause = async () => {
      pauses += 1;
    };
    while ((await fillSearch(filling as never, pause)) > 0);
    expect(Math.max(...read)).toBeLessThan(2_500_000);
    expect(read.reduce((sum, bytes) => sum + bytes)).toBeGreaterThan(60 * long.length);
    expect(pauses).toBeGreaterThanOrEqual(60);
    for (let digit = 0; digit < 7; digit += 1) {
      const found = await all({ ...NONE, text: `~${digit}` }, 100);
      expect(found).toEqual(ids.filter((_id, at) => (at + 1) % 7 === digit));
    }
  });

  it('forgets what retention removed', async () => {
    const before = new Date(now.getTime() - 50 * DAY_MS);
    const early = new Date(0);
    await purgeExpired(database.sql, {
      requestsBefore: early,
      idempotencyBefore: early,
      capturedBefore: early,
      bodiesBefore: early,
      messagesBefore: before,
      openStatuses: [],
    });
    const [row] = await database.sql<{ left: number }[]>`
      SELECT count(*)::int AS left FROM message_search s
      WHERE NOT EXISTS (SELECT FROM messages m WHERE m.account_id = s.account_id AND m.id = s.message_id)`;
    expect(row?.left).toBe(0);
    const [old] = await database.sql<{ n: number }[]>`
      SELECT count(*)::int AS n FROM message_search WHERE message_id < ${idFloor(before.getTime())}`;
    expect(old?.n).toBe(0);
    const spans = await database.sql<{ span: number }[]>`SELECT span FROM search_pairs`;
    expect(spans.length).toBeGreaterThan(0);
    expect(Math.min(...spans.map(({ span }) => span))).toBeGreaterThanOrEqual(spanOf(idFloor(before.getTime())));
  });
});

function makeMessages(now: Date): Stored[] {
  const { next: random, pick } = seededRandom('messages');
  return Array.from({ length: COUNT }, (_, n) => {
    const createdAt = new Date(now.getTime() - (COUNT - n) * ((DAYS * DAY_MS) / COUNT));
    const isOld = n < COUNT / 3;
    const source = pick(['backend', 'backend', 'backend', 'automation', 'agent']);
    return {
      id: `${idFloor(createdAt.getTime()).slice(0, 14)}7000-8000-${n.toString(16).padStart(12, '0')}`,
      accountId: n % 11 === 0 ? OTHER : ACCOUNT,
      // Not random, so that with any seed AGENT sent a third of the messages to each blind recipient.
      keyId: n % 3 === 0 ? AGENT : ACCOUNT,
      createdAt,
      subject: pick([`Your order ${n}`, `Rechnung Nr. ${n} für Jürgen`, 'Reset your password', `100% _${n % 7}_ off`]),
      status: pick(['delivered', 'delivered', 'delivered', 'bounced', 'sent']),
      channel: pick(['api', 'api', 'sdk', 'mcp']),
      source,
      agentName: source === 'agent' ? `bot-${Math.floor(random() * 5)}` : null,
      domain: isOld ? 'old.example' : pick(['shop.example', 'mail.example']),
      tags: [
        ...(random() < 0.4 ? ['order'] : []),
        ...(random() < 0.004 ? ['rare'] : []),
        ...(isOld ? ['campaign'] : []),
      ],
      recipients: [
        `Customer.${n % 700}@Example.org`,
        ...(n % 10 === 3 ? [`copy${Math.floor(n / 10) % 20}@web.example`] : []),
      ],
    };
  });
}

function makeFilters({ next: random, integer }: SeededRandom, stored: readonly Stored[], now: Date): MessageFilters {
  const maybe = <T>(chance: number, values: readonly T[]): T | null =>
    random() < chance ? (values[Math.floor(random() * values.length)] as T) : null; // In range.
  const message = stored[integer(0, stored.length - 1)] as Stored; // In range.
  const time = maybe(0.3, [1, 20, 40, 70, 99, 150]);
  return {
    ...NONE,
    statuses:
      maybe(0.3, [
        ['delivered'],
        ['bounced'],
        ['failed'],
        ['sent', 'bounced'],
        ['failed', 'bounced', 'sent'],
      ] as const) ?? [],
    channel: maybe(0.25, ['api', 'sdk', 'mcp', 'smtp']),
    source: maybe(0.2, ['backend', 'automation', 'agent', 'system']),
    agentName: maybe(0.15, ['bot-1', 'bot-4', 'nobody']),
    keyId: maybe(0.15, [AGENT, ACCOUNT, OTHER]),
    domain: maybe(0.2, ['old.example', 'shop.example', 'other.example']),
    tags: maybe(0.3, [['order'], ['rare'], ['campaign'], ['order', 'rare'], ['never']]) ?? [],
    recipient: maybe(0.1, [message.recipients[0]?.toLowerCase() ?? '', 'nobody@example.org']),
    text: maybe(0.3, [
      'order',
      'ORDER 12',
      'für jü',
      '% _3',
      'er.69',
      'web.example',
      'password',
      'zzz',
      '77',
      'no such text',
      'fü',
      '_4',
      '% ',
      '§§',
    ]),
    from: time === null || random() < 0.4 ? null : new Date(now.getTime() - time * DAY_MS),
    to: time === null || random() < 0.4 ? null : new Date(now.getTime() - (time - 30) * DAY_MS),
    blindOfKey: maybe(0.4, [AGENT]),
  };
}

function matches(message: Stored, filters: MessageFilters): boolean {
  const text = filters.text?.toLowerCase() ?? null;
  const seesBlind = filters.blindOfKey === null || filters.blindOfKey === message.keyId;
  const recipients = seesBlind ? message.recipients : message.recipients.slice(0, 1);
  const equal = (given: string | null, value: string | null) => given === null || given === value;
  return (
    message.accountId === filters.accountId &&
    (filters.statuses.length === 0 || filters.statuses.some((status) => status === message.status)) &&
    equal(filters.channel, message.channel) &&
    equal(filters.source, message.source) &&
    equal(filters.agentName, message.agentName) &&
    equal(filters.keyId, message.keyId) &&
    equal(filters.domain, message.domain) &&
    filters.tags.every((tag) => message.tags.includes(tag)) &&
    (filters.recipient === null || recipients.some((email) => email.toLowerCase() === filters.recipient)) &&
    (text === null || [message.subject, ...recipients].some((part) => part.toLowerCase().includes(text))) &&
    (filters.from === null || message.createdAt >= filters.from) &&
    (filters.to === null || message.createdAt < filters.to)
  );
}
