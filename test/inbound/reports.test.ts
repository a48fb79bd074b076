import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createReturnPaths } from '../../packages/server/src/inbound/return-path.ts';
import { bringMail, type ReportApp, returnPathOf, startReportApp } from '../harness/report-client.ts';
import {
  exchangeBounce,
  eximBounce,
  gmailBounce,
  outlookComplaint,
  postfixBounce,
  qmailBounce,
  type SampleFacts,
  vacation,
  yahooComplaint,
} from '../harness/report-samples.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';

let sink: SmtpSink;
let server: ReportApp;
beforeAll(async () => {
  sink = await startSmtpSink();
  server = await startReportApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
});
afterAll(async () => {
  await server.close();
  await sink.close();
});
afterEach(async () => {
  await server.database.sql`DELETE FROM suppressions`;
  await server.database.sql`DELETE FROM inbound_reports`;
});

interface SentMail extends SampleFacts {
  readonly id: string;
}

let sent = 0;
const freshAddress = () => {
  sent += 1;
  return `Ann${sent}@example.com`;
};

/** Sends over the relay to fresh addresses; the facts are the first recipient's, as a server that got the mail knows them. */
async function send(recipients = 1): Promise<SentMail & { readonly recipients: readonly string[] }> {
  const to = Array.from({ length: recipients }, freshAddress);
  const { body } = await server.send({ to });
  expect((await server.settled(body.id)).body.status).toBe('sent');
  const arrived = sink.messages.find((message) => message.recipients.includes(to[0] ?? ''));
  return { id: body.id, recipients: to, recipient: to[0] ?? '', returnPath: arrived?.from ?? '', messageId: body.id };
}

const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;
const readEvents = async (id: string) => (await read(id)).events.map(({ type }: { type: string }) => type);
const suppressed = async () => (await server.call('GET', '/suppressions')).body.suppressions;
const counted = async () =>
  await server.database.sql`SELECT kind, outcome, count, message_id FROM inbound_reports ORDER BY kind, outcome`;
const bring = (to: string | readonly string[], mail: string) => bringMail(server.inboundPort, to, mail);
const TAKEN = expect.stringMatching(/^250 2\.0\.0 /);

describe('the envelope’s sender', () => {
  it('is a signed return path that names exactly the recipients of its delivery', async () => {
    const one = await send();
    expect(one.returnPath).toBe(returnPathOf(server, one.id, [0]));
    const two = await send(2);
    expect(two.returnPath).toBe(returnPathOf(server, two.id, [0, 1]));
  });
});

