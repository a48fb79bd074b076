import { createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { startDatabaseProxy } from '../harness/database-proxy.ts';
import { bringMail, returnPathOf, startReportApp } from '../harness/report-client.ts';
import { postfixBounce, yahooComplaint } from '../harness/report-samples.ts';
import { openSmtpSession } from '../harness/smtp-session.ts';
import { startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp } from '../harness/test-app.ts';
import { createTestDatabase } from '../harness/test-database.ts';

const cleanUp = useCleanUps();

describe('an unavailable database', () => {
  it('defers reports, accepts nothing of them, and accepts them on the next attempt', async () => {
    const database = await createTestDatabase();
    const proxy = await startDatabaseProxy(database);
    const server = await startReportApp({ database: proxy.database });
    cleanUp(async () => {
      await server.close();
      await proxy.close();
      await database.drop();
    });
    const { id } = (await server.send({ to: 'ann@example.com' })).body;
    await server.settled(id);
    const facts = { recipient: 'ann@example.com', returnPath: returnPathOf(server, id), messageId: id };
    const session = await openSmtpSession(server.inboundPort);
    cleanUp(() => session.close());
    await session.say('EHLO mx.example.com');
    await proxy.down();
    const bring = () => bringMail(0, facts.returnPath, postfixBounce(facts), { session });
    expect(await bring()).toMatch(/^451 4\.3\.0 /);
    expect(await bringMail(0, 'abuse@bounce.example.org', yahooComplaint(facts), { session })).toMatch(/^451 4\.3\.0 /);
    await session.say('RSET');
    proxy.silence();
    await proxy.up();
    await expect.poll(bring, { timeout: 15_000 }).toMatch(/^250 /);
    const { events, status } = (await server.call('GET', `/emails/${id}`)).body;
    expect(status).toBe('bounced');
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'sent', 'delivered', 'bounced']);
  });

  it('in the middle of writing leaves all of a report or nothing', async () => {
    const server = await startReportApp();
    cleanUp(() => server.close());
    const { id } = (await server.send({ to: 'ann@example.com' })).body;
    await server.settled(id);
    const facts = { recipient: 'ann@example.com', returnPath: returnPathOf(server, id), messageId: id };
    const { sql } = server.database;
    await sql`ALTER TABLE audit_log RENAME TO hidden_audit`;
    expect(await bringMail(server.inboundPort, facts.returnPath, postfixBounce(facts))).toMatch(/^451 4\.3\.0 /);
    expect((await server.call('GET', `/emails/${id}`)).body.status).toBe('delivered');
    expect(await sql`SELECT 1 FROM inbound_reports`).toHaveLength(0);
    await sql`ALTER TABLE hidden_audit RENAME TO audit_log`;
    expect(await bringMail(server.inboundPort, facts.returnPath, postfixBounce(facts))).toMatch(/^250 /);
    expect((await server.call('GET', '/suppressions')).body.suppressions).toHaveLength(1);
  });
});

describe('a report that arrives before the delivery is recorded', () => {
  it('waits for the record, so that the bounce remains', async () => {
    const reports: Promise<string | null>[] = [];
    const sink = await startSmtpSink({
      replies: {
        message: ({ from }) => {
          const [recipient, messageId] = ['ann@example.com', 'x'];
          reports.push(bringMail(server.inboundPort, from, postfixBounce({ recipient, messageId, returnPath: from })));
          return undefined;
        },
      },
    });
    const server = await startReportApp({
      settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` },
    });
    cleanUp(async () => {
      await server.close();
      await sink.close();
    });
    const { id } = (await server.send({ to: 'ann@example.com' })).body;
    await server.settled(id);
    await expect.poll(() => reports.length).toBe(1);
    expect(await reports[0]).toMatch(/^250 /);
    const { status, events } = (await server.call('GET', `/emails/${id}`)).body;
    expect(status).toBe('bounced');
    expect(events.map(({ type }: { type: string }) => type)).toEqual(['queued', 'sent', 'bounced']);
  });
});

describe('the port', () => {
  it('opens with the role `smtp` alone, and a port in use is reported with its setting', {
    tags: ['contract-settings.inbound-port'],
  }, async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    cleanUp(() => other.close());
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const settings = { POSTRIDER_ROLES: 'api,worker,smtp', POSTRIDER_INBOUND_PORT: String(port) };
    await expect(startTestApp({ settings })).rejects.toMatchObject({
      name: 'PortError',
      message: `Port ${port} for inbound reports on 127.0.0.1 is in use by another program.`,
      fix: expect.stringContaining(`POSTRIDER_INBOUND_PORT=${port + 1}`),
    });
    const without = await startTestApp();
    cleanUp(() => without.close());
    expect(without.app.inboundPort).toBeNull();
  });

  it('opens in production without a certificate too, unencrypted', async () => {
    const server = await startReportApp({
      settings: { POSTRIDER_MODE: 'production', POSTRIDER_BASE_URL: 'https://mail.example', POSTRIDER_ROLES: 'smtp' },
    });
    cleanUp(() => server.close());
    expect(server.app.smtp).toBeNull();
    const session = await openSmtpSession(server.inboundPort);
    cleanUp(() => session.close());
    expect(await session.say('EHLO mx.example.com')).not.toContain('STARTTLS');
    expect(await session.say('STARTTLS')).toMatch(/^5\d\d /);
    expect(await session.say('MAIL FROM:<>')).toMatch(/^250 /);
  });

  it('closes with 421 when the server stops, after replying to a report in progress', async () => {
    const server = await startReportApp();
    const { id } = (await server.send({ to: 'ann@example.com' })).body;
    await server.settled(id);
    const returnPath = returnPathOf(server, id);
    const { sql } = server.database;
    const idle = await openSmtpSession(server.inboundPort);
    const locked = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const holding = sql.begin(async (transaction) => {
      await transaction`SELECT FROM messages WHERE id = ${id} FOR UPDATE`;
      locked.resolve();
      await release.promise;
    });
    await locked.promise;
    const facts = { recipient: 'ann@example.com', returnPath, messageId: id };
    const responded = bringMail(server.inboundPort, returnPath, postfixBounce(facts));
    await expect
      .poll(
        async () =>
          (await sql`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()`)
            .length,
      )
      .toBe(1);
    const closed = server.close();
    expect(await idle.reply()).toMatch(/^421 4\.3\.2 /);
    release.resolve();
    await holding;
    expect(await responded).toMatch(/^250 /);
    await closed;
  });
});
