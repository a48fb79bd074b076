import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  claimByDestination,
  type DestinationClaimOptions,
} from '../../packages/server/src/db/queries/claim-by-destination.ts';
import type { Transport } from '../../packages/server/src/smtp-client/transport.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { createOutsideWorld, makeEngine, UNREACHABLE } from '../harness/hand-made-engine.ts';
import type { TaggedSql } from '../harness/tagged.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const HOUR_MS = 3_600_000;
const until = { timeout: 10_000, interval: 10 };

describe('delivery to destinations', () => {
  const cleanUp = useCleanUps();

  async function deliverTo(world: Transport, options: { maxInFlight?: number } = {}) {
    // The accept queue plans for the transport `direct`; who delivers is made by hand.
    const server = await startTestApp({ settings: { POSTRIDER_TRANSPORT: 'direct', POSTRIDER_ROLES: 'api' } });
    const engine = await makeEngine(server, world, options);
    cleanUp(async () => {
      await engine.stop(100);
      await server.close();
    });
    return { server, engine };
  }

  const read = async (server: TestApp, id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const typesOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);
  const rowsOf = (server: TestApp) =>
    server.database.sql<
      { destination: string; ordinals: number[]; attempt: number; next_at: Date; lease_id: unknown }[]
    >`
      SELECT destination, ordinals, attempt, next_at, lease_id FROM deliveries ORDER BY id`;

  async function sendMany(server: TestApp, addresses: readonly string[], options = {}): Promise<string[]> {
    const ids: string[] = [];
    for (const to of addresses) ids.push((await server.send({ to }, options)).body.id);
    return ids;
  }

  const addresses = (n: number, domain: string) => Array.from({ length: n }, (_, i) => `user${i}@${domain}`);

  it('is one delivery for each domain of a message, whose status follows from all of them', {
    tags: ['contract-messages.worst-recipient'],
  }, async () => {
    const world = createOutsideWorld((_, domain) => (domain === 'dead.example' ? UNREACHABLE : {}));
    const { server, engine } = await deliverTo(world);
    const { body } = await server.send({ to: ['a@One.example', 'b@dead.example'], cc: 'c@one.example' });
    expect(await rowsOf(server)).toMatchObject([
      { destination: 'one.example', ordinals: [0, 2] },
      { destination: 'dead.example', ordinals: [1] },
    ]);
    await engine.pump();
    await expect.poll(async () => (await read(server, body.id)).status, until).toBe('deferred');
    const { recipients, events } = await read(server, body.id);
    expect(recipients.map(({ status }: { status: string }) => status)).toEqual(['delivered', 'deferred', 'delivered']);
    expect(new Set(events.map(({ recipient }: { recipient: string | null }) => recipient))).toContain('b@dead.example');
  });

  it('continues to healthy ones while a dead one hangs with a backlog before them', async () => {
    const hanging = Promise.withResolvers<typeof UNREACHABLE>();
    const world = createOutsideWorld((_, domain) => (domain === 'dead.example' ? hanging.promise : {}));
    const { server, engine } = await deliverTo(world, { maxInFlight: 20 });
    await sendMany(server, addresses(40, 'dead.example'));
    const healthy = await sendMany(server, addresses(12, 'good.example'));
    await engine.pump();
    for (const id of healthy) await expect.poll(async () => (await read(server, id)).status, until).toBe('delivered');
    expect(world.attempts.filter((address) => address.endsWith('dead.example'))).toHaveLength(2);
    hanging.resolve(UNREACHABLE);
  });

  it('waits for an open breaker without an attempt or an event; then one is sent first', {
    tags: ['contract-messages.never-stuck'],
  }, async () => {
    let isBack = false;
    const world = createOutsideWorld(() => (isBack ? {} : UNREACHABLE));
    const { server, engine } = await deliverTo(world);
    const ids = await sendMany(server, addresses(8, 'dead.example'));
    await engine.pump();
    await expect.poll(() => world.attempts.length, until).toBeGreaterThanOrEqual(3);
    await expect.poll(() => engine.inFlight, until).toBe(0);
    expect(world.attempts.length).toBeLessThanOrEqual(4);
    const untried = (await rowsOf(server)).filter(({ attempt }) => attempt === 0);
    expect(untried).toHaveLength(8 - world.attempts.length);
    await engine.pump();
    expect(engine.inFlight).toBe(0);
    const last = await read(server, ids[7] ?? '');
    expect([last.status, typesOf(last)]).toEqual(['queued', ['queued']]);
    isBack = true;
    server.clock.advance(31_000);
    const triedBefore = world.attempts.length;
    await engine.pump();
    await expect.poll(() => world.attempts.length, until).toBeGreaterThan(triedBefore);
    for (let round = 0; round < 5; round += 1) {
      await expect.poll(() => engine.inFlight, until).toBe(0);
      server.clock.advance(31_000);
      await engine.pump();
    }
    for (const id of ids) expect((await read(server, id)).status).toBe('delivered');
    expect(await rowsOf(server)).toEqual([]);
    expect(world.attempts).toHaveLength(triedBefore + 8);
  });

  it('allows canceling a message that waits for a breaker', async () => {
    const { server, engine } = await deliverTo(createOutsideWorld(() => UNREACHABLE));
    const ids = await sendMany(server, addresses(6, 'dead.example'));
    await engine.pump();
    await expect.poll(() => engine.inFlight, until).toBe(0);
    expect((await server.call('DELETE', `/emails/${ids[5]}`)).status).toBe(200);
  });

  it('ends at the expiry, also without a further attempt', async () => {
    const never = { ...UNREACHABLE, costsNoAttempt: true, reason: 'nothing goes there' } as const;
    const { server, engine } = await deliverTo(createOutsideWorld(() => never));
    const [id = ''] = await sendMany(server, ['ann@example.com']);
    await engine.pump();
    await expect.poll(() => engine.inFlight, until).toBe(0);
    const waiting = await read(server, id);
    expect([waiting.status, typesOf(waiting), waiting.lastError]).toEqual(['queued', ['queued'], 'nothing goes there']);
    expect(await rowsOf(server)).toMatchObject([{ attempt: 0, lease_id: null }]);
    server.clock.advance(24 * HOUR_MS);
    await engine.pump();
    await expect.poll(async () => (await read(server, id)).status, until).toBe('bounced');
    const ended = await read(server, id);
    expect(ended.events[1]).toMatchObject({ type: 'bounced', classification: 'soft' });
    expect(ended.events[1].detail).toBe('The retries ran out. nothing goes there');
  });

  it('puts back at a stop what waited for a slot, as if it had never begun', {
    tags: ['contract-running.drain'],
  }, async () => {
    const hanging = Promise.withResolvers<typeof UNREACHABLE>();
    let asked = 0;
    const world = createOutsideWorld(async (_, domain) => {
      asked += 1;
      return domain === 'slow.example' && asked > 2 ? await hanging.promise : {};
    });
    const { server, engine } = await deliverTo(world);
    const ids = await sendMany(server, addresses(12, 'slow.example'));
    await engine.pump();
    await expect.poll(() => world.attempts.length, until).toBe(5);
    await engine.stop(20);
    hanging.resolve(UNREACHABLE);
    const statuses = await Promise.all(ids.map(async (id) => (await read(server, id)).status));
    expect(statuses.toSorted()).toEqual([...Array(2).fill('delivered'), ...Array(10).fill('queued')]);
    expect(new Set((await rowsOf(server)).map(({ attempt, lease_id }) => `${attempt} ${lease_id}`))).toEqual(
      new Set(['0 null']),
    );
  });

  it('puts back at a stop what waited for a slot beyond its expiry: without an attempt nothing is decided', async () => {
    const hanging = Promise.withResolvers<typeof UNREACHABLE>();
    let asked = 0;
    const world = createOutsideWorld(async () => {
      asked += 1;
      return asked > 2 ? await hanging.promise : {};
    });
    const { server, engine } = await deliverTo(world);
    const ids = await sendMany(server, addresses(12, 'slow.example'));
    await engine.pump();
    await expect.poll(() => world.attempts.length, until).toBe(5);
    await expect.poll(() => engine.inFlight, until).toBeGreaterThan(3);
    server.clock.advance(25 * HOUR_MS);
    await engine.stop(20);
    hanging.resolve(UNREACHABLE);
    await expect.poll(() => engine.inFlight, until).toBe(0);
    const statuses = await Promise.all(ids.map(async (id) => (await read(server, id)).status));
    expect(statuses.toSorted()).toEqual([...Array(2).fill('delivered'), ...Array(10).fill('queued')]);
    const rows = await rowsOf(server);
    expect(rows.map(({ attempt, lease_id }) => [attempt, lease_id])).toEqual(Array(10).fill([0, null]));
  });

  it('continues with files while others with files hang', async () => {
    const hanging = Promise.withResolvers<typeof UNREACHABLE>();
    const world = createOutsideWorld((_, domain) => (domain.startsWith('dead') ? hanging.promise : {}));
    const { server, engine } = await deliverTo(world, { maxInFlight: 1_000 });
    const attachments = [{ filename: 'a.txt', content: Buffer.from('hi').toString('base64') }];
    const { sql } = server.database;
    await sendMany(server, ['z@good.example']);
    await engine.pump();
    await expect.poll(() => engine.inFlight, until).toBe(0);
    for (const to of ['a@dead1.example', 'b@dead1.example', 'c@dead2.example', 'd@dead3.example']) {
      await server.send({ to, attachments });
    }
    // As if they were of 17 MB: it is by their noted size that they are let in.
    await sql`UPDATE message_attachments SET size = 17000000`;
    await sql`UPDATE deliveries SET bytes = 17000000`;
    await engine.pump();
    await expect.poll(() => world.attempts.filter((to) => to.includes('dead')).length, until).toBe(1);
    const ids: string[] = [];
    for (const to of ['e@good.example', 'f@good.example']) ids.push((await server.send({ to, attachments })).body.id);
    await sql`UPDATE message_attachments SET size = 17000000 WHERE size < 100`;
    // Not known, so the claim counts them.
    await sql`UPDATE deliveries SET bytes = NULL WHERE bytes < 100000`;
    ids.push(...(await sendMany(server, ['g@good.example', 'h@new.example'])));
    await engine.pump();
    for (const id of ids) await expect.poll(async () => (await read(server, id)).status, until).toBe('delivered');
    expect(world.attempts.filter((to) => to.includes('dead'))).toHaveLength(1);
    const stopped = engine.stop(10_000);
    hanging.resolve(UNREACHABLE);
    await stopped;
  });

  it('loads no body without a slot, and few large ones at a time', async () => {
    const hanging = Promise.withResolvers<typeof UNREACHABLE>();
    const world = createOutsideWorld(() => hanging.promise);
    const { server, engine } = await deliverTo(world, { maxInFlight: 1_000 });
    const { sql } = server.database;
    const to = [...addresses(4, 'slow.example'), ...Array.from({ length: 12 }, (_, n) => `user@large${n}.example`)];
    await sendMany(server, to);
    await sql`
      UPDATE message_bodies b SET text = repeat('x', 6000000) FROM message_recipients r
      WHERE r.message_id = b.message_id AND r.email LIKE '%large%'`;
    await sql`UPDATE deliveries SET bytes = 6000000 WHERE destination LIKE 'large%'`;
    await engine.pump();
    // Five of 6 MB in 32 MB, and two of the small ones.
    await expect.poll(() => world.attempts.length, until).toBe(7);
    expect(engine.inFlight).toBeGreaterThan(7);
    const started = async () => (await sql`SELECT FROM messages WHERE status = 'sending'`).length;
    await expect.poll(started, until).toBe(7);
    expect(world.attempts.length).toBe(7);
    const stopped = engine.stop(10_000);
    hanging.resolve(UNREACHABLE);
    await stopped;
  });

  it('leaves the domain unnamed when one server accepts everything', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    cleanUp(() => server.close());
    await server.send({ to: ['a@one.example', 'b@two.example'] });
    expect(await rowsOf(server)).toMatchObject([{ destination: '', ordinals: [0, 1] }]);
  });
});

