import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { failedItemsOf } from '../../packages/server/src/db/queries/failed-items.ts';
import type { NewHold } from '../../packages/server/src/db/queries/insert-holds.ts';
import { insertMessages, type SenderFact } from '../../packages/server/src/db/queries/insert-messages.ts';
import { toNewMessage } from '../../packages/server/src/sending/message-rows.ts';
import { costOf } from '../../packages/server/src/sending/parsed-send.ts';
import { quotaMonth } from '../../packages/server/src/sending/quota.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../harness/plain-send.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

describe('a batch that the statement rejects', () => {
  let database: TestDatabase;
  const ids = createIdGenerator();
  const now = new Date();
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function newSender(): Promise<{ readonly accountId: string; readonly keyId: string }> {
    const { sql } = database;
    const { accountId } = await createAccount({ sql, clock: systemClock, ids }, { name: 'A', ownerEmail: 'a@b.co' });
    const [key] = await sql<{ id: string }[]>`SELECT id FROM api_keys WHERE account_id = ${accountId} AND NOT is_seat`;
    return { accountId, keyId: key?.id ?? '' };
  }

  const newHold = (): NewHold => ({
    ...{ id: ids.next(now), event_id: ids.next(now), reasons: ['always'], content_hash: '', way: 'rest' },
    ...{ expires_at: new Date(now.getTime() + 60_000), remind_at: now },
  });

  function toMessage(
    sender: Awaited<ReturnType<typeof newSender>>,
    changes: object = {},
    key: string | null = null,
    hold: NewHold | null = null,
  ) {
    const input = { from: 'a@sandbox.test', to: 'x@example.com', subject: 's', text: 't', ...changes };
    const send = {
      ...plainSend(sender, input),
      idempotency: key === null ? null : { key, fingerprint: 'f' },
    };
    const options = { ids, sandboxDomain: 'sandbox.test' };
    return toNewMessage({ send, id: ids.next(now), cost: costOf(send, 'sandbox.test') }, hold, now, options);
  }

  type Batch = readonly ReturnType<typeof toMessage>[];
  type Charge = Parameters<typeof insertMessages>[2][number];

  async function failuresOf(messages: Batch, charges: readonly Charge[], sent: object[] = []) {
    const options = {
      ...{ now, month: quotaMonth(now), monthlyQuota: 10, idempotencyHorizon: new Date(0) },
      sendCharges: sent.map((charge) => ({
        period: 'day' as const,
        starts_at: now,
        account_id: '',
        key_id: '',
        sends: 1,
        allowed: 0,
        items: [],
        ...charge,
      })),
    };
    const error: unknown = await insertMessages(database.sql, messages, charges, options).catch((thrown) => thrown);
    const failed = failedItemsOf(error) ?? [];
    return failed.map(({ item, rule }) => `${item} ${rule}`).toSorted();
  }

  function chargeOf(account_id: string, units = 1, domains: string[] = [], senders: SenderFact[] = []): Charge {
    return { account_id, units, domains, senders };
  }

  it('names each item that failed with its rule, and no other', async () => {
    const { sql } = database;
    const [good, suspended] = [await newSender(), await newSender()];
    await sql`UPDATE accounts SET suspended_at = now() WHERE id = ${suspended.accountId}`;
    await sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${good.accountId}, ${ids.next(now)}, 'gone@example.com', 'manual', now())`;
    expect(await failuresOf([toMessage(good, {}, 'taken')], [chargeOf(good.accountId)])).toEqual([]);
    const batch = [
      toMessage(good),
      toMessage(suspended),
      toMessage(good, { to: 'Gone@Example.com' }),
      toMessage(good, { from: 'a@other.example' }),
      toMessage(good, {}, 'taken'),
      toMessage(good, {}, 'free'),
    ];
    const charges = [chargeOf(good.accountId, 5, ['other.example']), chargeOf(suspended.accountId)];
    expect(await failuresOf(batch, charges)).toEqual(['1 account', '2 suppression', '3 domain', '4 idempotency']);
    const rows = await sql`SELECT FROM messages WHERE account_id IN (${good.accountId}, ${suspended.accountId})`;
    expect(rows).toHaveLength(1);
  });

  it('names all items of an account whose quota is too small, and those that a send limit counts', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const batch = [toMessage(one), toMessage(two), toMessage(one)];
    expect(await failuresOf(batch, [chargeOf(one.accountId, 11), chargeOf(two.accountId)])).toEqual([
      '0 quota',
      '2 quota',
    ]);
    const limit = { account_id: one.accountId, key_id: one.keyId, items: [2] };
    expect(await failuresOf(batch, [chargeOf(one.accountId), chargeOf(two.accountId)], [limit])).toEqual([
      '2 sendLimit',
    ]);
  });

  it('names the items of a key that has changed since they were judged', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const batch = [toMessage(one), toMessage(two)];
    const charges = (fact: object) => [
      chargeOf(one.accountId, 1, [], [{ k: one.keyId, v: 1 }]),
      chargeOf(two.accountId, 1, [], [{ k: two.keyId, v: 1, ...fact }]),
    ];
    expect(await failuresOf(batch, charges({ v: 2 }))).toEqual(['1 key']);
    expect(await failuresOf(batch, charges({ e: new Date(now.getTime() - 1) }))).toEqual(['1 key']);
    expect(await failuresOf(batch, charges({ s: ids.next(now) }))).toEqual(['1 key']);
    expect(await failuresOf(batch, charges({}))).toEqual([]);
  });

  it('names the held items of a key that was revoked or has too many holds, and of an account above its reserve', async () => {
    const { sql } = database;
    const senders = [await newSender(), await newSender(), await newSender(), await newSender()] as const;
    const [good, revoked, full, reserving] = senders;
    const free = { to: 'x@sandbox.test' };
    const held = (sender: (typeof senders)[number], changes: object = free) =>
      toMessage(sender, changes, null, newHold());
    const charges = senders.map(({ accountId }) => chargeOf(accountId));
    await sql`UPDATE api_keys SET revoked_at = now() WHERE id = ${revoked.keyId}`;
    await sql`
      INSERT INTO approvals (account_id, id, message_id, key_id, status, reasons, content_hash, created_at, expires_at)
      SELECT ${full.accountId}, gen_random_uuid(), gen_random_uuid(), ${full.keyId}, 'pending', '{always}', '', now(), now() + interval '1 day'
      FROM generate_series(1, 999)`;
    const batch = [held(good), held(revoked), held(full), held(good), held(full)];
    expect(await failuresOf(batch, charges)).toEqual(['1 key', '2 heldPerKey', '4 heldPerKey']);
    // Of a quota of 10, two may be reserved; what costs nothing reserves nothing.
    const beyond = [held(reserving), held(good, {}), held(reserving, {}), held(reserving, {}), held(reserving, {})];
    expect(await failuresOf(beyond, charges)).toEqual(['2 heldQuota', '3 heldQuota', '4 heldQuota']);
    const pending = await sql`SELECT FROM approvals WHERE account_id IN (${good.accountId}, ${reserving.accountId})`;
    expect(pending).toHaveLength(0);
    expect(await failuresOf([held(good, {}), held(good, {}), held(full)], charges)).toEqual([]);
  });
});