describe('a received bounce', () => {
  it.each([
    ['Postfix', postfixBounce],
    ['Exim', eximBounce],
    ['Exchange', exchangeBounce],
    ['Gmail', gmailBounce],
    ['qmail', qmailBounce],
  ])('of %s becomes an event, classified, and suppresses the address that does not exist', async (_name, sample) => {
    const mail = await send();
    expect(await bring(mail.returnPath, sample(mail))).toEqual(TAKEN);
    const { status, events, lastError, recipients } = await read(mail.id);
    expect([status, recipients[0].status]).toEqual(['bounced', 'bounced']);
    expect(events.at(-1)).toMatchObject({ type: 'bounced', recipient: mail.recipient, classification: 'hard' });
    expect(events.at(-1).detail).toMatch(/5\.1\.1|5\.1\.10/);
    expect(lastError).toContain(mail.recipient);
    expect(await suppressed()).toMatchObject([
      { email: mail.recipient.toLowerCase(), reason: 'hard_bounce', emailId: mail.id, expiresAt: null },
    ]);
    expect(await counted()).toMatchObject([
      { kind: 'delivery_status', outcome: 'applied', count: 1, message_id: mail.id },
    ]);
  });

  it('is recorded once, however often it is received, over one connection or many', async () => {
    const mail = await send();
    await Promise.all(Array.from({ length: 5 }, () => bring(mail.returnPath.toUpperCase(), postfixBounce(mail))));
    expect(await bring([mail.returnPath, mail.returnPath], postfixBounce(mail))).toEqual(TAKEN);
    expect(await readEvents(mail.id)).toEqual(['queued', 'sent', 'bounced']);
    expect(await suppressed()).toHaveLength(1);
    const counts = await counted();
    expect(counts.map(({ outcome }) => outcome)).toEqual(['applied', 'repeated']);
  });

  it.each([
    ['a full mailbox', '5.2.2', 'smtp; 552 5.2.2 Mailbox full', 'soft'],
    ['a policy', '5.7.1', 'smtp; 554 5.7.1 Message rejected as spam', 'block'],
    ['a timeout', '4.4.7', 'smtp; 421 4.4.2 Connection timed out', 'soft'],
    ['an unknown reason', '5.0.0', 'x-unix; input/output error', 'unknown'],
  ])('because of %s suppresses no address', async (_name, status, diagnostic, classification) => {
    const mail = await send();
    expect(await bring(mail.returnPath, postfixBounce(mail, { status, diagnostic }))).toEqual(TAKEN);
    const { events } = await read(mail.id);
    expect(events.at(-1)).toMatchObject({ type: 'bounced', classification });
    expect(await suppressed()).toEqual([]);
  });

  it('of one of several recipients changes that one, and the message shows the worst status', {
    tags: ['contract-messages.worst-recipient'],
  }, async () => {
    const mail = await send(3);
    const facts = { ...mail, recipient: mail.recipients[1] ?? '' };
    expect(await bring(mail.returnPath, postfixBounce(facts))).toEqual(TAKEN);
    const { status, recipients } = await read(mail.id);
    expect(recipients.map((recipient: { status: string }) => recipient.status)).toEqual(['sent', 'bounced', 'sent']);
    expect(status).toBe('bounced');
    expect((await suppressed()).map(({ email }: { email: string }) => email)).toEqual([facts.recipient.toLowerCase()]);
    await bring(mail.returnPath, yahooComplaint({ ...mail, recipient: mail.recipients[2] ?? '' }));
    expect((await read(mail.id)).status).toBe('complained');
  });

  it('may follow `delivered`, and stays final', {
    tags: ['contract-messages.late-events'],
  }, async () => {
    const mail = await send();
    await bring(
      mail.returnPath,
      postfixBounce(mail, { action: 'delivered', status: '2.0.0', diagnostic: 'smtp; 250 ok' }),
    );
    expect((await read(mail.id)).status).toBe('delivered');
    await bring(mail.returnPath, postfixBounce(mail));
    expect((await read(mail.id)).status).toBe('bounced');
    for (const action of ['delivered', 'delayed', 'relayed']) {
      expect(await bring(mail.returnPath, postfixBounce(mail, { action, status: '2.0.0' }))).toEqual(TAKEN);
    }
    expect(await readEvents(mail.id)).toEqual(['queued', 'sent', 'delivered', 'bounced']);
    expect((await read(mail.id)).status).toBe('bounced');
  });

  it('with non-ASCII addresses is read as RFC 6533 defines, and other alphabets do no harm', async () => {
    const { body } = await server.send({ to: 'ann@bücher.example' });
    await server.settled(body.id);
    const facts = { recipient: 'ann@bücher.example', returnPath: returnPathOf(server, body.id), messageId: body.id };
    const international = postfixBounce(facts)
      .replace('message/delivery-status', 'message/global-delivery-status')
      .replaceAll('rfc822;', 'utf-8;');
    expect(await bring(facts.returnPath, international)).toEqual(TAKEN);
    expect(await readEvents(body.id)).toEqual(['queued', 'sent', 'bounced']);
  });

  it('from behind an alias belongs to the original recipient, if the report names it', async () => {
    const { body } = await server.send({ to: 'ann+alias@example.com' });
    await server.settled(body.id);
    const facts = { recipient: 'box@store.example', returnPath: returnPathOf(server, body.id), messageId: body.id };
    const sample = postfixBounce(facts);
    expect(await bring(facts.returnPath, sample)).toEqual(TAKEN);
    expect(await readEvents(body.id)).toEqual(['queued', 'sent']);
    const original = 'Original-Recipient: rfc822;ann+2Balias@example.com';
    expect(await bring(facts.returnPath, sample.replace(/Original-Recipient: .*/, original))).toEqual(TAKEN);
    expect(await readEvents(body.id)).toEqual(['queued', 'sent', 'bounced']);
    expect((await suppressed()).map(({ email }: { email: string }) => email)).toEqual(['ann+alias@example.com']);
  });

  it('that reports a delay is recorded once, and the status stays', async () => {
    const mail = await send();
    const delay = { action: 'delayed', status: '4.4.1', diagnostic: 'smtp; connect timed out \u001b[31mred\u0007' };
    for (const _ of [1, 2]) expect(await bring(mail.returnPath, postfixBounce(mail, delay))).toEqual(TAKEN);
    const { status, events } = await read(mail.id);
    expect(status).toBe('sent');
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'sent', 'deferred']);
    expect(events.at(-1)).toMatchObject({ classification: null, detail: 'connect timed out [31mred' });
  });
});

