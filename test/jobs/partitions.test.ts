import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { dropPastPartitions, ensurePartitions } from '../../packages/server/src/db/queries/partitions.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const OPEN = ['queued', 'sending', 'deferred'];
const TABLES = [
  'message_attachments',
  'message_bodies',
  'message_counts',
  'message_events',
  'message_recipients',
  'message_search',
  'message_tracking',
  'messages',
  'webhook_attempts',
  'webhook_events',
];

const cleanUp = useCleanUps();

describe('the partitions of the message log', () => {
  let database: TestDatabase;
  const accountId = randomUUID();
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** A message with a row in every table, made at that moment. */
  async function addMessage(at: string, status = 'delivered'): Promise<string> {
    const { sql } = database;
    // A separate generator: one alone never goes back in time.
    const id = createIdGenerator().next(new Date(at));
    await sql`
      INSERT INTO messages (account_id, id, key_id, created_at, from_given, from_domain, to_line, subject, status, channel, source, tags,
        metadata, charged, event_count)
      VALUES (${accountId}, ${id}, ${id}, ${at}, 'a@b.co', 'b.co', 'c@d.co', ${at}, ${status}, 'api', 'backend', '{}', '{}', 1, 1)`;
    await sql`INSERT INTO message_bodies (account_id, message_id, text, headers) VALUES (${accountId}, ${id}, 'Hi', '{}')`;
    await sql`
      INSERT INTO message_recipients (account_id, message_id, ordinal, kind, email, status)
      VALUES (${accountId}, ${id}, 0, 'to', 'c@d.co', ${status})`;
    await sql`
      INSERT INTO message_events (account_id, message_id, seq, id, type, created_at) VALUES (${accountId}, ${id}, 1, ${id}, 'queued', ${at})`;
    await sql`
      INSERT INTO message_attachments (account_id, message_id, ordinal, filename, content_type, size, content)
      VALUES (${accountId}, ${id}, 0, 'a.txt', 'text/plain', 1, 'x')`;
    await sql`INSERT INTO message_tracking (account_id, message_id, open_pixel, links) VALUES (${accountId}, ${id}, true, '{}')`;
    return id;
  }

  async function tablesOf(month: string): Promise<readonly string[]> {
    const rows = await database.sql<{ name: string }[]>`
      SELECT c.relname AS name FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE c.relkind = 'r' AND right(c.relname, 8) = ${`_${month}`} ORDER BY c.relname`;
    return rows.map(({ name }) => name.slice(0, -8));
  }

  const subjects = async () =>
    (await database.sql`SELECT subject FROM messages ORDER BY id`).map(({ subject }) => String(subject).slice(0, 10));

  it('are dropped as a whole when everything in them has expired: bodies and files first, the rest later', async () => {
    const { sql } = database;
    await ensurePartitions(sql, new Date('2020-02-10'));
    expect(await tablesOf('2020_01')).toEqual(TABLES);
    for (const at of ['2020-01-05', '2020-01-31', '2020-02-20']) await addMessage(at);
    const limits = { openStatuses: OPEN, now: new Date('2020-04-20') };
    const young = { ...limits, bodiesBefore: new Date('2020-01-31'), messagesBefore: new Date('2019-01-01') };
    expect(await dropPastPartitions(sql, young)).toEqual([]);
    const bodies = { ...limits, bodiesBefore: new Date('2020-02-01'), messagesBefore: new Date('2019-01-01') };
    expect(await dropPastPartitions(sql, bodies)).toEqual(['message_attachments_2020_01', 'message_bodies_2020_01']);
    expect(await sql`SELECT 1 FROM message_bodies`).toHaveLength(1);
    expect(await subjects()).toEqual(['2020-01-05', '2020-01-31', '2020-02-20']);
    const all = { ...limits, bodiesBefore: new Date('2020-02-01'), messagesBefore: new Date('2020-02-15') };
    expect(await dropPastPartitions(sql, all)).toHaveLength(TABLES.length - 2);
    expect(await tablesOf('2020_01')).toEqual([]);
    expect(await tablesOf('2020_02')).toEqual(TABLES);
    expect(await subjects()).toEqual(['2020-02-20']);
    expect(await dropPastPartitions(sql, all)).toEqual([]);
  });

  it('stay while one of their messages is not final, or still has a delivery', async () => {
    const { sql } = database;
    await ensurePartitions(sql, new Date('2021-02-10'));
    await addMessage('2021-01-05', 'deferred');
    const delivered = await addMessage('2021-02-05');
    await addMessage('2021-03-05');
    await sql`
      INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
      VALUES (${accountId}, ${delivered}, ${delivered}, 'outbound', '{0}', 'infinity', 'infinity')`;
    const past = { bodiesBefore: new Date('2023-01-01'), messagesBefore: new Date('2023-01-01') };
    const dropped = await dropPastPartitions(sql, { ...past, openStatuses: OPEN, now: new Date('2024-01-01') });
    expect(dropped.filter((name) => /2021_0[12]$/.test(name))).toEqual([]);
    expect(dropped).toContain('messages_2021_03');
    expect(await subjects()).toEqual(['2021-01-05', '2021-02-05']);
    await sql`DELETE FROM deliveries`;
    await sql`UPDATE messages SET status = 'bounced'`;
    await dropPastPartitions(sql, { ...past, openStatuses: OPEN, now: new Date('2024-01-01') });
    expect(await subjects()).toEqual([]);
  });

  it('are not dropped when they would be created again immediately', async () => {
    const { sql } = database;
    const now = new Date('2022-03-31T12:00:00Z');
    await ensurePartitions(sql, now);
    const limits = { bodiesBefore: new Date('2022-03-01'), messagesBefore: new Date('2021-01-01') };
    expect(await dropPastPartitions(sql, { ...limits, openStatuses: OPEN, now })).toEqual([]);
  });

  it('are created for a month whose rows are in the default partition, and take them over', async () => {
    const { sql } = database;
    const at = ['2030-05-01T00:00:00Z', '2030-05-31T23:59:59Z', '2030-06-01T00:00:00Z', '2030-09-09T00:00:00Z'];
    const messages = await Promise.all(at.map((moment) => addMessage(moment)));
    const places = () =>
      sql<{ id: string; place: string }[]>`SELECT id, tableoid::regclass::text AS place FROM messages`;
    expect((await places()).map(({ place }) => place)).toEqual(Array(4).fill('messages_other'));
    await ensurePartitions(sql, new Date('2030-05-15'));
    const placeOf = new Map((await places()).map(({ id, place }) => [id, place]));
    expect(messages.map((id) => placeOf.get(id))).toEqual([
      'messages_2030_05',
      'messages_2030_05',
      'messages_2030_06',
      'messages_other',
    ]);
    // Of the others this message has no rows.
    for (const table of TABLES.filter((name) => !/search|counts|webhook/.test(name))) {
      const key = table === 'messages' ? 'id' : 'message_id';
      const found = await sql.unsafe(`SELECT ${key} AS id FROM ${table} WHERE ${key} = ANY ($1::uuid[])`, [messages]);
      expect(found, table).toHaveLength(4);
      expect(await sql.unsafe(`SELECT 1 FROM ${table}_other`), table).toHaveLength(1);
    }
    await addMessage('2030-05-20T00:00:00Z');
    expect((await places()).filter(({ place }) => place === 'messages_2030_05')).toHaveLength(3);
  });

  it('are created once by processes that start at the same time', async () => {
    const { sql, target } = database;
    const starting = [1, 2].map(() => tagged(openDatabase({ target, maxConnections: 1, applicationName: 'starting' })));
    try {
      let made: Promise<unknown> = Promise.resolve();
      await sql.begin(async (tx) => {
        await tx`SELECT pg_advisory_xact_lock(hashtext('postrider.partitions'))`;
        made = Promise.all(starting.map((process) => ensurePartitions(process, new Date('2040-01-15'))));
        made.catch(() => {}); // It is awaited below, and must not count as unhandled before.
        // Both have seen that the months are missing by now, and wait for the lock.
        const waiting = () => sql`SELECT 1 FROM pg_locks l JOIN pg_database d ON d.oid = l.database
          WHERE d.datname = current_database() AND l.locktype = 'advisory' AND NOT l.granted`;
        while ((await waiting()).length < starting.length) await nextTurn();
      });
      await made;
      expect(await tablesOf('2040_01')).toEqual(TABLES);
    } finally {
      await Promise.all(starting.map((process) => process.end({ timeout: 1 })));
    }
  });

  it('are created like those before them: keys, indexes and storage', async () => {
    const { sql } = database;
    await ensurePartitions(sql, new Date('2031-05-15'));
    const [bodies] = await sql`SELECT reloptions FROM pg_class WHERE relname = 'message_bodies_2031_05'`;
    expect(bodies?.['reloptions']).toEqual(['toast_tuple_target=4080']);
    const recipients = await sql<{ name: string; reloptions: string[] }[]>`
      SELECT relname AS name, reloptions FROM pg_class WHERE relname IN ('message_recipients_2031_05', 'message_recipients_other')`;
    expect(recipients.map(({ reloptions }) => reloptions)).toEqual([['fillfactor=50'], ['fillfactor=50']]);
    const indexes = await sql`
      SELECT 1 FROM pg_inherits i JOIN pg_index x ON x.indexrelid = i.inhrelid
      WHERE x.indrelid IN ('messages_2031_05'::regclass, 'message_events_2031_05'::regclass)`;
    expect(indexes).toHaveLength(
      (await sql`SELECT 1 FROM pg_index WHERE indrelid IN ('messages'::regclass, 'message_events'::regclass)`).length,
    );
    const [compression] = await sql`
      SELECT p.attcompression = c.attcompression AND p.attstorage = c.attstorage AS same FROM pg_attribute p, pg_attribute c
      WHERE p.attrelid = 'message_bodies'::regclass AND c.attrelid = 'message_bodies_2031_05'::regclass AND p.attname = 'html' AND c.attname = 'html'`;
    expect(compression).toEqual({ same: true });
  });

  it('wait only briefly for a lock, and are retried, so that no other query waits behind them', async () => {
    const { sql } = database;
    const others = tagged(openDatabase({ target: database.target, maxConnections: 2, applicationName: 'tests' }));
    cleanUp(() => others.end({ timeout: 1 }));
    const held = Promise.withResolvers<void>();
    const waited = Promise.withResolvers<void>();
    const reader = others.begin(async (transaction) => {
      await transaction`SELECT 1 FROM messages_other`;
      held.resolve();
      await waited.promise;
    });
    await held.promise;
    const making = ensurePartitions(sql, new Date('2032-05-15'));
    const waiting = async () =>
      (await others`SELECT virtualtransaction AS name FROM pg_locks WHERE NOT granted`).map(({ name }) => name);
    const until = { timeout: 5_000, interval: 10 };
    await expect.poll(waiting, until).toHaveLength(1);
    const [first] = await waiting();
    // The reader has not moved: the waiting one has given up, and others continue.
    await expect.poll(waiting, until).not.toContain(first);
    waited.resolve();
    await Promise.all([reader, making]);
    expect(await tablesOf('2032_05')).toEqual(TABLES);
  });
});
