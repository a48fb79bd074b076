import { afterEach, describe, expect, it } from 'vitest';
import { automaticReasonOf } from '../../packages/server/src/suppressions/automatic-reason.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('an automatic suppression', () => {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const closing of open.splice(0)) await closing.close();
  });

  /** A server whose relay replies to each recipient by the start of its address; to `late` once the address was added for a minute. */
  async function start(): Promise<{ server: TestApp; sink: SmtpSink }> {
    const late = async () => {
      const expiresAt = new Date(server.clock.now().getTime() + 60_000).toISOString();
      await server.call('POST', '/suppressions', { body: { email: 'late@example.com', expiresAt } });
      return HARD;
    };
    const sink = await startSmtpSink({
      replies: {
        recipient: (address) =>
          address.startsWith('late') ? late() : REPLIES.find(([name]) => address.startsWith(name))?.[1],
      },
    });
    const server: TestApp = await startTestApp({
      settings: { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` },
    });
    open.push(server, sink);
    return { server, sink };
  }

  const HARD = { code: 550, text: '5.1.1 No such user' };
  const REPLIES = [
    ['hard', HARD],
    ['soft', { code: 552, text: '5.2.2 Mailbox full' }],
    ['block', { code: 554, text: '5.7.1 Message rejected as spam' }],
    ['unknown', { code: 550, text: 'Requested action not taken' }],
  ] as const;
  const listed = async (server: TestApp) => (await server.call('GET', '/suppressions')).body.suppressions;
  const audited = (server: TestApp) => server.database.sql`
    SELECT action, actor, target_id AS "targetId", details FROM audit_log ORDER BY seq`;

  it('follows a hard bounce, with its message, once, and nothing softer', {
    tags: ['suppressions.automatic'],
  }, async () => {
    const { server } = await start();
    const to = ['hard@Example.com', 'soft@example.com', 'block@example.com', 'unknown@example.com', 'ok@example.com'];
    const { body } = await server.send({ to });
    const settled = (await server.settled(body.id)).body;
    expect(settled.recipients.map(({ status }: { status: string }) => status)).toEqual([
      ...['bounced', 'bounced', 'bounced', 'bounced', 'sent'],
    ]);
    const [entry, ...others] = await listed(server);
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ email: 'hard@example.com', reason: 'hard_bounce', emailId: body.id, note: null });
    expect(entry.expiresAt).toBeNull();
    expectProblem(await server.send({ to: 'Hard@example.com' }), 422, 'recipient_suppressed');
    for (const email of to.slice(1)) expect((await server.send({ to: email })).status, email).toBe(202);
    expect(await audited(server)).toMatchObject([
      { action: 'suppression.added', actor: 'system', targetId: entry.id, details: { email: 'hard@example.com' } },
    ]);
  });

  it('adds an address once when two messages to it bounce together, and keeps an existing entry', {
    tags: ['suppressions.automatic'],
  }, async () => {
    const { server } = await start();
    const sent = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        server.send({ to: [`hard@example.com`, `hard${index % 2}@example.com`] }),
      ),
    );
    // Those after the first bounce were refused at acceptance.
    const accepted = sent.filter(({ status }) => status === 202);
    expect(accepted.length).toBeGreaterThan(0);
    for (const { body } of accepted) await server.settled(body.id);
    const emails = (await listed(server)).map(({ email }: { email: string }) => email);
    expect(new Set(emails).size).toBe(emails.length);
    expect(emails).toContain('hard@example.com');
    expect((await audited(server)).length).toBe(emails.length);
  });

  it('makes an entry with an expiry permanent', async () => {
    const { server } = await start();
    const { body } = await server.send({ to: 'late@example.com' });
    expect((await server.settled(body.id)).body.status).toBe('bounced');
    expect(await listed(server)).toMatchObject([{ reason: 'hard_bounce', emailId: body.id, expiresAt: null }]);
    expect((await audited(server)).map(({ actor }) => actor)).toEqual([expect.not.stringMatching('system'), 'system']);
  });

  it('never adds a test address, whatever its outcome', {
    tags: ['contract-test-addresses.never-suppressed'],
  }, async () => {
    const { server } = await start();
    const to = ['bounced', 'complained+x', 'soft', 'blocked', 'delivered'].map((name) => `${name}@sandbox.test`);
    const { body } = await server.send({ to });
    const { recipients } = (await server.settled(body.id)).body;
    expect(recipients.map(({ status }: { status: string }) => status)).toEqual([
      ...['bounced', 'complained', 'bounced', 'bounced', 'delivered'],
    ]);
    expect(await listed(server)).toEqual([]);
    expect((await server.send({ to })).status).toBe(202);
  });

  it('is written with the outcome or not at all: an outcome that cannot suppress is not recorded', {
    tags: ['suppressions.fail-closed'],
  }, async () => {
    const { server } = await start();
    const { sql } = server.database;
    await sql`ALTER TABLE audit_log RENAME TO hidden_audit`;
    const { body } = await server.send({ to: 'hard@example.com' });
    await expect
      .poll(async () => (await server.call('GET', `/emails/${body.id}`)).body.status, { timeout: 10_000 })
      .toBe('sending');
    expect(await listed(server)).toEqual([]);
    await sql`ALTER TABLE hidden_audit RENAME TO audit_log`;
    expect((await server.settled(body.id)).body.status).toBe('bounced');
    expect(await listed(server)).toHaveLength(1);
  });

  it('follows a complaint too, and no other event', { tags: ['suppressions.automatic', 'events.spam'] }, () => {
    expect(automaticReasonOf('complained', 'spam')).toBe('complaint');
    expect(automaticReasonOf('bounced', 'hard')).toBe('hard_bounce');
    for (const classification of ['soft', 'block', 'unknown', 'spam'] as const) {
      expect(automaticReasonOf('bounced', classification)).toBeNull();
    }
    for (const type of ['sent', 'delivered', 'deferred', 'failed', 'opened', 'clicked', 'suppressed'] as const) {
      expect(automaticReasonOf(type, null)).toBeNull();
    }
  });
});
