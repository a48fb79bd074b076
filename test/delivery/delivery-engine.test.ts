import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { type SinkReplies, type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const HOUR_MS = 3_600_000;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

interface Event {
  readonly type: string;
  readonly classification: string | null;
  readonly detail: string | null;
  readonly recipient: string | null;
}

describe('delivery', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const closing of open.splice(0)) await closing.close();
  });

  async function relayTo(replies: SinkReplies): Promise<{ server: TestApp; sink: SmtpSink }> {
    const sink = await startSmtpSink({ replies });
    const server = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
    open.push(sink, server);
    return { server, sink };
  }

  async function start(...given: Parameters<typeof startTestApp>): Promise<TestApp> {
    const server = await startTestApp(...given);
    open.push(server);
    return server;
  }

  const read = async (server: TestApp, id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const statusOf = (server: TestApp, id: string) => async () => (await read(server, id)).status;
  const until = { timeout: 10_000, interval: 10 };
  const eventsOf = ({ events }: { events: Event[] }) =>
    events.map(({ type, classification }) => [type, classification]);

  it('changes from queued to sending to sent when the provider accepts it', {
    tags: [
      'contract-messages.statuses',
      'contract-messages.sent',
      'states.other-transitions',
      'contract-settings.transport',
    ],
  }, async () => {
    const asked = Promise.withResolvers<void>();
    const response = Promise.withResolvers<undefined>();
    const { server, sink } = await relayTo({
      message: () => {
        asked.resolve();
        return response.promise;
      },
    });
    const { body } = await server.send({ to: 'ann@example.com' });
    await asked.promise;
    await expect.poll(statusOf(server, body.id), until).toBe('sending');
    response.resolve(undefined);
    const settled = (await server.settled(body.id)).body;
    expect([settled.status, eventsOf(settled)]).toEqual([
      'sent',
      [
        ['queued', null],
        ['sent', null],
      ],
    ]);
    const [mail] = await sink.waitFor(1);
    expect(mail).toMatchObject({
      from: expect.stringMatching(/^b\+.*@sandbox\.test$/),
      recipients: ['ann@example.com'],
    });
    const parsed = await PostalMime.parse(mail?.raw ?? '');
    expect(parsed).toMatchObject({ subject: 'Hello', messageId: `<${body.id}@sandbox.test>` });
  });

  it('retries a deferred message when it is due and not before, with the same content', {
    tags: ['contract-messages.statuses', 'contract-messages.never-stuck', 'contract-messages.trail-types'],
  }, async () => {
    let attempts = 0;
    const { server, sink } = await relayTo({
      message: () => {
        attempts += 1;
        return attempts === 1 ? { code: 451, text: '4.3.0 Try later' } : undefined;
      },
    });
    const { body } = await server.send({ to: 'ann@example.com' });
    await expect.poll(statusOf(server, body.id), until).toBe('deferred');
    const deferred = await read(server, body.id);
    expect(eventsOf(deferred)).toEqual([
      ['queued', null],
      ['deferred', null],
    ]);
    expect(deferred.lastError).toContain('451 4.3.0 Try later');
    server.clock.advance(25_000);
    await server.pump();
    expect([attempts, (await read(server, body.id)).status]).toEqual([1, 'deferred']);
    server.clock.advance(5_000);
    await server.pump();
    const settled = (await server.settled(body.id)).body;
    expect(eventsOf(settled)).toEqual([
      ['queued', null],
      ['deferred', null],
      ['sent', null],
    ]);
    expect((await sink.waitFor(1)).length).toBe(1);
  });

  it('ends retries at the expiry, with a soft bounce that says why', {
    tags: ['contract-messages.retries-run-out', 'events.soft', 'contract-messages.never-stuck'],
  }, async () => {
    const { server } = await relayTo({ recipient: () => ({ code: 450, text: '4.2.0 Busy' }) });
    const { body } = await server.send({ to: 'ann@example.com' });
    await expect.poll(statusOf(server, body.id), until).toBe('deferred');
    server.clock.advance(23 * HOUR_MS);
    await server.pump();
    await expect.poll(async () => (await read(server, body.id)).events.length, until).toBe(3);
    expect((await read(server, body.id)).status).toBe('deferred');
    server.clock.advance(2 * HOUR_MS);
    await server.pump();
    const settled = (await server.settled(body.id)).body;
    expect(settled.status).toBe('bounced');
    expect(eventsOf(settled)).toEqual([
      ['queued', null],
      ['deferred', null],
      ['deferred', null],
      ['bounced', 'soft'],
    ]);
    expect(settled.events[3].detail).toBe('The retries ran out. 450 4.2.0 Busy');
    expect(await server.database.sql`SELECT 1 FROM deliveries`).toHaveLength(0);
  });

  it('retries for as long as is set, also after a new time was set', async () => {
    const server = await start({ settings: { POSTRIDER_ROLES: 'api', POSTRIDER_RETRY_HOURS: '48' } });
    const hours = async () => {
      const [row] = await server.database.sql<{ hours: number }[]>`
        SELECT round(extract(epoch FROM expires_at - next_at) / 3600)::int AS hours FROM deliveries`;
      return row?.hours;
    };
    const { body } = await server.send({ to: 'ann@example.com', scheduled_at: 'PT2H' });
    expect(await hours()).toBe(48);
    await server.call('PATCH', `/emails/${body.id}`, { body: { scheduled_at: 'PT4H' } });
    expect(await hours()).toBe(48);
  });

  it('decides for each recipient, and retries only those who were deferred', {
    tags: ['contract-messages.worst-recipient', 'events.hard', 'events.classification-null'],
  }, async () => {
    let refusals = 0;
    const { server, sink } = await relayTo({
      recipient: (address) => {
        if (address.startsWith('bad')) return { code: 550, text: '5.1.1 No such user' };
        if (!address.startsWith('later')) return undefined;
        refusals += 1;
        return refusals === 1 ? { code: 451, text: '4.2.1 Later' } : undefined;
      },
    });
    const to = ['ok@example.com', 'bad@example.com', 'later@example.com'];
    const { body } = await server.send({ to });
    await expect.poll(statusOf(server, body.id), until).toBe('deferred');
    const between = await read(server, body.id);
    expect(between.recipients.map(({ status }: { status: string }) => status)).toEqual(['sent', 'bounced', 'deferred']);
    server.clock.advance(31_000);
    await server.pump();
    const settled = (await server.settled(body.id)).body;
    expect(settled.status).toBe('bounced');
    expect(settled.recipients.map(({ status }: { status: string }) => status)).toEqual(['sent', 'bounced', 'sent']);
    const classified = settled.events.filter(({ classification }: Event) => classification !== null);
    expect(classified).toMatchObject([{ type: 'bounced', classification: 'hard', recipient: 'bad@example.com' }]);
    const mails = await sink.waitFor(2);
    expect(mails.map(({ recipients }) => recipients)).toEqual([['ok@example.com'], ['later@example.com']]);
    const [first, second] = await Promise.all(mails.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId));
    expect(first).toBe(second);
  });

  it.each([
    [550, '5.1.1 The email account does not exist', 'hard'],
    [554, '5.7.1 Message rejected as spam', 'block'],
    [552, '5.2.2 Mailbox full', 'soft'],
    [550, 'Requested action not taken', 'unknown'],
  ])(
    'bounces on %i %s, classified %s',
    { tags: ['events.hard', 'events.soft', 'events.block', 'events.unknown', 'events.bounce-and-complaint'] },
    async (code, text, classification) => {
      const { server } = await relayTo({ recipient: () => ({ code, text }) });
      const { body } = await server.send({ to: 'ann@example.com' });
      const settled = (await server.settled(body.id)).body;
      expect([settled.status, eventsOf(settled)]).toEqual([
        'bounced',
        [
          ['queued', null],
          ['bounced', classification],
        ],
      ]);
      expect(settled.events[1].detail).toBe(`${code} ${text}`);
    },
  );

  it('retries after a connection was lost after the message, and says that it may have arrived', async () => {
    let attempts = 0;
    const { server, sink } = await relayTo({
      message: () => {
        attempts += 1;
        return attempts === 1 ? 'keep-and-drop' : undefined;
      },
    });
    const { body } = await server.send({ to: 'ann@example.com' });
    await expect.poll(statusOf(server, body.id), until).toBe('deferred');
    expect((await read(server, body.id)).lastError).toContain('ambiguous');
    server.clock.advance(31_000);
    await server.pump();
    expect((await server.settled(body.id)).body.status).toBe('sent');
    const ids = await Promise.all(sink.messages.map(async ({ raw }) => (await PostalMime.parse(raw)).messageId));
    expect(ids).toEqual([`<${body.id}@sandbox.test>`, `<${body.id}@sandbox.test>`]);
  });

  it('waits for a relay that is down, and delivers once it is back', {
    tags: ['contract-messages.never-stuck'],
  }, async () => {
    const sink = await startSmtpSink();
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` };
    await sink.close();
    const server = await start({ settings });
    const { body } = await server.send({ to: 'ann@example.com' });
    await expect.poll(statusOf(server, body.id), until).toBe('deferred');
    const back = await startSmtpSink({ port: sink.port });
    open.push(back);
    server.clock.advance(31_000);
    await server.pump();
    expect((await server.settled(body.id)).body.status).toBe('sent');
  });

  it('resumes what a dead worker had leased once the lease expires, and not before', {
    tags: ['contract-messages.never-stuck'],
  }, async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { body } = await api.send();
    const now = api.clock.now();
    const limits = { limit: 10, perAccount: 10, afterAccount: FIRST_ACCOUNT, maxAccounts: 10 };
    const lease = { leaseId: randomUUID(), now, leaseUntil: new Date(now.getTime() + 60_000) };
    expect(await claimDeliveries(api.database.sql, { ...lease, ...limits })).toHaveLength(1);
    const worker = await start({ database: api.database, settings: { POSTRIDER_ROLES: 'worker' } });
    open.reverse();
    worker.clock.advance(50_000);
    await worker.pump();
    expect(await worker.database.sql`SELECT attempt FROM deliveries`).toEqual([{ attempt: 1 }]);
    worker.clock.advance(11_000);
    await worker.pump();
    const settled = (await api.settled(body.id)).body;
    expect([settled.status, eventsOf(settled).length]).toEqual(['delivered', 3]);
  });

  it('records once what a killed process had received and not yet recorded', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'postrider-journal-'));
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { body } = await api.send({ to: 'ann@example.com' });
    const now = api.clock.now();
    const leaseId = randomUUID();
    const limits = { limit: 10, perAccount: 10, afterAccount: FIRST_ACCOUNT, maxAccounts: 10 };
    const claims = await claimDeliveries(api.database.sql, {
      leaseId,
      now,
      leaseUntil: new Date(now.getTime() + 60_000),
      ...limits,
    });
    const [claim] = claims;
    const event = { type: 'sent', classification: null, detail: '250 Ok' };
    const outcome = {
      ...{
        accountId: claim?.accountId,
        deliveryId: claim?.id,
        messageId: body.id,
        leaseId,
        attempt: 1,
        at: now.toISOString(),
      },
      recipients: [{ ordinal: 0, email: 'ann@example.com', change: 'sent', events: [event] }],
      ...{ retryAt: null, recipientsInMessage: 1, lastError: null },
    };
    const journal = join(dataDir, 'journal', `999999.${randomUUID()}.00.journal`);
    await mkdir(join(dataDir, 'journal'));
    const settings = { POSTRIDER_ROLES: 'worker', POSTRIDER_DATA_DIR: dataDir };
    for (const start of [1, 2]) {
      await writeFile(journal, `${JSON.stringify(outcome)}\n{"torn":`);
      const worker = await startTestApp({ database: api.database, settings });
      expect(eventsOf(await read(api, body.id)), `start ${start}`).toEqual([
        ['queued', null],
        ['sent', null],
      ]);
      worker.clock.advance(61_000);
      await worker.pump();
      await worker.close();
      expect(eventsOf(await read(api, body.id))).toEqual([
        ['queued', null],
        ['sent', null],
      ]);
      expect(await readdir(join(dataDir, 'journal'))).toEqual([]);
    }
    await rm(dataDir, { recursive: true });
  });

  it('returns at a stop what was not sent in time, as if it had never begun', {
    tags: ['contract-running.drain'],
  }, async () => {
    const { server, sink } = await relayTo({ message: () => 'stall' });
    const { body } = await server.send({ to: 'ann@example.com' });
    await expect.poll(statusOf(server, body.id), until).toBe('sending');
    await server.app.engine?.stop(20);
    expect((await read(server, body.id)).status).toBe('queued');
    expect(await server.database.sql`SELECT attempt, lease_id FROM deliveries`).toEqual([
      { attempt: 0, lease_id: null },
    ]);
    await sink.close();
    await expect.poll(() => server.app.engine?.inFlight, until).toBe(0);
    expect(eventsOf(await read(server, body.id))).toEqual([['queued', null]]);
  });

  it('claims fairly: one account’s backlog never delays another’s fresh message', async () => {
    const api = await start({ settings: { POSTRIDER_ROLES: 'api' } });
    const { sql } = api.database;
    const accounts = await Promise.all(Array.from({ length: 5 }, () => api.newAccount()));
    for (const { accountId } of accounts.slice(0, 2)) {
      await sql`
        INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
        SELECT ${accountId}, gen_random_uuid(), gen_random_uuid(), 'outbound', '{0}', now() - interval '1 hour', now() + interval '1 day'
        FROM generate_series(1, 1000)`;
    }
    for (const { key } of accounts.slice(2)) await api.send({}, { key });
    const now = api.clock.now();
    const claimed: string[] = [];
    let afterAccount = FIRST_ACCOUNT;
    for (let round = 0; round < 2; round += 1) {
      const claims = await claimDeliveries(sql, {
        ...{ leaseId: randomUUID(), now, leaseUntil: new Date(now.getTime() + 60_000) },
        ...{ limit: 100, perAccount: 10, afterAccount, maxAccounts: 200 },
      });
      claimed.push(...claims.map(({ accountId }) => accountId));
      expect(claims.length).toBeLessThanOrEqual(100);
      afterAccount = FIRST_ACCOUNT;
    }
    const counts = accounts.map(({ accountId }) => claimed.filter((owner) => owner === accountId).length);
    expect(counts.slice(2)).toEqual([1, 1, 1]);
    expect(Math.abs((counts[0] ?? 0) - (counts[1] ?? 0))).toBeLessThanOrEqual(10);
    expect(counts[0]).toBeGreaterThan(20);
  });
});
