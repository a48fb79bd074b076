import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runWatchdog, type WatchdogOptions } from '../../packages/server/src/delivery/watchdog.ts';
import { expiryOf } from '../../packages/server/src/sending/message-rows.ts';
import { planDeliveries } from '../../packages/server/src/sending/plan-deliveries.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NOTHING = { freed: 0, stranded: 0, expired: 0 };

describe('the watchdog', () => {
  const cleanUp = useCleanUps();

  async function start(): Promise<TestApp> {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    cleanUp(() => server.close());
    return server;
  }

  const watch = ({ app: { sql }, clock }: TestApp, options: Partial<WatchdogOptions> = {}) =>
    runWatchdog({
      recording: { sql, ids: createIdGenerator(), onRecorded: () => undefined, onDueAt: () => undefined },
      clock,
      plan: ({ recipients, isTest }) => planDeliveries(recipients, 'sandbox.test', false, false, isTest),
      expiryOf: (dueAt) => expiryOf(dueAt),
      uptimeMs: () => HOUR_MS,
      onError: (error, what) => {
        throw new Error(what, { cause: error });
      },
      ...options,
    });

  const read = async (server: TestApp, id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const lastEvent = ({ events }: { events: { type: string; detail: string; classification: string | null }[] }) =>
    events.at(-1);
  const rows = (server: TestApp) => server.database.sql<
    { next_at: Date; expires_at: Date; ordinals: number[]; lease_id: string | null }[]
  >`
    SELECT next_at, expires_at, ordinals, lease_id FROM deliveries`;

  /** Lets another process of the fleet deliver what is due by now. */
  async function deliver(server: TestApp, id: string): Promise<string> {
    const worker = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'worker' } });
    try {
      worker.clock.advance(server.clock.now().getTime() - Date.now());
      await worker.pump();
      return (await server.settled(id)).body.status;
    } finally {
      await worker.close();
    }
  }

  it('plans messages of a test key so that they never leave', { tags: ['keys.test-mode'] }, async () => {
    const server = await start();
    const { sql } = server.database;
    const key = await server.newKey({ mode: 'test' });
    const { id } = (await server.send({ to: ['ann@example.com', 'delivered@sandbox.test'] }, { key })).body;
    await sql`DELETE FROM deliveries`;
    server.clock.advance(HOUR_MS);
    expect(await watch(server)).toEqual({ ...NOTHING, stranded: 1 });
    const planned = await sql`SELECT route FROM deliveries ORDER BY route`;
    expect(planned.map(({ route }) => route)).toEqual(['sandbox', 'simulated']);
    expect(await deliver(server, id)).toBe('delivered');
  });

  it('leaves healthy messages alone: waiting, scheduled, deferred or leased', async () => {
    const server = await start();
    const { sql } = server.database;
    await server.send();
    await server.send({ scheduled_at: 'PT2H' });
    const leased = (await server.send()).body.id;
    const deferred = (await server.send()).body.id;
    const now = server.clock.now();
    await sql`UPDATE deliveries SET lease_id = ${randomUUID()}, next_at = ${new Date(now.getTime() + MINUTE_MS)} WHERE message_id = ${leased}`;
    await sql`UPDATE deliveries SET attempt = 5, next_at = ${new Date(now.getTime() + 4 * HOUR_MS)} WHERE message_id = ${deferred}`;
    const before = await sql`SELECT * FROM deliveries ORDER BY id`;
    server.clock.advance(11 * MINUTE_MS);
    expect(await watch(server)).toEqual(NOTHING);
    expect(await sql`SELECT * FROM deliveries ORDER BY id`).toEqual(before);
  });

  it.each(['queued', 'sending', 'deferred'])(
    'queues a message again that is %s and has no delivery, and reports it',
    { tags: ['contract-messages.never-stuck'] },
    async (status) => {
      const server = await start();
      const { sql } = server.database;
      const { id } = (await server.send({ to: ['ann@example.com', 'delivered@sandbox.test'] })).body;
      await sql`DELETE FROM deliveries`;
      await sql`UPDATE messages SET status = ${status}`;
      await sql`UPDATE message_recipients SET status = ${status}`;
      expect(await watch(server)).toEqual(NOTHING);
      server.clock.advance(11 * MINUTE_MS);
      expect(await watch(server)).toEqual({ ...NOTHING, stranded: 1 });
      const repaired = await read(server, id);
      expect(repaired.status).toBe(status === 'queued' ? 'queued' : 'deferred');
      expect(repaired.lastError).toContain('missing from the queue');
      expect(lastEvent(repaired)).toMatchObject({ type: 'deferred', detail: repaired.lastError, classification: null });
      expect((await rows(server)).map(({ ordinals }) => ordinals).toSorted()).toEqual([[0], [1]]);
      expect(await watch(server)).toEqual(NOTHING);
      expect(await deliver(server, id)).toBe('delivered');
    },
  );

  it('retries only the recipients that are not settled', async () => {
    const server = await start();
    const { sql } = server.database;
    const { id } = (await server.send({ to: ['ann@example.com', 'bob@example.com'] })).body;
    await sql`DELETE FROM deliveries`;
    await sql`UPDATE messages SET status = 'sending'`;
    await sql`UPDATE message_recipients SET status = CASE ordinal WHEN 0 THEN 'delivered' ELSE 'sending' END`;
    server.clock.advance(11 * MINUTE_MS);
    await watch(server);
    expect((await rows(server)).map(({ ordinals }) => ordinals)).toEqual([[1]]);
    expect((await read(server, id)).recipients).toMatchObject([{ status: 'delivered' }, { status: 'deferred' }]);
  });

  it('derives the status of a message from its recipients when all of them are settled', async () => {
    const server = await start();
    const { sql } = server.database;
    const { id } = (await server.send()).body;
    await sql`DELETE FROM deliveries`;
    await sql`UPDATE messages SET status = 'sending'`;
    await sql`UPDATE message_recipients SET status = 'delivered'`;
    server.clock.advance(11 * MINUTE_MS);
    expect((await watch(server)).stranded).toBe(1);
    const { status, events } = await read(server, id);
    expect([status, events.length]).toEqual(['delivered', 1]);
    expect(await watch(server)).toEqual(NOTHING);
  });

  it('keeps the time of a scheduled message that it queues again', async () => {
    const server = await start();
    const { scheduledAt } = await read(server, (await server.send({ scheduled_at: 'PT2H' })).body.id);
    await server.database.sql`DELETE FROM deliveries`;
    server.clock.advance(11 * MINUTE_MS);
    await watch(server);
    expect((await rows(server)).map(({ next_at }) => next_at.toISOString())).toEqual([scheduledAt]);
  });

  it.each([
    ['whose retry time is over', async () => {}, 25 * HOUR_MS, 'the retry time was over'],
    [
      'whose body was removed by age',
      async ({ database: { sql } }: TestApp) => void (await sql`DELETE FROM message_bodies`),
      11 * MINUTE_MS,
      'has expired',
    ],
  ] as const)(
    'fails a message without a delivery %s, with the reason',
    { tags: ['contract-messages.never-stuck'] },
    async (_, damage, afterMs, words) => {
      const server = await start();
      const { id } = (await server.send()).body;
      await server.database.sql`DELETE FROM deliveries`;
      await damage(server);
      server.clock.advance(afterMs);
      await watch(server);
      const failed = await read(server, id);
      expect([failed.status, lastEvent(failed)?.type]).toEqual(['failed', 'failed']);
      expect(failed.lastError).toContain(words);
      expect(await rows(server)).toEqual([]);
    },
  );

  it('ends a delivery never tried before its expiry as a soft bounce with the last known reply', {
    tags: ['contract-messages.retries-run-out'],
  }, async () => {
    const server = await start();
    const { sql } = server.database;
    const tried = (await server.send({ to: 'ann@example.com' })).body.id;
    const untried = (await server.send({ to: 'bob@example.com' })).body.id;
    await sql`UPDATE messages SET last_error = 'the connection was refused' WHERE id = ${tried}`;
    server.clock.advance(24 * HOUR_MS + 10 * MINUTE_MS);
    expect(await watch(server)).toEqual(NOTHING);
    server.clock.advance(6 * MINUTE_MS);
    expect((await watch(server, { uptimeMs: () => MINUTE_MS })).expired).toBe(0);
    expect((await watch(server)).expired).toBe(2);
    for (const [id, words] of [
      [tried, 'The retries ran out. the connection was refused'],
      [untried, 'The retries ran out. It was never attempted'],
    ] as const) {
      const ended = await read(server, id);
      expect([ended.status, lastEvent(ended)?.classification]).toEqual(['bounced', 'soft']);
      expect(lastEvent(ended)?.detail).toContain(words);
      expect(ended.lastError).toBe(lastEvent(ended)?.detail);
    }
    expect(await rows(server)).toEqual([]);
    expect(await sql`SELECT 1 FROM suppressions`).toEqual([]);
  });

  it('leaves an expired delivery to the worker that has leased it', async () => {
    const server = await start();
    await server.send();
    server.clock.advance(25 * HOUR_MS);
    const leaseUntil = new Date(server.clock.now().getTime() + MINUTE_MS);
    await server.database.sql`UPDATE deliveries SET lease_id = ${randomUUID()}, next_at = ${leaseUntil}`;
    expect(await watch(server)).toEqual(NOTHING);
  });

  it.each([
    ['a lease of a dead process that ends next week', randomUUID(), 7 * 24 * HOUR_MS],
    ['a retry that is due after the end of all retries', null, 48 * HOUR_MS],
  ] as const)('frees %s, and reports it', { tags: ['contract-messages.never-stuck'] }, async (_, leaseId, dueInMs) => {
    const server = await start();
    const { sql } = server.database;
    const { id } = (await server.send()).body;
    const nextAt = new Date(server.clock.now().getTime() + dueInMs);
    await sql`UPDATE deliveries SET lease_id = ${leaseId}, next_at = ${nextAt}, attempt = 1`;
    await sql`UPDATE messages SET status = 'sending'`;
    await sql`UPDATE message_recipients SET status = 'sending'`;
    expect(await watch(server)).toEqual({ ...NOTHING, freed: 1 });
    const freed = await read(server, id);
    expect([freed.status, lastEvent(freed)?.type]).toEqual(['deferred', 'deferred']);
    expect(freed.lastError).toBe(lastEvent(freed)?.detail);
    expect(await watch(server)).toEqual(NOTHING);
    expect(await deliver(server, id)).toBe('delivered');
  });

  /** Makes the database reject every event of a message. */
  async function spoil(server: TestApp, id: string): Promise<void> {
    await server.database.sql.unsafe(
      `ALTER TABLE message_events ADD CONSTRAINT spoiled CHECK (message_id <> '${id}') NOT VALID`,
    );
  }

  it.each([
    [
      'stranded',
      async ({ database: { sql }, clock }: TestApp) => {
        await sql`DELETE FROM deliveries`;
        clock.advance(11 * MINUTE_MS);
      },
    ],
    [
      'freed',
      async ({ database: { sql }, clock }: TestApp) => {
        const nextAt = new Date(clock.now().getTime() + 7 * 24 * HOUR_MS);
        await sql`UPDATE deliveries SET lease_id = ${randomUUID()}, next_at = ${nextAt}`;
      },
    ],
    ['expired', async ({ clock }: TestApp) => clock.advance(25 * HOUR_MS)],
  ] as const)('repairs the other messages when one cannot be repaired (%s)', async (part, damage) => {
    const server = await start();
    const ids: string[] = [];
    for (const _ of [1, 2, 3]) ids.push((await server.send({ to: 'ann@example.com' })).body.id);
    await damage(server);
    await spoil(server, ids[1] ?? '');
    const logged: string[] = [];
    const repaired = await watch(server, { onError: (_error, what) => void logged.push(what) });
    expect(repaired).toEqual({ ...NOTHING, [part]: 2 });
    expect(logged).toContain(`repairing the message ${ids[1]}`);
    expect((await read(server, ids[2] ?? '')).events).toHaveLength(2);
  });

  it('continues with its other parts when one fails as a whole', async () => {
    const server = await start();
    const { sql } = server.database;
    const { id } = (await server.send({ to: 'ann@example.com' })).body;
    server.clock.advance(25 * HOUR_MS);
    await sql`ALTER TABLE accounts RENAME TO accounts_away`;
    const logged: string[] = [];
    const repaired = await watch(server, { onError: (_error, what) => void logged.push(what) });
    await sql`ALTER TABLE accounts_away RENAME TO accounts`;
    expect([repaired, logged]).toEqual([{ ...NOTHING, expired: 1 }, ['repairing stranded messages']]);
    expect((await read(server, id)).status).toBe('bounced');
  });

  it('frees two hundred deliveries a round, and the rest in the next', async () => {
    const server = await start();
    const { sql } = server.database;
    const dueAt = new Date(server.clock.now().getTime() + 7 * 24 * HOUR_MS);
    await sql`
      INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at, lease_id)
      SELECT ${server.accountId}, gen_random_uuid(), gen_random_uuid(), 'outbound', '', '{0}', ${dueAt}, ${dueAt}, gen_random_uuid()
      FROM generate_series(1, 230)`;
    expect((await watch(server)).freed).toBe(200);
    expect((await watch(server)).freed).toBe(30);
  });

  it('takes no lease from another process when its own clock is behind', async () => {
    const server = await start();
    await server.send();
    const leaseUntil = new Date(Date.now() + MINUTE_MS);
    await server.database.sql`UPDATE deliveries SET lease_id = ${randomUUID()}, next_at = ${leaseUntil}`;
    const behind = { now: () => new Date(Date.now() - 20 * MINUTE_MS) };
    expect(await watch(server, { clock: behind })).toEqual(NOTHING);
    expect((await rows(server)).map(({ next_at }) => next_at)).toEqual([leaseUntil]);
  });

  it('drops an expired delivery without a message instead of leasing it forever', async () => {
    const server = await start();
    const { id } = (await server.send()).body;
    await server.database.sql`DELETE FROM messages WHERE id = ${id}`;
    server.clock.advance(25 * HOUR_MS);
    expect(await watch(server)).toEqual(NOTHING);
    expect(await rows(server)).toEqual([]);
  });

  it('waits for the writer of an outcome without locking what the writer needs next', async () => {
    const server = await start();
    const { sql } = server.database;
    const send = async () => (await server.send({ to: ['ann@example.com', 'delivered@sandbox.test'] })).body.id;
    const [first, second] = [await send(), await send()];
    const nextAt = new Date(server.clock.now().getTime() + 7 * 24 * HOUR_MS);
    await sql`UPDATE deliveries SET lease_id = ${randomUUID()}, next_at = ${nextAt} WHERE route = 'outbound'`;
    const round = await sql.begin(async (writer) => {
      await writer`SELECT FROM deliveries WHERE message_id = ${first} AND route = 'sandbox' FOR UPDATE`;
      await writer`SELECT FROM messages WHERE id = ${first} FOR UPDATE`;
      const watching = watch(server);
      const waiting = () => server.app.sql.run('SELECT 1 FROM pg_locks WHERE NOT granted');
      await expect.poll(waiting, { timeout: 5_000, interval: 10 }).not.toEqual([]);
      await writer`SELECT FROM deliveries WHERE message_id = ${second} FOR UPDATE`;
      return { watching };
    });
    // Whatever the writer had locked last was passed over, and is freed in the next round at the latest.
    const { freed } = await round.watching;
    expect(freed + (await watch(server)).freed).toBe(2);
  });

  it('uses the clock of the queue', async () => {
    const server = await startTestApp();
    cleanUp(() => server.close());
    const { id } = (await server.send({ scheduled_at: 'PT1H' })).body;
    await server.database.sql`DELETE FROM deliveries`;
    server.clock.advance(2 * HOUR_MS);
    await server.database.sql`SELECT graphile_worker.add_job('deliver:watchdog')`;
    expect((await server.settled(id)).body.status).toBe('delivered');
  });
});
