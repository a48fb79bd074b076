import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAccount } from '../../packages/server/src/accounts/create-account.ts';
import { systemClock } from '../../packages/server/src/clock.ts';
import { openDatabase, type Pool } from '../../packages/server/src/db/client.ts';
import type { NewHold } from '../../packages/server/src/db/queries/insert-holds.ts';
import { insertMessages } from '../../packages/server/src/db/queries/insert-messages.ts';
import { type NewMessage, SHARED, toLists } from '../../packages/server/src/db/queries/message-lists.ts';
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

function toMessage(sender: Sender, input: object, { byDomain = false, scheduledAt = null as Date | null } = {}) {
  const plain = plainSend(sender, { from: 'Shop <a@sandbox.test>', subject: 's', text: 't', ...input });
  const send = { ...plain, content: { ...plain.content, scheduledAt } };
  const options = { ids, sandboxDomain: 'sandbox.test', byDomain };
  return toNewMessage({ send, id: ids.next(NOW), cost: costOf(send, 'sandbox.test') }, null, NOW, options);
}

function toHeld(message: NewMessage): NewMessage {
  const hold: NewHold = {
    ...{ id: ids.next(NOW), event_id: ids.next(NOW), reasons: ['always'], content_hash: '', way: 'rest' },
    ...{ expires_at: new Date(NOW.getTime() + 60_000), remind_at: NOW },
  };
  return { ...message, deliveries: [], hold };
}

/** With its only recipient in another field, as over SMTP. */
function withOnly(kind: 'cc' | 'bcc', message: NewMessage): NewMessage {
  const recipients = message.recipients.map((recipient) => ({ ...recipient, kind }));
  return { ...message, row: { ...message.row, to_line: '' }, recipients };
}

type Batch = readonly NewMessage[];

