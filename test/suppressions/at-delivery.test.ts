import { afterEach, describe, expect, it } from 'vitest';
import { type SinkReplies, type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

interface Event {
  readonly type: string;
  readonly recipient: string | null;
  readonly classification: string | null;
  readonly detail: string | null;
}

describe('the suppression list at delivery', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const closing of open.splice(0)) await closing.close();
  });

  async function start(replies: SinkReplies = {}): Promise<{ server: TestApp; sink: SmtpSink }> {
    const sink = await startSmtpSink({ replies });
    const server = await startTestApp({ settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` } });
    open.push(server, sink);
    return { server, sink };
  }

  const suppress = (server: TestApp, email: string, more: object = {}) =>
    server.call('POST', '/suppressions', { body: { email, ...more } });
  const statuses = ({ recipients }: { recipients: { status: string }[] }) => recipients.map(({ status }) => status);
  const inAnHour = { scheduled_at: 'PT1H' };

  it('is checked again: newly suppressed recipients get nothing, and the others do', {
    tags: ['contract-sending.suppression-at-delivery', 'contract-messages.trail-type-suppressed'],
  }, async () => {
    const { server, sink } = await start();
    const to = ['one@example.com', 'Two@Example.com'];
    const { body } = await server.send({ ...inAnHour, to, bcc: 'three@example.com' });
    await suppress(server, 'two@example.com');
    await suppress(server, 'three@example.com', { reason: 'complaint' });
    server.clock.advance(3_601_000);
    await server.pump();
    const settled = (await server.settled(body.id)).body;
    expect(statuses(settled)).toEqual(['sent', 'suppressed', 'suppressed']);
    expect(settled.status).toBe('suppressed');
    const events = settled.events.filter(({ type }: Event) => type === 'suppressed');
    expect(events).toMatchObject([
      { recipient: 'Two@example.com', classification: null, detail: expect.stringContaining('manual') },
      { recipient: 'three@example.com', classification: null, detail: expect.stringContaining('complaint') },
    ]);
    const [mail] = await sink.waitFor(1);
    expect(mail?.recipients).toEqual(['one@example.com']);
    expect(sink.messages).toHaveLength(1);
  });

  it('ends a message without other recipients as suppressed, which also ends a wait', {
    tags: [
      'contract-messages.status-suppressed',
      'contract-messages.wait-suppressed',
      'contract-sending.suppression-at-delivery',
    ],
  }, async () => {
    const { server, sink } = await start();
    const { body } = await server.send({ ...inAnHour, to: 'gone@example.com' });
    await suppress(server, 'gone@example.com');
    const waiting = server.call('GET', `/emails/${body.id}?wait=30`);
    server.clock.advance(3_601_000);
    await server.pump();
    const settled = (await waiting).body;
    expect([settled.status, settled.events.at(-1).type, settled.lastError]).toEqual(['suppressed', 'suppressed', null]);
    expect(await server.database.sql`SELECT 1 FROM deliveries`).toHaveLength(0);
    expect(sink.connections).toBe(0);
    expect((await server.call('GET', '/emails?status=suppressed')).body.messages).toHaveLength(1);
  });

  it('is checked before every attempt, those after a deferral too', async () => {
    const { server, sink } = await start({ recipient: () => ({ code: 451, text: '4.2.1 Later' }) });
    const { body } = await server.send({ to: ['a@example.com', 'b@example.com'] });
    const read = async () => (await server.call('GET', `/emails/${body.id}`)).body;
    await expect.poll(async () => (await read()).status, { timeout: 10_000 }).toBe('deferred');
    await suppress(server, 'a@example.com');
    await suppress(server, 'b@example.com');
    server.clock.advance(31_000);
    await server.pump();
    const settled = (await server.settled(body.id)).body;
    expect(statuses(settled)).toEqual(['suppressed', 'suppressed']);
    expect(sink.messages).toHaveLength(0);
  });

  it('does not count entries that have expired, or another account’s', async () => {
    const { server } = await start();
    const { body } = await server.send({ ...inAnHour, to: ['past@example.com', 'theirs@example.com'] });
    const soon = new Date(server.clock.now().getTime() + 3_600_000).toISOString();
    await suppress(server, 'past@example.com', { expiresAt: soon });
    const other = await server.newAccount();
    await server.call('POST', '/suppressions', { key: other.key, body: { email: 'theirs@example.com' } });
    server.clock.advance(3_601_000);
    await server.pump();
    expect(statuses((await server.settled(body.id)).body)).toEqual(['sent', 'sent']);
  });

  it('must be readable: otherwise nothing is accepted or delivered until it is again', {
    tags: ['suppressions.fail-closed'],
  }, async () => {
    const { server, sink } = await start();
    const { body } = await server.send({ ...inAnHour, to: 'ann@example.com' });
    const { sql } = server.database;
    await sql`ALTER TABLE suppressions RENAME TO hidden_suppressions`;
    server.clock.advance(3_601_000);
    await expect(server.pump()).rejects.toThrow(/suppressions/);
    expect((await server.send({ to: 'ben@example.com' })).status).toBe(500);
    expect((await server.call('GET', `/emails/${body.id}`)).body.status).toBe('queued');
    expect(sink.connections).toBe(0);
    await sql`ALTER TABLE hidden_suppressions RENAME TO suppressions`;
    await server.pump();
    expect((await server.settled(body.id)).body.status).toBe('sent');
    expect(sink.messages).toHaveLength(1);
  });
});
