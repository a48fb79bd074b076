import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { makeReceiptKey } from '../../packages/server/src/receipts/receipt-key.ts';
import { signReceipt } from '../../packages/server/src/receipts/receipt-token.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { makeSigner } from '../receipts/changed-receipts.ts';
import { decide, decidingKey, holdingKey } from './approving.ts';

const PDF = Buffer.from('%PDF-1.4 invoice').toString('base64');

const MESSAGE = {
  from: 'Ada Lovelace <ada@example.com>',
  to: ['Zoë Ünal <zoe@receiver.example>', 'bob@receiver.example'],
  cc: 'carol@receiver.example',
  bcc: 'dan@receiver.example',
  reply_to: 'Help <help@example.com>',
  subject: 'Invoice 7 — für Zoë',
  html: '<p>Hi,\n<a href="https://shop.example/pay?a=1&amp;b=2">pay</a> or <a href="{{unsubscribe_url}}">unsubscribe</a></p>',
  text: 'Hi,\r\npay at https://shop.example/pay',
  headers: { 'X-Order': '7' },
  attachments: [{ filename: 'rechnung-für-zoë.pdf', content: PDF }],
};

describe('delivery of approved messages', () => {
  let server: TestApp;
  let sink: SmtpSink;
  let agent: string;
  let decider: string;
  const logged: string[] = [];
  beforeAll(async () => {
    sink = await startSmtpSink();
    server = await startTestApp({
      settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` },
      log: { write: (line) => logged.push(line) },
    });
    await server.addDomain('example.com');
    ({ key: agent } = await holdingKey(server));
    decider = await decidingKey(server);
    await server.call('PATCH', '/account', { body: { trackOpens: true, trackClicks: true } });
  });
  afterAll(async () => {
    await server.close();
    await sink.close();
  });

  /** Sends a message for in an hour, and approves it. */
  async function approved(body: Readonly<Record<string, unknown>> = {}, edits?: unknown) {
    const sent = await server.send({ ...MESSAGE, scheduled_at: 'PT1H', ...body }, { key: agent });
    expect(sent.status).toBe(202);
    const { id, approvalId } = sent.body;
    const decision = { decision: 'approve', ...(edits === undefined ? {} : { edits }) };
    const { status, body: hold } = await decide(server, decider, approvalId, decision);
    expect([status, hold.outcome]).toEqual([200, 'queued']);
    return { id, approvalId } as { readonly id: string; readonly approvalId: string };
  }

  async function deliver(id: string) {
    const before = sink.messages.length;
    server.clock.advance(3_700_000);
    await server.pump();
    const { body } = await server.settled(id);
    return { email: body, left: sink.messages.slice(before) };
  }

  it('sends what was approved, with tracked links, an image and unsubscribe links', {
    tags: ['receipts.delivered'],
  }, async () => {
    const { id } = await approved({ unsubscribe: true });
    const { email, left } = await deliver(id);
    expect(email.status).toBe('sent');
    expect(left.length).toBe(4);
    expect(left[0]?.raw.toString()).toContain('/t/c/');
  });

  it('sends what was edited by the approver', async () => {
    const { id } = await approved(
      {},
      { subject: 'Edited', html: '<p>Edited <a href="https://shop.example/">x</a></p>' },
    );
    const { email, left } = await deliver(id);
    expect(email.status).toBe('sent');
    expect(left[0]?.raw.toString()).toContain('Subject: Edited');
  });

  it('sends a message whose time was changed after the approval', async () => {
    const { id } = await approved();
    const moved = await server.call('PATCH', `/emails/${id}`, { body: { scheduled_at: 'PT30M' } });
    expect(moved.status).toBe(200);
    expect((await deliver(id)).email.status).toBe('sent');
  });

  it('compares large messages too, in a thread of their own', { tags: ['receipts.delivered'] }, async () => {
    const attachments = [{ filename: 'photo.jpg', content: randomBytes(2_000_000).toString('base64') }];
    const sent = await approved({ attachments });
    const { email, left } = await deliver(sent.id);
    expect([email.status, left[0]?.raw.length]).toEqual(['sent', expect.any(Number)]);
    expect(left[0]?.raw.length).toBeGreaterThan(2_000_000);
    const { id } = await approved({ attachments });
    await server.database
      .sql`UPDATE message_attachments SET content = overlay(content PLACING 'x'::bytea FROM 1000000) WHERE message_id = ${id}`;
    expect(await deliver(id)).toMatchObject({ email: { status: 'failed' }, left: [] });
  });

  const bodies = (column: string, text: string) => async (id: string) => {
    const { sql } = server.database;
    await sql`UPDATE message_bodies SET ${sql(column)} = ${text} WHERE message_id = ${id}`;
  };
  const ofMessage = (column: string, text: string) => async (id: string) => {
    const { sql } = server.database;
    await sql`UPDATE messages SET ${sql(column)} = ${text} WHERE id = ${id}`;
  };
  const sqlOf = () => server.database.sql;

  /** What someone with the database can change between the approval and the delivery. */
  const TAMPERINGS: Readonly<Record<string, (id: string, approvalId: string) => Promise<unknown>>> = {
    'the HTML': bodies('html', '<p>Pay <a href="https://evil.example/">here</a></p>'),
    'the text': bodies('text', 'Pay at https://evil.example'),
    'the subject': ofMessage('subject', 'Urgent'),
    'the sender': ofMessage('from_given', 'The Boss <ada@example.com>'),
    'the reply address': ofMessage('reply_to', 'evil@elsewhere.example'),
    'a header': async (id) =>
      await sqlOf()`UPDATE message_bodies SET headers = headers || '{"X-Evil": "1"}' WHERE message_id = ${id}`,
    'a recipient': async (id) =>
      await sqlOf()`UPDATE message_recipients SET email = 'evil@elsewhere.example' WHERE message_id = ${id} AND ordinal = 1`,
    'a blind copy': async (id) =>
      await sqlOf()`UPDATE message_recipients SET email = 'evil@elsewhere.example' WHERE message_id = ${id} AND kind = 'bcc'`,
    'the name of a recipient': async (id) =>
      await sqlOf()`UPDATE message_recipients SET name = 'Someone else' WHERE message_id = ${id} AND ordinal = 0`,
    'a visible recipient into a blind one': async (id) =>
      await sqlOf()`UPDATE message_recipients SET kind = 'bcc' WHERE message_id = ${id} AND ordinal = 1`,
    'an added recipient': async (id) => {
      const { accountId } = server;
      await sqlOf()`INSERT INTO message_recipients (account_id, message_id, ordinal, kind, name, email, status)
        VALUES (${accountId}, ${id}, 9, 'bcc', NULL, 'evil@elsewhere.example', 'queued')`;
      await sqlOf()`UPDATE deliveries SET ordinals = ordinals || 9::smallint WHERE message_id = ${id}`;
    },
    'a removed recipient': async (id) =>
      await sqlOf()`DELETE FROM message_recipients WHERE message_id = ${id} AND kind = 'cc'`,
    'the bytes of a file': async (id) =>
      await sqlOf()`UPDATE message_attachments SET content = 'other'::bytea, size = 5 WHERE message_id = ${id}`,
    'the name of a file': async (id) =>
      await sqlOf()`UPDATE message_attachments SET filename = 'evil.pdf' WHERE message_id = ${id}`,
    'unsubscribe links': async (id) => await sqlOf()`UPDATE messages SET unsubscribe = true WHERE id = ${id}`,
    'the text, and the stored hash with it': async (id, approvalId) => {
      await bodies('text', 'Pay at https://evil.example')(id);
      await sqlOf()`UPDATE approvals SET content_hash = ${'0'.repeat(64)} WHERE id = ${approvalId}`;
    },
    'the receipt: removed': async (_id, approvalId) =>
      await sqlOf()`DELETE FROM approval_receipts WHERE approval_id = ${approvalId}`,
    'the receipt: that of another message': async (_id, approvalId) => {
      const other = await approved();
      await sqlOf()`UPDATE approval_receipts r SET receipt = o.receipt FROM approval_receipts o
        WHERE r.approval_id = ${approvalId} AND o.approval_id = ${other.approvalId}`;
      await server.call('DELETE', `/emails/${other.id}`);
    },
    'the receipt: one byte of it': async (_id, approvalId) =>
      await sqlOf()`UPDATE approval_receipts SET receipt = overlay(receipt PLACING
        CASE substr(receipt, length(receipt) - 9, 1) WHEN 'A' THEN 'B' ELSE 'A' END FROM length(receipt) - 9)
        WHERE approval_id = ${approvalId}`,
  };

  it.each(Object.entries(TAMPERINGS))(
    'sends nothing if the database changes %s',
    {
      tags: ['receipts.tampered', 'holes.approved-bytes'],
    },
    async (_name, tamper) => {
      const { id, approvalId } = await approved({ text: `Hi ${Math.random()}` });
      await tamper(id, approvalId);
      const alarms = logged.length;
      const { email, left } = await deliver(id);
      expect(left).toEqual([]);
      expect(email.status).toBe('failed');
      expect(email.lastError).toMatch(/nothing was sent/);
      const { body } = await server.call('GET', `/audit?action=approval.breached&limit=1`);
      expect(body.entries[0]).toMatchObject({ actor: 'system', targetId: approvalId, details: { emailId: id } });
      expect(logged.slice(alarms).join('')).toContain('stopped a held message');
    },
  );

  it('sends nothing if the content was changed while it was held', { tags: ['receipts.tampered'] }, async () => {
    const { body } = await server.send({ ...MESSAGE, to: 'ann@receiver.example' }, { key: agent });
    await bodies('text', 'Pay at https://evil.example')(body.id);
    await decide(server, decider, body.approvalId);
    const { email, left } = await deliver(body.id);
    expect([email.status, left]).toEqual(['failed', []]);
  });

  it('sends nothing by a receipt and a key that someone added to the database', {
    tags: ['receipts.tampered', 'holes.approved-bytes'],
  }, async () => {
    const { sql } = server.database;
    const { id, approvalId } = await approved({ to: 'ann@receiver.example' });
    await bodies('text', 'Pay at https://evil.example')(id);
    const [row] = await sql<
      { receipt: string }[]
    >`SELECT receipt FROM approval_receipts WHERE approval_id = ${approvalId}`;
    const own = makeSigner();
    const claims = JSON.parse(Buffer.from(row?.receipt.split('.')[1] ?? '', 'base64url').toString());
    const forged = signReceipt(own.kid, own.privateKey, { ...claims, contentHash: 'whatever the content has now' });
    await sql`UPDATE approval_receipts SET receipt = ${forged} WHERE approval_id = ${approvalId}`;
    const sealed = makeReceiptKey(createSecretBox(randomBytes(32)));
    await sql`INSERT INTO receipt_keys (id, sealed, created_at, retired_at) VALUES (gen_random_uuid(), ${sealed}, now(), now())`;
    const before = sink.messages.length;
    server.clock.advance(3_700_000);
    await server.pump();
    await vi.waitUntil(async () => (await server.call('GET', `/emails/${id}`)).body.status === 'deferred', {
      timeout: 10_000,
    });
    expect(sink.messages.length).toBe(before);
    await sql`DELETE FROM receipt_keys WHERE retired_at IS NOT NULL`;
  });

  it('sends nothing of a held message that no one approved, or that was rejected', async () => {
    for (const decision of [null, 'reject']) {
      const { body } = await server.send({ to: 'ann@receiver.example' }, { key: agent });
      if (decision !== null) await decide(server, decider, body.approvalId, { decision });
      const { sql, accountId } = { sql: server.database.sql, accountId: server.accountId };
      await sql`UPDATE messages SET status = 'queued' WHERE id = ${body.id}`;
      await sql`UPDATE message_recipients SET status = 'queued' WHERE message_id = ${body.id}`;
      await sql`INSERT INTO deliveries (account_id, id, message_id, route, destination, ordinals, next_at, expires_at)
        VALUES (${accountId}, gen_random_uuid(), ${body.id}, 'outbound', '', '{0}', ${server.clock.now()}, ${new Date(server.clock.now().getTime() + 1e8)})`;
      const { email, left } = await deliver(body.id);
      expect([email.status, left]).toEqual(['failed', []]);
      expect(email.lastError).toMatch(/was held, and nothing was sent/);
    }
  });
});