describe('a claim by destination', () => {
  const NOW = new Date('2026-05-01T12:00:00.000Z');
  const account = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
  let database: TestDatabase;
  let sql: TaggedSql;
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = database.sql;
  });
  afterAll(() => database.drop());

  /** `n` rows that are due, the first `minutesAgo` before now and each a millisecond after the one before. */
  async function wait(owner: string, destination: string, n: number, minutesAgo: number): Promise<void> {
    await sql`
      INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
      SELECT ${owner}, gen_random_uuid(), gen_random_uuid(), 'outbound', replace(${destination}, '#', g::text), '{0}',
        ${NOW}::timestamptz - ${minutesAgo}::int * interval '1 minute' + g * interval '1 millisecond', ${NOW}::timestamptz + interval '1 day'
      FROM generate_series(1, ${n}::int) AS g`;
  }

  const claim = (options: Partial<DestinationClaimOptions> = {}) =>
    claimByDestination(sql, {
      ...{ leaseId: randomUUID(), now: NOW, leaseUntil: new Date(NOW.getTime() + 60_000) },
      ...{ limit: 100, perAccount: 10, afterAccount: account(0), maxAccounts: 200 },
      ...{ rooms: [], otherRoom: 5, lookAfter: [], isLooking: true },
      ...options,
    });
  const countBy = (names: readonly string[]) =>
    Object.fromEntries([...new Set(names)].sort().map((name) => [name, names.filter((each) => each === name).length]));

  it('returns for each destination no more than its room, over all accounts', async () => {
    await sql`TRUNCATE deliveries`;
    for (const n of [1, 2, 3]) {
      await wait(account(n), 'a.example', 30, 10);
      await wait(account(n), 'b.example', 30, 9);
      await wait(account(n), 'c.example', 30, 8);
    }
    const rooms = [
      { d: 'a.example', n: 0 },
      { d: 'b.example', n: 12 },
    ];
    const { claims } = await claim({ rooms });
    expect(countBy(claims.map(({ destination }) => destination))).toEqual({ 'b.example': 12, 'c.example': 5 });
    expect(
      claims.every(({ attempt, expiresAt }) => attempt === 1 && expiresAt.getTime() === NOW.getTime() + 24 * HOUR_MS),
    ).toBe(true);
    expect(countBy(claims.map(({ accountId }) => accountId))).toMatchObject({
      [account(1)]: expect.any(Number),
      [account(2)]: expect.any(Number),
    });
  });

  it('finds new rows behind a backlog for a stuck destination, in the same account and in others', async () => {
    await sql`TRUNCATE deliveries`;
    await wait(account(1), 'dead.example', 3_000, 60);
    await wait(account(1), 'zoo.example', 1, 1);
    await wait(account(2), 'zoo.example', 1, 1);
    const rooms = [{ d: 'dead.example', n: 0 }];
    const { claims } = await claim({ rooms });
    expect(claims.map(({ accountId }) => accountId).sort()).toEqual([account(1), account(2)]);
  });

  it('returns another account’s new message in the first claim, however many wait', async () => {
    await sql`TRUNCATE deliveries`;
    await wait(account(1), 'd#.example', 3_000, 60);
    await wait(account(2), 'fresh.example', 1, 0);
    for (const isLooking of [true, false]) {
      await sql`UPDATE deliveries SET next_at = ${NOW}::timestamptz - interval '1 second', lease_id = NULL WHERE account_id = ${account(2)}`;
      const { claims } = await claim({ isLooking });
      expect(claims.filter(({ accountId }) => accountId === account(2))).toHaveLength(1);
      expect(claims.length).toBeGreaterThan(50);
    }
  });

  it('checks all of an account’s destinations, a part with each claim', async () => {
    await sql`TRUNCATE deliveries`;
    await wait(account(1), 'closed#.example', 350, 60);
    await wait(account(1), 'open.example', 1, 1);
    const rooms = Array.from({ length: 350 }, (_, n) => ({ d: `closed${n + 1}.example`, n: 0 }));
    let lookAfter: DestinationClaimOptions['lookAfter'] = [];
    const found: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      const response = await claim({ rooms, lookAfter });
      lookAfter = response.lookAfter;
      found.push(...response.claims.map(({ destination }) => destination));
    }
    expect([found, lookAfter]).toEqual([['open.example'], []]);
  });

  it('returns each row once to parallel claims', async () => {
    await sql`TRUNCATE deliveries`;
    await wait(account(1), 'a.example', 40, 60);
    const responses = await Promise.all([1, 2].map(() => claim({ otherRoom: 100 })));
    const ids = responses.flatMap(({ claims }) => claims.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('returns rows without a destination in order', async () => {
    await sql`TRUNCATE deliveries`;
    await wait(account(1), '', 50, 60);
    expect((await claim({ otherRoom: 0 })).claims).toHaveLength(50);
  });

  it('reports where accounts continue that it did not reach', async () => {
    await sql`TRUNCATE deliveries`;
    for (let n = 1; n <= 5; n += 1) await wait(account(n), 'a.example', 1, 60);
    const first = await claim({ maxAccounts: 3, otherRoom: 100 });
    expect([first.claims.length, first.lastAccount]).toEqual([3, account(3)]);
    const second = await claim({ maxAccounts: 3, otherRoom: 100, afterAccount: account(3) });
    expect([second.claims.length, second.lastAccount]).toEqual([2, null]);
  });
});
