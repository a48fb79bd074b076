import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { insertMessages } from '../../packages/server/src/db/queries/insert-messages.ts';
import { toLists } from '../../packages/server/src/db/queries/message-lists.ts';
import { toNewMessage } from '../../packages/server/src/sending/message-rows.ts';
import { costOf } from '../../packages/server/src/sending/parsed-send.ts';
import { quotaMonth } from '../../packages/server/src/sending/quota.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { plainSend } from '../harness/plain-send.ts';
import { createTestDatabase, type TestDatabase } from '../harness/test-database.ts';

const NOW = new Date();
const ids = createIdGenerator();

interface Sender {
  readonly accountId: string;
  readonly keyId: string;
}

function toMessage(sender: Sender, input: object, byDomain = false) {
  const send = plainSend(sender, { from: 'Shop <a@sandbox.test>', subject: 's', text: 't', ...input });
  const options = { ids, sandboxDomain: 'sandbox.test', byDomain };
  return toNewMessage({ send, id: ids.next(NOW), cost: costOf(send, 'sandbox.test') }, null, NOW, options);
}

type Batch = readonly ReturnType<typeof toMessage>[];

describe('a batch of messages', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  async function newSender(): Promise<Sender> {
    const { sql } = database;
    const { accountId } = await createAccount({ sql, clock: systemClock, ids }, { name: 'A', ownerEmail: 'a@b.co' });
    const [key] = await sql<{ id: string }[]>`SELECT id FROM api_keys WHERE account_id = ${accountId} AND NOT is_seat`;
    return { accountId, keyId: key?.id ?? '' };
  }

  async function write(messages: Batch): Promise<void> {
    const accounts = new Set(messages.map(({ row }) => row.account_id));
    const charges = [...accounts].map((account_id) => ({ account_id, units: 1, domains: [], senders: [] }));
    await insertMessages(database.sql, messages, charges, {
      ...{ now: NOW, month: quotaMonth(NOW), monthlyQuota: 1_000, idempotencyHorizon: new Date(0), sendCharges: [] },
    });
  }

  /** What is stored of each message, in the order of the batch. */
  async function stored(messages: Batch): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { sql } = database;
    return await sql<Readonly<Record<string, unknown>>[]>`
      SELECT m.account_id AS account, m.key_id AS key, m.from_given AS "from", m.to_line AS "to",
        (SELECT json_agg(concat_ws(' ', r.ordinal, r.kind, r.name, r.email, r.status) ORDER BY r.ordinal) FROM message_recipients r
          WHERE r.account_id = m.account_id AND r.message_id = m.id) AS recipients,
        (SELECT json_agg(concat_ws(' ', d.route, d.destination, d.ordinals, d.bytes) ORDER BY d.ordinals) FROM deliveries d
          WHERE d.account_id = m.account_id AND d.message_id = m.id) AS deliveries
      FROM messages m WHERE m.id = ANY (${messages.map(({ row }) => row.id)}) ORDER BY m.id`;
  }

  it('stores one recipient and several, of several senders, each with its own deliveries', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const messages = [
      toMessage(one, { to: 'Ana <Ana@example.com>' }),
      toMessage(two, { to: 'b@sandbox.test', from: 'b@sandbox.test' }),
      toMessage(one, { to: ['Bo <c@x.example>', 'd@sandbox.test'], cc: 'e@y.example', html: '<p>é</p>' }),
      toMessage(one, { to: 'f@x.example' }),
      toMessage(two, { to: 'g@x.example', html: '<p>1</p>' }, true),
      toMessage(two, { to: 'h@x.example', bcc: 'i@y.example' }, true),
    ];
    await write(messages);
    const [own, other] = [
      { account: one.accountId, key: one.keyId, from: 'Shop <a@sandbox.test>' },
      { account: two.accountId, key: two.keyId, from: 'Shop <a@sandbox.test>' },
    ];
    expect(await stored(messages)).toEqual([
      {
        ...own,
        to: 'Ana@example.com',
        recipients: ['0 to Ana Ana@example.com queued'],
        deliveries: ['outbound  {0} 1'],
      },
      {
        ...{ ...other, from: 'b@sandbox.test', to: 'b@sandbox.test' },
        ...{ recipients: ['0 to b@sandbox.test queued'], deliveries: ['sandbox  {0} 1'] },
      },
      {
        ...{ ...own, to: 'c@x.example, d@sandbox.test' },
        recipients: ['0 to Bo c@x.example queued', '1 to d@sandbox.test queued', '2 cc e@y.example queued'],
        deliveries: ['outbound  {0,2} 10', 'sandbox  {1} 10'],
      },
      { ...own, to: 'f@x.example', recipients: ['0 to f@x.example queued'], deliveries: ['outbound  {0} 1'] },
      {
        ...other,
        to: 'g@x.example',
        recipients: ['0 to g@x.example queued'],
        deliveries: ['outbound x.example {0} 9'],
      },
      {
        ...{ ...other, to: 'h@x.example', recipients: ['0 to h@x.example queued', '1 bcc i@y.example queued'] },
        deliveries: ['outbound x.example {0} 1', 'outbound y.example {1} 1'],
      },
    ]);
  });

  it('sends a message with one recipient as one object, without what it shares with others', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const lists = toLists([toMessage(one, { to: 'a@x.example' }), toMessage(one, { to: 'b@x.example' })], false);
    expect({ recipients: lists.recipients, deliveries: lists.deliveries }).toEqual({
      recipients: null,
      deliveries: null,
    });
    expect(JSON.parse(lists.shared)).toHaveLength(1);
    expect(JSON.parse(lists.messages)).toEqual([
      { ...{ o: 0, g: 0, to_line: 'a@x.example', subject: 's', b: 1 }, ...anyIds() },
      { ...{ o: 1, g: 0, to_line: 'b@x.example', subject: 's', b: 1 }, ...anyIds() },
    ]);
    const mixed = toLists(
      [one, two, one].map((sender) => toMessage(sender, { to: 'a@x.example' })),
      false,
    );
    expect(JSON.parse(mixed.messages).map(({ g }: { g: number }) => g)).toEqual([0, 1, 0]);
  });
});

function anyIds(): object {
  return { id: expect.any(String), event_id: expect.any(String), d: expect.any(String) };
}