describe('a received complaint', () => {
  it.each([
    ['Yahoo', yahooComplaint],
    ['Outlook', outlookComplaint],
  ])(
    'in the form of %s suppresses the recipient who complained, also after `delivered`',
    { tags: ['suppressions.automatic'] },
    async (_name, sample) => {
      const mail = await send();
      await bring(mail.returnPath, postfixBounce(mail, { action: 'delivered', status: '2.0.0' }));
      for (const _ of [1, 2]) expect(await bring(mail.returnPath, sample(mail))).toEqual(TAKEN);
      const { status, events } = await read(mail.id);
      expect(status).toBe('complained');
      expect(events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'sent', 'delivered', 'complained']);
      expect(events.at(-1)).toMatchObject({ recipient: mail.recipient, classification: 'spam' });
      expect(await suppressed()).toMatchObject([
        { email: mail.recipient.toLowerCase(), reason: 'complaint', emailId: mail.id },
      ]);
      expect((await server.send({ to: mail.recipient })).status).toBe(422);
    },
  );

  it('may arrive at abuse@ of a return-path host, and is matched by the return path of the quoted message', async () => {
    await server.addDomain('example.org');
    const mail = await send();
    for (const address of ['abuse@sandbox.test', 'fbl@bounce.example.org', 'postmaster@BOUNCE.example.org']) {
      expect(await bring(address, outlookComplaint(mail)), address).toEqual(TAKEN);
    }
    expect(await readEvents(mail.id)).toEqual(['queued', 'sent', 'complained']);
    expect(await bring('abuse@sandbox.test', postfixBounce(mail))).toMatch(/^554 5\.6\.0 /);
    for (const address of ['abuse@example.org', 'abuse@elsewhere.example', 'info@bounce.example.org']) {
      expect(await bring(address, outlookComplaint(mail)), address).toMatch(/^550 5\.1\.1 /);
    }
    expect(await suppressed()).toHaveLength(1);
  });

  it('with the recipient’s name hidden is still matched to the recipient', async () => {
    const mail = await send();
    await bring(mail.returnPath, yahooComplaint(mail, { recipient: 'redacted-4f3a@example.com' }));
    expect((await read(mail.id)).status).toBe('complained');
  });

  it.each(['not-spam', 'virus', 'auth-failure', 'other', 'opt-out', ''])(
    'of type "%s" is not counted',
    async (type) => {
      const mail = await send();
      expect(await bring(mail.returnPath, yahooComplaint(mail, { type }))).toEqual(TAKEN);
      expect(await readEvents(mail.id)).toEqual(['queued', 'sent']);
      expect(await suppressed()).toEqual([]);
    },
  );
});

