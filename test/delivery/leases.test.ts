import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { readAttachments } from '../../packages/server/src/db/queries/message-attachments.ts';
import { createCaptureTransport } from '../../packages/server/src/delivery/capture.ts';
import { createDeliveryEngine, nextClaimStart } from '../../packages/server/src/delivery/delivery-engine.ts';
import { createMessageBuilder } from '../../packages/server/src/delivery/message-builder.ts';
import { createMessageMaker } from '../../packages/server/src/delivery/message-maker.ts';
import { createOutcomeRecorder } from '../../packages/server/src/delivery/outcome-recorder.ts';
import { openReplyJournal } from '../../packages/server/src/delivery/reply-journal.ts';
import { createSigningKeys } from '../../packages/server/src/delivery/signing-keys.ts';
import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { openBody } from '../../packages/server/src/keys/sealed-body.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createTrackingUrls } from '../../packages/server/src/links/tracked-body.ts';
import { createTrackingTokens } from '../../packages/server/src/links/tracking-token.ts';
import { createLeasedDeliveries } from '../../packages/server/src/routing/leased-deliveries.ts';
import { createUnsubscribeLinks } from '../../packages/server/src/unsubscribe/unsubscribe-links.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { type SinkReplies, type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

describe('a leased delivery', () => {
  const cleanUp = useCleanUps();
  const until = { timeout: 10_000, interval: 10 };

  async function relayTo(replies: SinkReplies): Promise<{ server: TestApp; sink: SmtpSink; logged: string[] }> {
    const sink = await startSmtpSink({ replies });
    const logged: string[] = [];
    const server = await startTestApp({
      settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` },
      log: { write: (line) => void logged.push(line) },
    });
    cleanUp(async () => {
      await sink.close();
      await server.close();
    });
    return { server, sink, logged };
  }

  /** A relay that responds to the message when the test says so. */
  async function slowRelay() {
    const asked = Promise.withResolvers<void>();
    const respond = Promise.withResolvers<undefined>();
    const relay = await relayTo({
      message: () => {
        asked.resolve();
        return respond.promise;
      },
    });
    return { ...relay, asked: asked.promise, respond: () => respond.resolve(undefined) };
  }

  const read = async (server: TestApp, id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const eventsOf = ({ events }: { events: { type: string }[] }) => events.map(({ type }) => type);
  const attempts = async ({ database }: TestApp) =>
    (await database.sql`SELECT attempt FROM deliveries`).map((row) => row['attempt']);

  /** What the worker's connections are at, or were last, of recording outcomes. */
  const recordings = async ({ database }: TestApp) =>
    await database.sql<{ waits: boolean }[]>`
    SELECT coalesce(wait_event_type = 'Lock', false) AS waits FROM pg_stat_activity
    WHERE datname = current_database() AND application_name = 'postrider-worker' AND query LIKE '%WITH given AS MATERIALIZED%'`;

  it('that expired during an attempt continues under the new lease, without a second copy', async () => {
    const { server, sink, asked, respond } = await slowRelay();
    const { body } = await server.send({ to: 'ann@example.com' });
    await asked;
    server.clock.advance(61_000);
    await server.pump();
    expect(await attempts(server)).toEqual([2]);
    respond();
    await expect.poll(async () => (await read(server, body.id)).status, until).toBe('sent');
    expect(eventsOf(await read(server, body.id))).toEqual(['queued', 'sent']);
    expect(await attempts(server)).toEqual([]);
    expect(sink.messages).toHaveLength(1);
  });

  it('that expired while its outcome waited to be recorded is recorded under the new lease, without a second copy', async () => {
    const { server, sink, asked, respond } = await slowRelay();
    const { sql } = server.database;
    const { body } = await server.send({ to: 'ann@example.com' });
    await asked;
    const locked = Promise.withResolvers<void>();
    const unlock = Promise.withResolvers<void>();
    const locking = sql.begin(async (transaction) => {
      await transaction`LOCK TABLE message_events IN EXCLUSIVE MODE`;
      locked.resolve();
      await unlock.promise;
    });
    await locked.promise;
    respond();
    await expect.poll(async () => (await recordings(server)).filter(({ waits }) => waits), until).toHaveLength(1);
    server.clock.advance(61_000);
    await server.pump();
    expect(await attempts(server)).toEqual([2]);
    unlock.resolve();
    await locking;
    await expect.poll(async () => (await read(server, body.id)).status, until).toBe('sent');
    await expect.poll(() => server.app.engine?.inFlight, until).toBe(0);
    server.clock.advance(61_000);
    await server.pump();
    expect(eventsOf(await read(server, body.id))).toEqual(['queued', 'sent']);
    expect(sink.messages).toHaveLength(1);
  });

  it('is not claimed again while outcomes cannot be recorded', async () => {
    const { server, sink, asked, respond, logged } = await slowRelay();
    const { sql } = server.database;
    const { body } = await server.send({ to: 'ann@example.com' });
    await asked;
    await sql`ALTER TABLE message_events RENAME TO hidden_events`;
    respond();
    await sink.waitFor(1);
    await expect.poll(() => logged.filter((line) => line.includes('recording outcomes')), until).not.toEqual([]);
    await sql`
      INSERT INTO deliveries (account_id, id, message_id, route, ordinals, next_at, expires_at)
      VALUES (${randomUUID()}, gen_random_uuid(), gen_random_uuid(), 'outbound', '{0}', '-infinity', 'infinity')`;
    server.clock.advance(120_000);
    await server.pump();
    expect((await attempts(server)).sort()).toEqual([0, 1]);
    await sql`ALTER TABLE hidden_events RENAME TO message_events`;
    await expect.poll(async () => (await read(server, body.id)).status, until).toBe('sent');
    expect(sink.messages).toHaveLength(1);
  });

  it('has the size of its message, counted at acceptance or by the claim', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    cleanUp(() => server.close());
    const { sql } = server.database;
    const attachments = [{ filename: 'a.txt', content: Buffer.from('twelve bytes').toString('base64') }];
    await server.send({ to: 'ann@example.com', html: '<p>äöü</p>', text: 'Grüße', attachments });
    const claim = { leaseId: randomUUID(), limit: 9, perAccount: 9, afterAccount: FIRST_ACCOUNT, maxAccounts: 9 };
    const sizes = async (now: Date) => {
      const claimed = await claimDeliveries(sql, { ...claim, now, leaseUntil: now });
      return claimed.map(({ bytes }) => bytes);
    };
    const size = 13 + 7 + 12;
    expect(await sql`SELECT bytes FROM deliveries`).toEqual([{ bytes: size }]);
    expect(await sizes(server.clock.now())).toEqual([size]);
    await sql`UPDATE deliveries SET bytes = NULL`;
    expect(await sizes(server.clock.now())).toEqual([size]);
  });

  it('is renewed during an attempt, so that no one else claims it', async () => {
    const server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const folder = await mkdtemp(join(tmpdir(), 'postrider-leases-'));
    cleanUp(async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    });
    const { clock, database } = server;
    const { sql } = database;
    const asked = Promise.withResolvers<void>();
    const respond = Promise.withResolvers<void>();
    const capture = createCaptureTransport(async () => {
      asked.resolve();
      await respond.promise;
    });
    const onError = (error: unknown) => {
      throw error;
    };
    const journal = openReplyJournal(folder, 'here', onError);
    const ids = createIdGenerator();
    const recorder = createOutcomeRecorder({
      ...{ sql, ids, journal, onError },
      ...{ onRecorded: () => undefined, onDueAt: () => undefined },
    });
    const maker = createMessageMaker();
    const engine = createDeliveryEngine({
      ...{ sql, clock, recorder, onError },
      builder: createMessageBuilder(
        createSigningKeys(sql, createSecretBox(TEST_SECRET_KEY), clock.now),
        createUnsubscribeLinks({ baseUrl: server.baseUrl, secretKey: TEST_SECRET_KEY }),
        createTrackingUrls(createTrackingTokens(TEST_SECRET_KEY), server.baseUrl),
        (accountId, messageId) => readAttachments(sql, accountId, messageId),
        createReturnPaths(TEST_SECRET_KEY).addressFor,
        (stored) => openBody(createSecretBox(TEST_SECRET_KEY), stored),
        clock.now,
        maker,
        async () => null,
      ),
      transports: new Map([['outbound', capture]]),
      random: () => 0.5,
      onUnapproved: () => Promise.reject(new Error('a message is not what was approved')),
      maxInFlight: 10,
      renewEveryMs: 20,
    });
    cleanUp(async () => {
      await engine.stop(100);
      await maker.close();
    });
    const { body } = await server.send({ to: 'ann@example.com' });
    await engine.pump();
    await asked.promise;
    const endsAt = async () => (await sql<{ next_at: Date }[]>`SELECT next_at FROM deliveries`)[0]?.next_at.getTime();
    for (const _ of [1, 2, 3]) {
      clock.advance(50_000);
      await expect.poll(endsAt, until).toBeGreaterThanOrEqual(clock.now().getTime() + 59_000);
    }
    const now = new Date(clock.now().getTime() + 50_000);
    const claims = await claimDeliveries(sql, {
      ...{ leaseId: randomUUID(), now, leaseUntil: new Date(now.getTime() + 60_000) },
      ...{ limit: 10, perAccount: 10, afterAccount: FIRST_ACCOUNT, maxAccounts: 10 },
    });
    expect(claims).toEqual([]);
    respond.resolve();
    await expect.poll(async () => (await read(server, body.id)).status, until).toBe('delivered');
    await engine.stop(1_000);
    journal.close();
  });

  it.each([
    ['in the middle of a message', 'recipient'],
    ['while the connection is being opened', 'connect'],
  ] as const)('that is returned at a stop %s is not sent', async (_, stage) => {
    const asked = Promise.withResolvers<void>();
    const respond = Promise.withResolvers<undefined>();
    const { server, sink } = await relayTo({
      [stage]: () => {
        asked.resolve();
        return respond.promise;
      },
    });
    const { body } = await server.send({ to: 'ann@example.com' });
    await asked.promise;
    await server.app.engine?.stop(20);
    expect((await read(server, body.id)).status).toBe('queued');
    expect(await attempts(server)).toEqual([0]);
    // Another worker may have it by now. The relay responds late: the reply is ignored.
    respond.resolve(undefined);
    await expect.poll(() => sink.openConnections, until).toBe(0);
    await expect.poll(() => server.app.engine?.inFlight, until).toBe(0);
    expect(sink.messages).toHaveLength(0);
    expect(eventsOf(await read(server, body.id))).toEqual(['queued']);
  });
});

describe('deliveries of a process', () => {
  const claimOf = (id: string, attempt: number) => ({
    ...{ accountId: 'a', id, messageId: 'm', route: 'outbound', destination: '', ordinals: [0], attempt, bytes: 0 },
    expiresAt: new Date('2030-01-01'),
  });

  it('are worked on once, whatever is claimed again, and the last claim counts', () => {
    const leased = createLeasedDeliveries();
    const [first] = leased.add([claimOf('1', 1), claimOf('2', 1)], 'one');
    expect(leased.size).toBe(2);
    expect(leased.add([claimOf('1', 2)], 'two')).toEqual([]);
    expect(first).toMatchObject({ claim: { attempt: 2 }, leaseId: 'two' });
    expect(leased.leases()).toEqual([
      { accountId: 'a', id: '1', leaseId: 'two' },
      { accountId: 'a', id: '2', leaseId: 'one' },
    ]);
    if (first === undefined) throw new Error('nothing was held');
    leased.settle(first);
    expect([leased.open, leased.size]).toEqual([1, 2]);
    expect(leased.add([claimOf('1', 3)], 'three')).toEqual([]);
    expect([leased.open, leased.size, first.claim.attempt]).toEqual([1, 2, 3]);
    leased.remove(first);
    expect(leased.add([claimOf('1', 4)], 'four')).toHaveLength(1);
    expect([leased.open, leased.size]).toEqual([2, 2]);
  });
});

describe('the account where the next claim begins', () => {
  const claimsOf = (...accounts: readonly string[]) =>
    accounts.map((accountId) => ({
      ...{
        accountId,
        id: randomUUID(),
        messageId: randomUUID(),
        route: 'outbound',
        destination: '',
        ordinals: [0],
        attempt: 1,
        bytes: 0,
      },
      expiresAt: new Date('2030-01-01'),
    }));

  it('is the one after the last, when there were so many that some may not have been reached', () => {
    const accounts = Array.from({ length: 10 }, (_, n) => `account-${n}`);
    expect(nextClaimStart(claimsOf(...accounts.toReversed()), 100)).toBe('account-9');
  });

  it('is the first when few accounts wait and all were reached', () => {
    expect(nextClaimStart([], 100)).toBe(FIRST_ACCOUNT);
    expect(nextClaimStart(claimsOf('account-1', 'account-1', 'account-7'), 100)).toBe(FIRST_ACCOUNT);
  });
});
