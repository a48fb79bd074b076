import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countMessages } from '../../packages/server/src/db/queries/count-messages.ts';
import { insertTrackingEvents } from '../../packages/server/src/db/queries/tracking-events.ts';
import { type LateEvent, recordLateEvent } from '../../packages/server/src/delivery/record-late-event.ts';
import { rebuildStats } from '../../packages/server/src/stats/rebuild-stats.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { countAll, readStats, sendAll } from './counted.ts';

const ALL = '?by_tag=true&bounces=true&engagement=true&provenance=true';

describe('counting', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const track = async (key: string) =>
    await server.call('PATCH', '/account', { key, body: { trackOpens: true, trackClicks: true } });

  const late = (accountId: string, messageId: string, type: LateEvent['type'], changes: Partial<LateEvent> = {}) =>
    recordLateEvent(server.database.sql, {
      ...{ accountId, messageId, ordinal: 0, type, classification: null, detail: null },
      ...{ at: server.clock.now(), eventId: randomUUID(), ...changes },
    });

  const engage = (account: string, message: string, ...types: readonly ('opened' | 'clicked')[]) => {
    const at = server.clock.now().toISOString();
    const events = types.map((type) => ({ account, message, id: randomUUID(), type, detail: null, at }));
    return insertTrackingEvents(server.database.sql, events, 100);
  };

  const rollups = () => server.database.sql`
    SELECT * FROM message_rollups WHERE (sent, delivered, bounced, complained, opened, clicked) <> (0, 0, 0, 0, 0, 0)
    ORDER BY account_id, kind, span, day, value`;

  it('shows an outcome within two seconds, automatically; the quota immediately', {
    tags: ['statistics.freshness'],
  }, async () => {
    const { key } = await server.newAccount();
    const startedMs = performance.now();
    await server.call('POST', '/emails', {
      key,
      body: { from: 'a@sandbox.test', to: ['bounced@sandbox.test', 'a@example.com'], subject: 'x', text: 'x' },
    });
    expect((await server.call('GET', '/account', { key })).body.monthlyUsed).toBe(1);
    const stats = async () => (await server.call('GET', '/account/stats', { key })).body;
    await expect.poll(async () => (await stats()).bounced, { timeout: 5_000, interval: 50 }).toBe(1);
    expect(performance.now() - startedMs).toBeLessThan(4_000);
  });

  it('counts no message before a delivery of it has a reply, and no canceled one', {
    tags: ['statistics.base-fields'],
  }, async () => {
    const { key } = await server.newAccount();
    const { body } = await server.send({ scheduled_at: 'PT1H', tags: ['later'] }, { key });
    const { body: gone } = await server.send({ scheduled_at: 'PT1H' }, { key });
    await server.call('DELETE', `/emails/${gone.id}`, { key });
    expect(await readStats(server, ALL, key)).toMatchObject({ sent: 0, byTag: [] });
    expect(body.status).toBe('queued');
  });

  it('counts messages and not recipients: each final status of several once', {
    tags: ['statistics.base-fields'],
  }, async () => {
    const { key } = await server.newAccount();
    const names = ['delivered', 'delivered+b', 'bounced', 'bounced+b', 'soft', 'complained'];
    await sendAll(server, [{ to: names.map((name) => `${name}@sandbox.test`), text: 'x', tags: ['all'] }], key);
    expect(await readStats(server, ALL, key)).toMatchObject({
      ...{ sent: 1, delivered: 1, bounced: 1, complained: 1, deliveryRate: 100, bounceRate: 100 },
      bounces: { hard: 1, soft: 1, block: 0, spam: 1, unknown: 0 },
      byTag: [{ tag: 'all', sent: 1, delivered: 1, bounced: 1, complained: 1 }],
    });
  });

  it('counts opens and clicks by message, against those with a pixel or a rewritten link', {
    tags: [
      'statistics.engagement',
      'account-and-statistics.engagement',
      'account-and-statistics.tracked',
      'account-and-statistics.opened-clicked',
      'account-and-statistics.rate-base',
    ],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    const html = '<p>Hi</p><a href="https://example.com/a">a</a>';
    const sends = [{ html }, { html }, { html }, { html: '<p>Nothing to click</p>' }, { text: 'https://example.com' }];
    const toOne = sends.map((send) => ({ to: 'delivered@sandbox.test', ...send }));
    await sendAll(server, toOne, key); // Before tracking was enabled.
    await track(key);
    const ids = await sendAll(server, [...toOne, { to: 'bounced@sandbox.test', html }], key);
    const [one = '', two = '', , still = ''] = ids;
    await engage(accountId, one, 'opened', 'opened', 'clicked', 'clicked');
    await engage(accountId, one, 'opened');
    await engage(accountId, two, 'clicked');
    await engage(accountId, still, 'opened');
    const stats = await readStats(server, '?engagement=true', key);
    expect(stats).toMatchObject({ window: '14d', sent: 11 });
    expect(stats.opens).toEqual({ tracked: 5, opened: 2, openRate: 40 });
    expect(stats.clicks).toEqual({ tracked: 4, clicked: 2, clickRate: 50 });
    const [today] = (await server.call('GET', '/account/volume?window=1d', { key })).body;
    expect(today).toMatchObject({ sent: 11, opened: 2, clicked: 2 });
  });

  it('leaves out the block of what is not tracked', {
    tags: ['account-and-statistics.absent-blocks', 'statistics.engagement'],
  }, async () => {
    const { key } = await server.newAccount();
    const blocks = async () => {
      const stats = await readStats(server, '?engagement=true', key);
      return ['opens', 'clicks'].filter((name) => name in stats);
    };
    const change = (body: unknown) => server.call('PATCH', '/account', { key, body });
    expect(await blocks()).toEqual([]);
    await change({ trackOpens: true });
    expect(await blocks()).toEqual(['opens']);
    await change({ trackOpens: false, trackClicks: true });
    expect(await blocks()).toEqual(['clicks']);
    expect(await readStats(server, '', key)).not.toHaveProperty('clicks');
  });

  it('corrects itself by late events, which count on the day of their message, and once', async () => {
    const { accountId, key } = await server.newAccount();
    const [first = '', second = ''] = await sendAll(
      server,
      [
        { to: 'delivered@sandbox.test', text: 'x', tags: ['late'] },
        { to: 'delivered@sandbox.test', text: 'x', tags: ['late'] },
      ],
      key,
    );
    expect(await readStats(server, '', key)).toMatchObject({ sent: 2, delivered: 2, bounced: 0 });
    for (const _ of [1, 2, 3]) await late(accountId, first, 'bounced', { classification: 'hard' });
    await late(accountId, second, 'complained', { classification: 'spam' });
    expect(await readStats(server, '?bounces=true&by_tag=true', key)).toMatchObject({
      ...{ sent: 2, delivered: 1, bounced: 1, complained: 1 },
      bounces: { hard: 1, spam: 1, soft: 0, block: 0, unknown: 0 },
      byTag: [{ tag: 'late', sent: 2, delivered: 1, bounced: 1, complained: 1 }],
    });
    await late(accountId, first, 'complained', { classification: 'spam' });
    expect(await readStats(server, '', key)).toMatchObject({ sent: 2, delivered: 2, bounced: 1, complained: 2 });
  });

  it('counts a bounce of no known kind as unknown', async () => {
    const { accountId, key } = await server.newAccount();
    const [first = ''] = await sendAll(server, [{ to: 'delivered@sandbox.test', text: 'x' }], key);
    await late(accountId, first, 'bounced');
    expect((await readStats(server, '?bounces=true', key)).bounces).toMatchObject({ unknown: 1, hard: 0 });
  });

  it('changes nothing for a message that is noted again, and drops one that is gone', async () => {
    const { accountId, key } = await server.newAccount();
    const [id = ''] = await sendAll(server, [{ to: 'delivered@sandbox.test', text: 'x' }], key);
    await countAll(server);
    const before = await rollups();
    await server.database.sql`
      INSERT INTO count_backlog (account_id, message_ids)
      VALUES (${accountId}, ARRAY[${id}, ${id}, ${randomUUID()}]::uuid[]), (${accountId}, ARRAY[${id}]::uuid[]), (${randomUUID()}, ARRAY[${id}]::uuid[])`;
    await countAll(server);
    expect(await rollups()).toEqual(before);
  });

  it('is exact while several processes count and events arrive in between', async () => {
    const { accountId, key } = await server.newAccount();
    await track(key);
    const html = '<a href="https://example.com">x</a>';
    const ids = await sendAll(
      server,
      Array.from({ length: 60 }, () => ({ to: 'delivered@sandbox.test', html, tags: ['t'] })),
      key,
    );
    const { sql } = server.database;
    await Promise.all([
      ...ids.map(async (id, n) => {
        if (n % 3 === 0) await late(accountId, id, 'bounced', { classification: 'hard' });
        if (n % 2 === 0) await engage(accountId, id, 'opened');
        if (n % 4 === 0) await engage(accountId, id, 'opened', 'clicked');
      }),
      ...[1, 2, 3].map(async () => {
        for (let n = 0; n < 40; n += 1) await countMessages(sql);
      }),
    ]);
    // What another writer held at that moment is left out by the statement, to be given again.
    for (const [n, id] of ids.entries())
      if (n % 2 === 0) await engage(accountId, id, 'opened', ...(n % 4 === 0 ? (['clicked'] as const) : []));
    expect(await readStats(server, ALL, key)).toMatchObject({
      ...{ sent: 60, delivered: 40, bounced: 20 },
      bounces: { hard: 20 },
      opens: { tracked: 60, opened: 30 },
      clicks: { tracked: 60, clicked: 15 },
      byTag: [{ tag: 't', sent: 60, delivered: 40, bounced: 20 }],
    });
  });

  it('loses and duplicates nothing when counting is interrupted', async () => {
    const { accountId, key } = await server.newAccount();
    const { sql } = server.database;
    await countAll(server);
    await sql`CREATE FUNCTION break_off() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'broken off'; END $$`;
    await sql`CREATE TRIGGER break_off BEFORE INSERT ON message_rollups FOR EACH ROW WHEN (NEW.kind = 'source') EXECUTE FUNCTION break_off()`;
    await sendAll(server, [{ to: 'delivered@sandbox.test', text: 'x' }], key);
    await expect(countMessages(sql)).rejects.toThrow('broken off');
    await sql`DROP TRIGGER break_off ON message_rollups`;
    expect(await sql`SELECT FROM message_counts WHERE account_id = ${accountId}`).toHaveLength(0);
    expect(await readStats(server, '', key)).toMatchObject({ sent: 1, delivered: 1 });
  });

  it('rebuilt from the log, repeats every correct roll-up and corrects every wrong one', {
    tags: ['contract-operator.stats'],
  }, async () => {
    const { sql } = server.database;
    await countAll(server);
    const before = await rollups();
    expect(before.length).toBeGreaterThan(20);
    await sql`UPDATE message_rollups SET sent = sent + 5, bounced = 77`;
    await sql`DELETE FROM message_counts WHERE flags > 3`;
    await sql`INSERT INTO message_rollups SELECT account_id, kind, span, day - 3 * span, value, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9 FROM message_rollups`;
    const rebuilt = await rebuildStats(sql, server.clock.now(), 400);
    expect(await rollups()).toEqual(before);
    expect(rebuilt.messages).toBeGreaterThan(70);
    expect((await rebuildStats(sql, server.clock.now(), 400)).messages).toBe(rebuilt.messages);
    expect(await rollups()).toEqual(before);
  });

  it('continues exactly while it is rebuilt', async () => {
    const { sql } = server.database;
    const { accountId, key } = await server.newAccount();
    const ids = await sendAll(
      server,
      Array.from({ length: 30 }, () => ({ to: 'delivered@sandbox.test', text: 'x' })),
      key,
    );
    await Promise.all([
      rebuildStats(sql, server.clock.now(), 400),
      ...ids.map((id) => late(accountId, id, 'complained', { classification: 'spam' })),
      rebuildStats(sql, server.clock.now(), 400),
      countAll(server),
    ]);
    expect(await readStats(server, '', key)).toMatchObject({ sent: 30, delivered: 30, complained: 30 });
  });

  it('keeps days that are no longer in the log', async () => {
    const { sql } = server.database;
    const { accountId } = await server.newAccount();
    const day = new Date(server.clock.now().getTime() - 40 * 86_400_000).toISOString().slice(0, 10);
    await sql`INSERT INTO message_rollups VALUES (${accountId}, 'all', 1, ${day}, '', 7, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)`;
    await rebuildStats(sql, server.clock.now(), 30);
    expect(await sql`SELECT sent FROM message_rollups WHERE account_id = ${accountId}`).toEqual([{ sent: 7 }]);
    await rebuildStats(sql, server.clock.now(), 400);
    expect(await sql`SELECT sent FROM message_rollups WHERE account_id = ${accountId}`).toEqual([]);
  });
});