describe('mail that is not a genuine report', () => {
  it('changes nothing when the return path is forged, and is counted', async () => {
    const mail = await send();
    const [local = ''] = mail.returnPath.split('@');
    const other = local.endsWith('0') ? '1' : '0';
    const forged = [`${local.slice(0, -1)}${other}@sandbox.test`, `b+${mail.id}.abcdef@sandbox.test`];
    for (const address of forged) expect(await bring(address, postfixBounce(mail))).toMatch(/^550 5\.1\.1 /);
    for (const returnPath of forged) {
      expect(await bring('abuse@sandbox.test', outlookComplaint({ ...mail, returnPath }))).toEqual(TAKEN);
    }
    expect(await bring('ada@sandbox.test', postfixBounce(mail))).toMatch(/^550 5\.1\.1 /);
    expect(await readEvents(mail.id)).toEqual(['queued', 'sent']);
    expect(await suppressed()).toEqual([]);
    await expect.poll(counted, { timeout: 5_000 }).toMatchObject([
      { kind: 'abuse', outcome: 'forged', count: 2, message_id: null },
      { kind: 'other', outcome: 'forged', count: 2, message_id: null },
    ]);
  });

  it('changes nothing when it names an address that the message was not sent to', async () => {
    for (const mail of [await send(1), await send(2)]) {
      const facts = { ...mail, recipient: 'eve@elsewhere.example' };
      for (const sample of [postfixBounce(facts), eximBounce(facts), yahooComplaint(facts)]) {
        expect(await bring(mail.returnPath, sample)).toEqual(TAKEN);
      }
      expect(await readEvents(mail.id)).not.toContain('bounced');
      expect(await readEvents(mail.id)).not.toContain('complained');
    }
    expect(await suppressed()).toEqual([]);
    expect((await counted()).map(({ outcome }) => outcome)).toEqual(Array(4).fill('foreign_recipient'));
  });

  it('changes nothing when its recipient is not in the return path', async () => {
    const mail = await send(4);
    const [, , victim = '', other = ''] = mail.recipients;
    const theirs = returnPathOf(server, mail.id, [0, 1]);
    for (const recipient of [victim, other]) {
      const facts = { ...mail, recipient, returnPath: theirs };
      for (const sample of [postfixBounce, gmailBounce, qmailBounce, yahooComplaint]) {
        expect(await bring(theirs, sample(facts))).toEqual(TAKEN);
      }
      expect(await bring('abuse@sandbox.test', outlookComplaint(facts))).toEqual(TAKEN);
    }
    expect((await read(mail.id)).status).toBe('sent');
    expect(await suppressed()).toEqual([]);
    expect(await counted()).toMatchObject([
      { kind: 'abuse', outcome: 'foreign_recipient', message_id: mail.id },
      { kind: 'delivery_status', outcome: 'foreign_recipient', message_id: mail.id },
    ]);
    await bring(theirs, postfixBounce({ ...mail, returnPath: theirs }));
    expect((await suppressed()).map(({ email }: { email: string }) => email)).toEqual([mail.recipient.toLowerCase()]);
  });

  it('about a shared delivery changes nothing once its message, or its account, is deleted', async () => {
    const mail = await send(2);
    const { accountId } = server;
    const path = (account: string) =>
      createReturnPaths(TEST_SECRET_KEY).addressFor(
        { accountId: account, messageId: mail.id, ordinals: [0, 1] },
        'sandbox.test',
      );
    expect(path(accountId)).toBe(mail.returnPath);
    const unknown = path('019aa000-0000-7000-8000-000000000000');
    expect(await bring(unknown, postfixBounce(mail))).toEqual(TAKEN);
    expect(await counted()).toMatchObject([{ outcome: 'gone', message_id: mail.id }]);
    const { sql } = server.database;
    await sql`DELETE FROM messages WHERE id = ${mail.id}`;
    expect(await bring(mail.returnPath, postfixBounce(mail))).toEqual(TAKEN);
    expect((await counted()).map(({ outcome }) => outcome)).toEqual(['gone', 'gone']);
    expect(await suppressed()).toEqual([]);
  });

  it('changes nothing, is counted, and never gets an error that the sender would retry', async () => {
    const mail = await send();
    const loop = postfixBounce(mail).replace(
      'Content-Type: text/plain; charset=utf-8\n\n--5D3',
      `Content-Type: multipart/report; boundary=x\n\n--5D3`,
    );
    const ours = `Message-ID: <${mail.id}@sandbox.test>\nFrom: ada@sandbox.test\nSubject: Hello\n\nHi there\n`;
    const hops = `${'Received: from a.example by b.example; Sat, 21 Nov 2026 10:00:00 +0000\n'.repeat(60)}${postfixBounce(mail)}`;
    const mails = [
      ['auto_reply', vacation(mail)],
      ['auto_reply', `From: a@example.com\nPrecedence: bulk\n\nDelivery failed\n`],
      ['loop', loop],
      ['loop', ours],
      ['loop', hops],
      [
        'unknown',
        `From: a@example.com\nSubject: Undeliverable: Hello\n\nYour message did not reach ${mail.recipient}: 550 5.1.1\n`,
      ],
      ['unknown', postfixBounce(mail).replaceAll('message/delivery-status', 'message/disposition-notification')],
      ['malformed', postfixBounce(mail).replace('Action: failed', 'Action: nothing')],
      ['malformed', yahooComplaint(mail).replace('Feedback-Type: abuse', 'Feedback: abuse')],
      ['malformed', 'garbage without a header\n\n'],
      ['malformed', postfixBounce(mail).replaceAll('boundary="5D3.1700/mx.example.com"', '')],
    ] as const;
    const expected = new Map<string, number>();
    for (const [outcome, text] of mails) {
      expect(await bring(mail.returnPath, text), text).toEqual(TAKEN);
      expected.set(outcome, (expected.get(outcome) ?? 0) + 1);
    }
    expect(await readEvents(mail.id)).toEqual(['queued', 'sent']);
    expect(await suppressed()).toEqual([]);
    expect(new Map((await counted()).map(({ outcome, count: n }) => [outcome, n]))).toEqual(expected);
  });

  it('about a message that is gone from the log changes nothing', async () => {
    const mail = await send();
    const { sql } = server.database;
    for (const table of ['messages', 'message_recipients', 'message_events']) {
      await sql`DELETE FROM ${sql(table)} WHERE ${sql(table === 'messages' ? 'id' : 'message_id')} = ${mail.id}`;
    }
    expect(await bring(mail.returnPath, postfixBounce(mail))).toEqual(TAKEN);
    expect(await counted()).toMatchObject([{ outcome: 'gone' }]);
    expect(await suppressed()).toEqual([]);
  });

  it('has no effect on a test address: nothing suppresses it', async () => {
    const { body } = await server.send({ to: 'delivered@sandbox.test' });
    await server.settled(body.id);
    const facts = {
      recipient: 'delivered@sandbox.test',
      returnPath: returnPathOf(server, body.id),
      messageId: body.id,
    };
    await bring(facts.returnPath, postfixBounce(facts));
    await bring(facts.returnPath, yahooComplaint(facts));
    expect((await read(body.id)).status).toBe('complained');
    expect(await suppressed()).toEqual([]);
  });
});