describe('a batch of messages', () => {
  let database: TestDatabase;
  let keeping: Pool;
  beforeAll(async () => {
    database = await createTestDatabase();
    // As in the product.
    keeping = openDatabase({ target: database.target, maxConnections: 2, applicationName: 'tests', keepPlans: true });
  });
  afterAll(async () => {
    await keeping.end({ timeout: 1 });
    await database.drop();
  });

  async function newSender(): Promise<Sender> {
    const { sql } = database;
    const { accountId } = await createAccount({ sql, clock: systemClock, ids }, { name: 'A', ownerEmail: 'a@b.co' });
    const [key] = await sql<{ id: string }[]>`SELECT id FROM api_keys WHERE account_id = ${accountId} AND NOT is_seat`;
    return { accountId, keyId: key?.id ?? '' };
  }

  async function write(messages: Batch): Promise<void> {
    const accounts = new Set(messages.map(({ row }) => row.account_id));
    const charges = [...accounts].map((account_id) => ({ account_id, units: 1, domains: [], senders: [] }));
    await insertMessages(keeping, messages, charges, {
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
          WHERE d.account_id = m.account_id AND d.message_id = m.id) AS deliveries,
        (SELECT json_agg(concat_ws(' ', e.seq, e.type, e.detail) ORDER BY e.seq) FROM message_events e
          WHERE e.account_id = m.account_id AND e.message_id = m.id) AS events
      FROM messages m WHERE m.id = ANY (${messages.map(({ row }) => row.id)}) ORDER BY m.id`;
  }

  it('stores one recipient and several, of several senders, each with its own deliveries', async () => {
    const [one, two] = [await newSender(), await newSender()];
    const messages = [
      toMessage(one, { to: 'Ana <Ana@example.com>' }),
      toMessage(two, { to: 'b@sandbox.test', from: 'b@sandbox.test' }),
      toMessage(one, { to: ['Bo <c@x.example>', 'd@sandbox.test'], cc: 'e@y.example', html: '<p>é</p>' }),
      toMessage(one, { to: 'f@x.example' }),
      toMessage(two, { to: 'g@x.example', html: '<p>1</p>' }, { byDomain: true }),
      toMessage(two, { to: 'h@x.example', bcc: 'i@y.example' }, { byDomain: true }),
    ];
    await write(messages);
    const both = { from: 'Shop <a@sandbox.test>', events: ['1 queued'] };
    const [own, other] = [
      { ...both, account: one.accountId, key: one.keyId },
      { ...both, account: two.accountId, key: two.keyId },
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

  it('stores held and queued ones, scheduled ones, and those with a recipient only in a copy', async () => {
    const one = await newSender();
    const scheduledAt = new Date(NOW.getTime() + 3_600_000);
    const messages = [
      toHeld(toMessage(one, { to: 'a@x.example' })),
      toMessage(one, { to: 'b@x.example' }),
      toHeld(toMessage(one, { to: ['c@x.example', 'd@x.example'] })),
      toMessage(one, { to: 'e@x.example' }, { scheduledAt }),
      withOnly('cc', toMessage(one, { to: 'f@x.example' })),
      withOnly('bcc', toMessage(one, { to: 'g@x.example' })),
    ];
    await write(messages);
    const rows = await stored(messages);
    expect(rows.map(({ to, recipients, deliveries, events }) => ({ to, recipients, deliveries, events }))).toEqual([
      {
        ...{ to: 'a@x.example', recipients: ['0 to a@x.example pending_approval'], deliveries: null },
        events: ['1 pending_approval always'],
      },
      {
        ...{ to: 'b@x.example', recipients: ['0 to b@x.example queued'], deliveries: ['outbound  {0} 1'] },
        events: ['1 queued'],
      },
      {
        ...{ to: 'c@x.example, d@x.example', deliveries: null, events: ['1 pending_approval always'] },
        recipients: ['0 to c@x.example pending_approval', '1 to d@x.example pending_approval'],
      },
      {
        ...{ to: 'e@x.example', recipients: ['0 to e@x.example queued'], deliveries: ['outbound  {0} 1'] },
        events: ['1 queued', '2 scheduled'],
      },
      { to: '', recipients: ['0 cc f@x.example queued'], deliveries: ['outbound  {0} 1'], events: ['1 queued'] },
      { to: '', recipients: ['0 bcc g@x.example queued'], deliveries: ['outbound  {0} 1'], events: ['1 queued'] },
    ]);
    const { sql } = database;
    const due =
      await sql`SELECT next_at FROM deliveries WHERE account_id = ${one.accountId} AND message_id = ${messages[3]?.row.id ?? ''}`;
    expect(due).toEqual([{ next_at: scheduledAt }]);
  });

  it('stores a large one, which charges the quota last, completely', async () => {
    const one = await newSender();
    const messages = Array.from({ length: 80 }, (_, n) =>
      toMessage(one, { to: n % 10 === 0 ? [`a${n}@x.example`, `b${n}@x.example`] : `a${n}@x.example` }),
    );
    await write(messages);
    const rows = await stored(messages);
    expect(rows.map(({ to }) => to)).toEqual(messages.map(({ row }) => row.to_line));
    expect(rows.filter(({ recipients }) => (recipients as string[]).length === 2)).toHaveLength(8);
    expect(rows.filter(({ deliveries }) => deliveries === null)).toEqual([]);
  });

  it('shares values only between messages that have the same', async () => {
    const one = await newSender();
    const message = toMessage(one, { to: 'a@x.example' });
    const changes: Readonly<Record<string, Partial<NewMessage['row']>>> = {
      account_id: { account_id: ids.next(NOW) },
      key_id: { key_id: ids.next(NOW) },
      asked_by: { asked_by: ids.next(NOW) },
      from_given: { from_given: 'b@sandbox.test' },
      from_domain: { from_domain: 'x.example' },
      channel: { channel: 'smtp' },
      source: { source: 'automation' },
      agent_name: { agent_name: 'another' },
      charged: { charged: 7 },
      expires_at: { expires_at: new Date(0) },
    };
    const others = Object.values(changes).map((change) => ({ ...message, row: { ...message.row, ...change } }));
    const deliveries = message.deliveries.map((delivery) => ({ ...delivery, route: 'sandbox' }));
    const { shared } = toLists([message, ...others, { ...message, deliveries }, message], false);
    expect(JSON.parse(shared)).toHaveLength(1 + Object.keys(SHARED).length - 1);
    expect(Object.keys(changes).concat('g', 'r').toSorted()).toEqual(Object.keys(SHARED).toSorted());
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
