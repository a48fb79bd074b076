import { mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MessageStatus } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type ClaimedDelivery,
  claimDeliveries,
  markSending,
  renewLeases,
} from '../../packages/server/src/db/queries/claim-deliveries.ts';
import { releaseDeliveries } from '../../packages/server/src/db/queries/record-outcomes.ts';
import type { AttemptOutcome, RecipientOutcome } from '../../packages/server/src/delivery/attempt-outcome.ts';
import { createOutcomeRecorder, recordOutcomes } from '../../packages/server/src/delivery/outcome-recorder.ts';
import { openReplyJournal } from '../../packages/server/src/delivery/reply-journal.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const LEASES = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'] as const;
const FIRST_ACCOUNT = '00000000-0000-0000-0000-000000000000';

describe('recording outcomes', () => {
  const cleanUp = useCleanUps();
  const ids = createIdGenerator();
  /** Accepts and reads, but delivers nothing: the tests are the worker. */
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  /** Claims everything due at a moment, as a worker would, under a lease of a minute. */
  async function claim(leaseId: string, at: Date): Promise<readonly ClaimedDelivery[]> {
    const leaseUntil = new Date(at.getTime() + 60_000);
    const limits = { limit: 200, perAccount: 200, afterAccount: FIRST_ACCOUNT, maxAccounts: 200 };
    const claims = await claimDeliveries(server.database.sql, { leaseId, now: at, leaseUntil, ...limits });
    await markSending(
      server.database.sql,
      claims.map(({ accountId, id, attempt }) => ({ accountId, id, leaseId, attempt })),
    );
    return claims;
  }

  /** A separate message with its claimed deliveries. */
  async function sendAndClaim(to: string | readonly string[], leaseId: string = LEASES[0]) {
    await server.database.sql`DELETE FROM deliveries`;
    const { body } = await server.send({ to });
    return { id: body.id as string, claims: await claim(leaseId, server.clock.now()) };
  }

  function outcomeOf(
    given: ClaimedDelivery | undefined,
    leaseId: string,
    ...recipients: readonly RecipientOutcome[]
  ): AttemptOutcome {
    if (given === undefined) throw new Error('nothing was claimed');
    const deferred = recipients.some(({ change }) => change === 'deferred');
    const { accountId, id: deliveryId, messageId, attempt } = given;
    return {
      ...{ accountId, deliveryId, messageId, leaseId, attempt, recipients },
      at: server.clock.now().toISOString(),
      retryAt: deferred ? server.clock.now().toISOString() : null,
      recipientsInMessage: recipients.length,
      lastError: null,
    };
  }

  function became(
    ordinal: number,
    change: RecipientOutcome['change'],
    email = `r${ordinal}@example.com`,
  ): RecipientOutcome {
    return { ordinal, email, change, events: [{ type: change, classification: null, detail: null }] };
  }

  const recording = (reported: { id: string; status: MessageStatus }[] = []) => ({
    sql: server.database.sql,
    ids,
    onRecorded: (messages: readonly { readonly id: string; readonly status: MessageStatus }[]) =>
      void reported.push(...messages),
    onDueAt: () => undefined,
  });

  const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const typesOf = (body: { events: { type: string }[] }) => body.events.map(({ type }) => type);
  const left = async (id: string) => await server.database.sql`SELECT * FROM deliveries WHERE message_id = ${id}`;

  it('writes status, events and the end of the delivery together, and notifies those who wait', async () => {
    const { id, claims } = await sendAndClaim('r0@example.com');
    expect((await read(id)).status).toBe('sending');
    const reported: { id: string; status: MessageStatus }[] = [];
    await recordOutcomes(recording(reported), [outcomeOf(claims[0], LEASES[0], became(0, 'sent'))]);
    expect(reported).toEqual([{ id, status: 'sent' }]);
    const body = await read(id);
    expect([body.status, typesOf(body)]).toEqual(['sent', ['queued', 'sent']]);
    expect(await left(id)).toHaveLength(0);
  });

  it('changes nothing for an attempt that was superseded', async () => {
    const { id, claims } = await sendAndClaim('r0@example.com');
    const [again] = await claim(LEASES[1], new Date(server.clock.now().getTime() + 61_000));
    expect(again).toMatchObject({ messageId: id, attempt: 2 });
    const reported: { id: string; status: MessageStatus }[] = [];
    await recordOutcomes(recording(reported), [outcomeOf(claims[0], LEASES[0], became(0, 'bounced'))]);
    expect(reported).toEqual([]);
    const body = await read(id);
    expect([body.status, typesOf(body)]).toEqual(['sending', ['queued']]);
    await recordOutcomes(recording(reported), [outcomeOf(again, LEASES[1], became(0, 'sent'))]);
    expect(typesOf(await read(id))).toEqual(['queued', 'sent']);
  });

  it('counts an outcome once, however often it is submitted', async () => {
    const { id, claims } = await sendAndClaim('r0@example.com');
    const outcome = outcomeOf(claims[0], LEASES[0], became(0, 'sent'));
    await Promise.all([1, 2, 3].map(() => recordOutcomes(recording(), [outcome])));
    await recordOutcomes(recording(), [outcome]);
    expect(typesOf(await read(id))).toEqual(['queued', 'sent']);
  });

  it('continues with the deferred recipients only', async () => {
    const { id, claims } = await sendAndClaim(['r0@example.com', 'r1@example.com', 'r2@example.com']);
    const outcome = outcomeOf(claims[0], LEASES[0], became(0, 'sent'), became(1, 'deferred'), became(2, 'bounced'));
    const due: Date[] = [];
    await recordOutcomes({ ...recording(), onDueAt: (at) => due.push(at) }, [outcome]);
    expect(due).toEqual([new Date(outcome.retryAt ?? 0)]);
    expect((await read(id)).status).toBe('deferred');
    const [next] = await claim(LEASES[1], server.clock.now());
    expect(next).toMatchObject({ messageId: id, ordinals: [1], attempt: 2 });
    await recordOutcomes(recording(), [{ ...outcomeOf(next, LEASES[1], became(1, 'sent')), recipientsInMessage: 3 }]);
    const body = await read(id);
    expect(body.status).toBe('bounced');
    expect(body.recipients.map(({ status }: { status: string }) => status)).toEqual(['sent', 'sent', 'bounced']);
    expect(body.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4, 5]);
  });

  it('joins two attempts of one message, in one batch or one after the other', async () => {
    for (const together of [true, false]) {
      const { id, claims } = await sendAndClaim(['r0@example.com', 'bounced@sandbox.test']);
      const outcomes = claims.map((given) => {
        const change = given.route === 'sandbox' ? 'bounced' : 'sent';
        return { ...outcomeOf(given, LEASES[0], became(given.ordinals[0] ?? 0, change)), recipientsInMessage: 2 };
      });
      if (together) await recordOutcomes(recording(), outcomes);
      else for (const outcome of outcomes) await recordOutcomes(recording(), [outcome]);
      const body = await read(id);
      expect(body.status).toBe('bounced');
      expect(body.recipients.map(({ status }: { status: string }) => status)).toEqual(['sent', 'bounced']);
      expect(body.events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3]);
    }
  });

  it('keeps the text of a delay while there is one, and none once every recipient has the message', async () => {
    const { id, claims } = await sendAndClaim('r0@example.com');
    const first = { ...outcomeOf(claims[0], LEASES[0], became(0, 'deferred')), lastError: 'r0@example.com: 451 Later' };
    await recordOutcomes(recording(), [first]);
    expect(await read(id)).toMatchObject({ status: 'deferred', lastError: 'r0@example.com: 451 Later' });
    const [next] = await claim(LEASES[1], server.clock.now());
    await recordOutcomes(recording(), [outcomeOf(next, LEASES[1], became(0, 'sent'))]);
    expect(await read(id)).toMatchObject({ status: 'sent', lastError: null });
  });

  it('keeps the text of the lost recipient, whatever another attempt reports later', async () => {
    for (const bounceFirst of [true, false]) {
      const { id, claims } = await sendAndClaim(['r0@example.com', 'bounced@sandbox.test']);
      const outcomes = claims.map((given) => {
        const isSandbox = given.route === 'sandbox';
        const recipient = became(given.ordinals[0] ?? 0, isSandbox ? 'bounced' : 'deferred');
        const lastError = isSandbox ? 'bounced@sandbox.test: 550 Gone' : 'r0@example.com: 451 Later';
        return { ...outcomeOf(given, LEASES[0], recipient), recipientsInMessage: 2, lastError };
      });
      outcomes.sort((one) => ((one.retryAt === null) === bounceFirst ? -1 : 1));
      for (const outcome of outcomes) await recordOutcomes(recording(), [outcome]);
      expect(await read(id)).toMatchObject({ status: 'deferred', lastError: 'bounced@sandbox.test: 550 Gone' });
    }
  });

  it('keeps a renewed lease, and makes a returned one due immediately, without counting its attempt', async () => {
    const { id, claims } = await sendAndClaim('r0@example.com');
    const [held] = claims;
    if (held === undefined) throw new Error('nothing was claimed');
    const { sql } = server.database;
    const inTwoMinutes = new Date(server.clock.now().getTime() + 120_000);
    await renewLeases(sql, [{ accountId: held.accountId, id: held.id, leaseId: LEASES[1] }], inTwoMinutes);
    await renewLeases(sql, [{ accountId: held.accountId, id: held.id, leaseId: LEASES[0] }], inTwoMinutes);
    expect(await claim(LEASES[1], new Date(server.clock.now().getTime() + 61_000))).toEqual([]);
    const fence = { accountId: held.accountId, deliveryId: held.id, messageId: id, leaseId: LEASES[0], attempt: 1 };
    await releaseDeliveries(sql, [fence], server.clock.now());
    expect((await read(id)).status).toBe('queued');
    expect(await claim(LEASES[1], server.clock.now())).toMatchObject([{ messageId: id, attempt: 1 }]);
  });

  describe('through the recorder', () => {
    async function newJournal() {
      const folder = await mkdtemp(join(tmpdir(), 'postrider-recorder-'));
      cleanUp(() => rm(folder, { recursive: true, force: true }));
      return { folder, journal: openReplyJournal(folder, 'here', () => undefined) };
    }

    it('resolves when the outcome is committed, and leaves nothing in the journal', async () => {
      const { folder, journal } = await newJournal();
      const recorder = createOutcomeRecorder({ ...recording(), journal, onError: () => undefined });
      const { id, claims } = await sendAndClaim('r0@example.com');
      await recorder.record(outcomeOf(claims[0], LEASES[0], became(0, 'sent')));
      expect((await read(id)).status).toBe('sent');
      journal.close();
      expect(await readdir(folder)).toEqual([]);
    });

    /** Many messages of one recipient each, claimed. */
    async function claimMany(count: number): Promise<readonly ClaimedDelivery[]> {
      const { sql } = server.database;
      await sql`DELETE FROM deliveries`;
      for (let sent = 0; sent < count; sent += 50) {
        await Promise.all(
          Array.from({ length: Math.min(50, count - sent) }, () => server.send({ to: 'r0@example.com' })),
        );
      }
      const claims: ClaimedDelivery[] = [];
      while (claims.length < count) claims.push(...(await claim(LEASES[0], server.clock.now())));
      return claims;
    }

    it('is stuck from the first rejection until the last pending outcome is recorded', async () => {
      const { journal } = await newJournal();
      const claims = await claimMany(450);
      const { sql } = server.database;
      await sql`ALTER TABLE message_events RENAME TO hidden_events`;
      const refused = Promise.withResolvers<void>();
      /** How many were recorded whenever some were, and whether it was stuck then. */
      const looks: { recorded: number; isStuck: boolean }[] = [];
      let recorded = 0;
      const recorder = createOutcomeRecorder({
        ...recording(),
        journal,
        onError: () => refused.resolve(),
        onRecorded: (messages) => {
          recorded += messages.length;
          looks.push({ recorded, isStuck: recorder.isStuck });
        },
      });
      expect(recorder.isStuck).toBe(false);
      const all = Promise.all(claims.map((given) => recorder.record(outcomeOf(given, LEASES[0], became(0, 'sent')))));
      await refused.promise;
      expect(recorder.isStuck).toBe(true);
      await sql`ALTER TABLE hidden_events RENAME TO message_events`;
      expect(await all).toEqual(Array(450).fill(true));
      expect(looks.at(-1)?.recorded).toBe(450);
      expect(looks.map(({ isStuck }) => isStuck)).toEqual(looks.map(() => true));
      expect(looks.length).toBeGreaterThan(1);
      expect(recorder.isStuck).toBe(false);
      journal.close();
    });

    it('reports an outcome that was superseded as void', async () => {
      const { journal } = await newJournal();
      const recorder = createOutcomeRecorder({ ...recording(), journal, onError: () => undefined });
      const { claims } = await sendAndClaim('r0@example.com');
      await claim(LEASES[1], new Date(server.clock.now().getTime() + 61_000));
      expect(await recorder.record(outcomeOf(claims[0], LEASES[0], became(0, 'sent')))).toBe(false);
      journal.close();
    });

    it('records outcomes one by one when the database rejects one for good, and that one without its text', async () => {
      const { journal } = await newJournal();
      const claims = await claimMany(3);
      const faults: string[] = [];
      const onError = (_: unknown, what: string) => void faults.push(what);
      const recorder = createOutcomeRecorder({ ...recording(), journal, onError });
      const detail = '250 a NUL, which no column takes: \u0000';
      const outcomes = claims.map((given, index) => {
        const recipient = became(0, 'bounced');
        const events = recipient.events.map((event) => ({ ...event, detail: index === 1 ? detail : 'fine' }));
        const lastError = index === 1 ? detail : 'fine';
        return { ...outcomeOf(given, LEASES[0], { ...recipient, events }), lastError };
      });
      expect(await Promise.all(outcomes.map((outcome) => recorder.record(outcome)))).toEqual([true, true, true]);
      expect(faults).toContain('recording outcomes together');
      const reads = await Promise.all(claims.map(({ messageId }) => read(messageId)));
      expect(reads.map(({ status, lastError }) => [status, lastError])).toEqual([
        ['bounced', 'fine'],
        ['bounced', null],
        ['bounced', 'fine'],
      ]);
      expect(reads.map(({ events }) => events[1].detail)).toEqual(['fine', null, 'fine']);
      expect(recorder.isStuck).toBe(false);
      journal.close();
    });

    it.runIf(process.platform === 'linux')(
      'continues recording when the journal’s disk is full, and says so',
      async () => {
        const folder = await mkdtemp(join(tmpdir(), 'postrider-recorder-'));
        cleanUp(() => rm(folder, { recursive: true, force: true }));
        await mkdir(join(folder, 'journal'));
        await symlink('/dev/full', join(folder, 'journal', 'here.journal'));
        const faults: string[] = [];
        const onError = (error: unknown, what: string) => void faults.push(`${what}: ${String(error)}`);
        const journal = openReplyJournal(join(folder, 'journal'), 'here', onError);
        const recorder = createOutcomeRecorder({ ...recording(), journal, onError });
        const { id, claims } = await sendAndClaim('r0@example.com');
        await recorder.record(outcomeOf(claims[0], LEASES[0], became(0, 'sent')));
        expect((await read(id)).status).toBe('sent');
        expect(faults[0]).toMatch(/^writing the reply journal.*ENOSPC/);
        journal.close();
      },
    );

    it('keeps trying while the database rejects writes, with the outcome safe in the journal', async () => {
      const { folder, journal } = await newJournal();
      const { id, claims } = await sendAndClaim('r0@example.com');
      const { sql } = server.database;
      await sql`ALTER TABLE message_events RENAME TO hidden_events`;
      const faults: unknown[] = [];
      const recorder = createOutcomeRecorder({
        ...recording(),
        journal,
        onError: (error) => {
          faults.push(error);
          if (faults.length === 2) void sql`ALTER TABLE hidden_events RENAME TO message_events`.execute();
        },
      });
      await recorder.record(outcomeOf(claims[0], LEASES[0], became(0, 'sent')));
      expect(faults.length).toBeGreaterThanOrEqual(2);
      expect((await read(id)).status).toBe('sent');
      journal.close();
      expect(await readdir(folder)).toEqual([]);
    });
  });
});
