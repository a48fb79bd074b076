import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase } from '../../packages/server/src/db/client.ts';
import { chargeQuota } from '../../packages/server/src/db/queries/charge-quota.ts';
import { type AcceptanceOptions, acceptMessages } from '../../packages/server/src/sending/accept-messages.ts';
import { createAcceptQueue } from '../../packages/server/src/sending/accept-queue.ts';
import type { ParsedSend } from '../../packages/server/src/sending/parsed-send.ts';
import type { SendVerdict } from '../../packages/server/src/sending/send-verdict.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../harness/plain-send.ts';
import { type TaggedPool, tagged } from '../harness/tagged.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('the accept queue', () => {
  let database: TestDatabase;
  let sql: TaggedPool;
  let options: AcceptanceOptions & { readonly sql: TaggedPool };
  beforeAll(async () => {
    database = await createTestDatabase();
    sql = tagged(openDatabase({ target: database.target, maxConnections: 8, applicationName: 'tests' }));
    const ids = createIdGenerator();
    options = { sql, clock: systemClock, ids, sandboxDomain: 'sandbox.test', monthlyQuota: 100 };
  });
  afterAll(async () => {
    await sql.end();
    await database.drop();
  });

  async function newAccount(): Promise<string> {
    const { accountId } = await createAccount(
      { sql, clock: systemClock, ids: options.ids },
      { name: 'A', ownerEmail: 'a@b.co' },
    );
    return accountId;
  }

  function sendOf(
    accountId: string,
    request: Readonly<Record<string, unknown>> = {},
    key: string | null = null,
  ): ParsedSend {
    const plain = plainSend(
      { accountId, keyId: accountId },
      { from: 'a@sandbox.test', to: 'x@example.com', subject: 's', text: 't', ...request },
    );
    return { ...plain, idempotency: key === null ? null : { key, fingerprint: JSON.stringify(request) } };
  }

  const rows = async (table: string, accountId: string) =>
    Number((await sql`SELECT count(*) FROM ${sql(table)} WHERE account_id = ${accountId}`)[0]?.['count']);
  const usedBy = async (accountId: string) =>
    (await sql<{ used: number }[]>`SELECT used FROM quota_usage WHERE account_id = ${accountId}`)[0]?.used ?? 0;
  const codes = (verdicts: readonly SendVerdict[]) =>
    verdicts.map((verdict) => (verdict.kind === 'refused' ? verdict.code : verdict.replayed ? 'replayed' : 'accepted'));

  it('returns a verdict for each item of a batch, and a rejected one never affects its neighbors', async () => {
    const [one, two] = [await newAccount(), await newAccount()];
    const { verdicts } = await acceptMessages(options, [
      sendOf(one),
      sendOf(one, { from: 'a@elsewhere.example' }),
      sendOf(two, { to: Array.from({ length: 50 }, (_, index) => `r${index}@example.com`) }),
      sendOf(one, { to: 'delivered@sandbox.test' }),
    ]);
    expect(codes(verdicts)).toEqual(['accepted', 'domain_not_verified', 'accepted', 'accepted']);
    expect([await rows('messages', one), await rows('messages', two)]).toEqual([2, 1]);
    expect([await usedBy(one), await usedBy(two)]).toEqual([1, 50]);
    expect(await rows('message_events', one)).toBe(2);
    expect(await rows('deliveries', one)).toBe(2);
    expect(await rows('message_recipients', two)).toBe(50);
  });

  it('charges the items of a batch one after the other, up to the last unit', async () => {
    const account = await newAccount();
    const full = Array.from({ length: 40 }, (_, index) => `r${index}@example.com`);
    const { verdicts } = await acceptMessages(options, [
      sendOf(account, { to: full }),
      sendOf(account, { to: full }),
      sendOf(account, { to: full }),
      sendOf(account, { to: full.slice(0, 20) }),
      sendOf(account),
    ]);
    expect(codes(verdicts)).toEqual(['accepted', 'accepted', 'quota_exceeded', 'accepted', 'quota_exceeded']);
    expect(verdicts.map((verdict) => verdict.kind === 'accepted' && verdict.quota.remaining)).toEqual([
      60,
      20,
      false,
      0,
      false,
    ]);
    expect(await usedBy(account)).toBe(100);
  });

  it('accepts one of two items that have the same idempotency key', async () => {
    const account = await newAccount();
    const { verdicts } = await acceptMessages(options, [sendOf(account, {}, 'k'), sendOf(account, {}, 'k')]);
    expect(codes(verdicts)).toEqual(['accepted', 'idempotency_in_progress']);
    expect(codes((await acceptMessages(options, [sendOf(account, {}, 'k')])).verdicts)).toEqual(['replayed']);
    expect(codes((await acceptMessages(options, [sendOf(account, { subject: 'o' }, 'k')])).verdicts)).toEqual([
      'idempotency_key_reused',
    ]);
    expect(await rows('messages', account)).toBe(1);
  });

  it('creates one message for one key, whichever of 50 racing transactions is first', {
    tags: ['contract-idempotency.replayed'],
  }, async () => {
    const account = await newAccount();
    const verdicts = (
      await Promise.all(Array.from({ length: 50 }, () => acceptMessages(options, [sendOf(account, {}, 'race')])))
    ).flatMap(({ verdicts: some }) => some);
    expect(codes(verdicts).filter((code) => code === 'accepted')).toHaveLength(1);
    expect(codes(verdicts).filter((code) => code === 'replayed')).toHaveLength(49);
    expect(new Set(verdicts.map((verdict) => verdict.kind === 'accepted' && verdict.id)).size).toBe(1);
    expect([await rows('messages', account), await usedBy(account)]).toEqual([1, 1]);
  });

  it('creates one message for one key in two processes in parallel', {
    tags: ['contract-idempotency.replayed'],
  }, async () => {
    const account = await newAccount();
    const queues = [0, 1].map(() =>
      createAcceptQueue({
        ...options,
        batchSql: options.sql,
        filesSql: options.sql,
        ids: createIdGenerator(),
        onAccepted: () => undefined,
      }),
    );
    const verdicts = await Promise.all(
      Array.from({ length: 50 }, (_, index) => queues[index % 2]?.accept(sendOf(account, {}, 'doors'))),
    );
    const ids = new Set(verdicts.flatMap((verdict) => (verdict?.kind === 'accepted' ? [verdict.id] : [])));
    expect(ids.size).toBe(1);
    expect(await rows('messages', account)).toBe(1);
  });

  it('rejects only what cannot be stored, with the reason; a request without a storable item fails', async () => {
    const account = await newAccount();
    const faults: unknown[] = [];
    const acceptQueue = createAcceptQueue({
      ...options,
      batchSql: options.sql,
      filesSql: options.sql,
      onAccepted: () => undefined,
      onFault: (error) => faults.push(error),
    });
    // The edge lets no such text pass; here it is an example of what the database rejects in one row.
    const broken = sendOf(account);
    const unstorable = { ...broken, content: { ...broken.content, text: 'a\u0000b' } };
    const verdicts = await acceptQueue.acceptBatch([sendOf(account), unstorable, sendOf(account)]);
    expect(codes(verdicts)).toEqual(['accepted', 'internal', 'accepted']);
    expect(faults).toHaveLength(1);
    expect([await rows('messages', account), await usedBy(account)]).toEqual([2, 2]);
    await expect(acceptQueue.acceptBatch([unstorable])).rejects.toThrow();
    expect(await acceptQueue.acceptBatch([])).toEqual([]);
  });

  it('never overdraws a quota, whichever of 64 racing transactions is first', {
    tags: ['contract-quota.exact'],
  }, async () => {
    const account = await newAccount();
    const three = { to: ['a@example.com', 'b@example.com', 'c@example.com'] };
    const verdicts = (
      await Promise.all(Array.from({ length: 64 }, () => acceptMessages(options, [sendOf(account, three)])))
    ).flatMap(({ verdicts: some }) => some);
    expect(codes(verdicts).filter((code) => code === 'accepted')).toHaveLength(33);
    expect(codes(verdicts).filter((code) => code === 'quota_exceeded')).toHaveLength(31);
    expect(await usedBy(account)).toBe(99);
    const charged = await sql`SELECT sum(charged)::int AS sum FROM messages WHERE account_id = ${account}`;
    expect(charged[0]?.['sum']).toBe(99);
    const remaining = verdicts.flatMap((verdict) => (verdict.kind === 'accepted' ? [verdict.quota.remaining] : []));
    expect(new Set(remaining).size).toBe(33);
  });

  it('checks every rule of sends that cost no quota, and stores only the accepted ones', async () => {
    const account = await newAccount();
    const free = { to: 'delivered@sandbox.test' };
    await sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${account}, ${account}, 'bounced@sandbox.test', 'manual', now())`;
    expect(codes((await acceptMessages(options, [sendOf(account, free, 'used')])).verdicts)).toEqual(['accepted']);
    for (const [send, code] of [
      [sendOf(account, { ...free, from: 'a@elsewhere.example' }), 'domain_not_verified'],
      [sendOf(account, { to: 'bounced@sandbox.test' }), 'recipient_suppressed'],
      [sendOf(account, free, 'used'), 'replayed'],
    ] as const) {
      const { verdicts } = await acceptMessages(options, [send]);
      expect(codes(verdicts)).toEqual([code]);
    }
    expect([await rows('messages', account), await usedBy(account)]).toEqual([1, 0]);
  });

  it('rejects the same sends whether it writes immediately or reads the facts first', async () => {
    const account = await newAccount();
    const other = await newAccount();
    await sql`UPDATE accounts SET suspended_at = now() WHERE id = ${other}`;
    await sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${account}, ${createIdGenerator().next(new Date())}, 'gone@example.com', 'manual', now())`;
    const sends = [
      sendOf(account, {}),
      sendOf(account, { to: ['Gone@Example.com'] }),
      sendOf(account, { from: 'a@unverified.example' }),
      sendOf(other, {}),
      sendOf(account, {}),
    ];
    const expected = ['accepted', 'recipient_suppressed', 'domain_not_verified', 'account_suspended', 'accepted'];
    for (const first of ['write', 'ask'] as const) {
      const { verdicts, unquestioned } = await acceptMessages(options, sends, first);
      expect(codes(verdicts), first).toEqual(expected);
      expect(unquestioned).toBe(false);
    }
    expect(await rows('messages', account)).toBe(4);
    expect(await acceptMessages(options, [sendOf(account, {})])).toMatchObject({ unquestioned: true });
  });

  it('accepts nothing of a batch that could not be written, and returns an error', async () => {
    const account = await newAccount();
    await sql`ALTER TABLE deliveries ADD CONSTRAINT never CHECK (account_id <> ${sql.unsafe(`'${account}'`)}) NOT VALID`;
    await expect(acceptMessages(options, [sendOf(account, {}, 'k')])).rejects.toMatchObject({ code: '23514' });
    await sql`ALTER TABLE deliveries DROP CONSTRAINT never`;
    for (const table of ['messages', 'message_events', 'message_recipients', 'idempotency_keys', 'quota_usage']) {
      expect(await rows(table, account), table).toBe(0);
    }
    expect(codes((await acceptMessages(options, [sendOf(account, {}, 'k')])).verdicts)).toEqual(['accepted']);
  });

  describe('a large batch, which charges the quota last,', () => {
    const large = { monthlyQuota: 300 };
    const manyOf = (account: string, count: number, key: string | null = null) =>
      Array.from({ length: count }, (_, n) => sendOf(account, {}, key === null ? null : `${key} ${n}`));
    const accept = async (sends: readonly ParsedSend[]) =>
      (await acceptMessages({ ...options, ...large }, sends)).verdicts;
    const acceptedOf = (verdicts: readonly SendVerdict[]) =>
      codes(verdicts).filter((code) => code === 'accepted').length;

    /** The beginnings of the statements that wait for a row. */
    const waitingStatements = async () => {
      const found = await sql<{ query: string }[]>`SELECT query FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event = 'transactionid'`;
      return found.map(({ query }) => query.trim().slice(0, 12));
    };

    it('returns what is left of the quota, and refuses what exceeds it', async () => {
      const account = await newAccount();
      const first = await accept(manyOf(account, 100));
      expect(first.map((verdict) => verdict.kind === 'accepted' && verdict.quota)).toEqual(
        Array.from({ length: 100 }, (_, n) => ({ limit: 300, remaining: 299 - n })),
      );
      expect(acceptedOf(await accept(manyOf(account, 100)))).toBe(100);
      expect(acceptedOf(await accept(manyOf(account, 70)))).toBe(70);
      const last = codes(await accept(manyOf(account, 80)));
      expect(last).toEqual([...Array(30).fill('accepted'), ...Array(50).fill('quota_exceeded')]);
      expect([await rows('messages', account), await usedBy(account)]).toEqual([300, 300]);
    });

    it('never overdraws a quota, beside other batches and single sends', {
      tags: ['contract-quota.exact'],
    }, async () => {
      const account = await newAccount();
      const batches = Array.from({ length: 8 }, (_, n) =>
        manyOf(account, n % 2 === 0 ? 90 : 1, n > 5 ? `k${n}` : null),
      );
      const verdicts = (await Promise.all([...batches, ...batches.slice(1, 2)].map(accept))).flat();
      expect(acceptedOf(verdicts)).toBe(300);
      expect(codes(verdicts).filter((code) => code === 'quota_exceeded')).toHaveLength(verdicts.length - 300);
      expect([await rows('messages', account), await usedBy(account)]).toEqual([300, 300]);
    });

    it('returns the reason for a refused item, whichever of its statements fails first', async () => {
      const account = await newAccount();
      for (let n = 0; n < 10; n += 1) {
        const unverified = sendOf(account, { from: 'a@elsewhere.example', to: 'delivered@sandbox.test' });
        const free = Array.from({ length: 63 }, () => sendOf(account, { to: 'delivered@sandbox.test' }));
        const [first, ...others] = codes(await accept([unverified, ...free, sendOf(account)]));
        expect([first, new Set(others)]).toEqual(['domain_not_verified', new Set(['accepted'])]);
      }
    });

    it('charges each of its accounts', async () => {
      const [one, two] = [await newAccount(), await newAccount()];
      for (const count of [100, 100, 70]) await accept(manyOf(two, count));
      const verdicts = codes(await accept([...manyOf(one, 40), ...manyOf(two, 40)]));
      expect(verdicts).toEqual([
        ...Array(40).fill('accepted'),
        ...Array(30).fill('accepted'),
        ...Array(10).fill('quota_exceeded'),
      ]);
      expect([await usedBy(one), await usedBy(two), await rows('messages', one)]).toEqual([40, 300, 40]);
    });

    it('is written while another batch of the account has charged it and is not committed', async () => {
      const account = await newAccount();
      await accept(manyOf(account, 1));
      const done = await sql.begin(async (other) => {
        await other`UPDATE quota_usage SET used = used + 1 WHERE account_id = ${account}`;
        const accepting = accept(manyOf(account, 100));
        // The messages are written: only the charge waits.
        await expect.poll(waitingStatements).toEqual(['WITH charges']);
        return { accepting };
      });
      expect(acceptedOf(await done.accepting)).toBe(100);
      expect([await rows('messages', account), await usedBy(account)]).toEqual([101, 102]);
    });

    it('does not lock rows in another order than other batches if it writes idempotency keys', async () => {
      const account = await newAccount();
      await accept(manyOf(account, 1));
      const done = await sql.begin(async (other) => {
        await other`UPDATE quota_usage SET used = used + 1 WHERE account_id = ${account}`;
        const accepting = accept(manyOf(account, 100, 'k'));
        await expect.poll(waitingStatements).toEqual(['WITH input A']);
        // It has not written its keys yet, so another transaction can.
        await other`INSERT INTO idempotency_keys (account_id, key_id, key, fingerprint, message_id, created_at)
          VALUES (${account}, ${account}, 'k 0', 'f', ${account}, now())`;
        return { accepting };
      });
      expect(codes(await done.accepting)[0]).toBe('idempotency_key_reused');
      expect([await rows('messages', account), await usedBy(account)]).toEqual([100, 101]);
    });

    it('is not charged outside of the transaction that writes it', async () => {
      const account = await newAccount();
      const charge = { account_id: account, units: 1, items: [0], message_id: account };
      const given = { charges: JSON.stringify([charge]), month: '2026-11-01', monthlyQuota: 300 };
      await expect(chargeQuota(sql, given)).rejects.toMatchObject({ code: '22012' });
      await expect(sql.together((query) => chargeQuota(query, given))).rejects.toMatchObject({ code: '22012' });
      expect(await usedBy(account)).toBe(0);
    });

    it('accepts nothing if it could not be charged, and returns an error', async () => {
      const account = await newAccount();
      await sql`ALTER TABLE quota_usage ADD CONSTRAINT never CHECK (account_id <> ${sql.unsafe(`'${account}'`)}) NOT VALID`;
      await expect(accept(manyOf(account, 100))).rejects.toMatchObject({ code: '23514' });
      await sql`ALTER TABLE quota_usage DROP CONSTRAINT never`;
      expect([await rows('messages', account), await usedBy(account)]).toEqual([0, 0]);
      expect(acceptedOf(await accept(manyOf(account, 100)))).toBe(100);
    });

    it('is written once and charged once if the driver repeats a statement whose plan is no longer valid', async () => {
      const account = await newAccount();
      const one = tagged(openDatabase({ target: database.target, maxConnections: 2, applicationName: 'tests' }));
      const queue = createAcceptQueue({
        ...{ ...options, ...large, sql: one, batchSql: one, filesSql: one },
        onAccepted: () => undefined,
      });
      try {
        for (const type of ['bigint', 'integer']) {
          expect(acceptedOf(await queue.acceptBatch(manyOf(account, 70)))).toBe(70);
          await sql`ALTER TABLE quota_usage ALTER COLUMN used TYPE ${sql.unsafe(type)}`;
          expect(acceptedOf(await queue.acceptBatch(manyOf(account, 70)))).toBe(70);
        }
      } finally {
        await one.end();
      }
      expect([await rows('messages', account), await usedBy(account)]).toEqual([280, 280]);
    });
  });
});
