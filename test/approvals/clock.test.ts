import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApprovalMailer } from '../../packages/server/src/approvals/approval-mail.ts';
import { notifyApprovers, remindApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { createApprovalJobs } from '../../packages/server/src/approvals/run-approval-jobs.ts';
import { takeApprovalMails } from '../../packages/server/src/db/queries/approval-notices.ts';
import { purgeExpired } from '../../packages/server/src/db/queries/maintenance.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';
import { decide, decidingKey, holdingKey, quotaUsed } from './approving.ts';

const HOUR_MS = 3_600_000;

describe('the lifetime of a hold', () => {
  let server: TestApp;
  let mailer: ApprovalMailer;
  let agent: string;
  beforeEach(async () => {
    // Without its own worker: the jobs run when the test says so.
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const { config, clock, database, baseUrl } = server;
    const { sandboxDomain, retryHours, monthlyQuota, mailFrom } = config;
    const onError = (error: unknown) => expect(error).toBeUndefined();
    mailer = {
      ...{
        sql: database.sql,
        clock,
        ids: createIdGenerator(),
        secrets: createSecretBox(TEST_SECRET_KEY),
        baseUrl,
        onError,
      },
      ...{ sandboxDomain, retryHours, monthlyQuota, mailFrom, byDomain: false },
    };
    ({ key: agent } = await holdingKey(server));
  });
  afterEach(() => server.close());

  const hold = async () => (await server.send({ to: 'bob@receiver.example' }, { key: agent })).body;
  const addMember = async (email: string, role: string, status = 'active') => {
    await server.database.sql`
      INSERT INTO members (account_id, id, email, role, status, joined_at)
      VALUES (${server.accountId}, gen_random_uuid(), ${email}, ${role}, ${status}, now())`;
  };
  /** The mail of the installation, oldest first. */
  const mails = () => readInstallationMail(server.database, { tag: 'approval' });
  const linkIn = (text: string) => /https?:\S+\/approvals\/[\w-]+/.exec(text)?.[0] ?? '';
  const post = async (link: string, fields: Readonly<Record<string, string>>) =>
    await fetch(link, {
      method: 'POST',
      headers: { origin: server.baseUrl },
      body: new URLSearchParams(fields),
    });

  it('expire after 72 hours without a decision, and return their quota', {
    tags: ['approvals.expiry', 'contract-quota.given-back-holds', 'contract-messages.statuses-holds'],
  }, async () => {
    const used = await quotaUsed(server);
    const held = await hold();
    server.clock.advance(71.9 * HOUR_MS);
    await createApprovalJobs(mailer).watch();
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('pending_approval');
    server.clock.advance(0.2 * HOUR_MS);
    await createApprovalJobs(mailer).watch();
    const { body } = await server.call('GET', `/emails/${held.id}`);
    expect(body).toMatchObject({ status: 'expired', approval: { status: 'expired' } });
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['pending_approval', 'expired']);
    const record = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    expect(record.body).toMatchObject({ status: 'expired', decidedBy: 'system' });
    expect(await quotaUsed(server)).toBe(used);
  });

  it('cannot be decided after they expire, even before the clock runs, and follow the account’s own limit', {
    tags: ['approvals.expiry'],
  }, async () => {
    await server.database.sql`UPDATE accounts SET approval_hours = 2 WHERE id = ${server.accountId}`;
    const held = await hold();
    const decider = await decidingKey(server);
    server.clock.advance(2.01 * HOUR_MS);
    const late = await decide(server, decider, held.approvalId);
    expect(late).toMatchObject({ status: 409, body: { code: 'approval_already_decided' } });
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('expired');
  });

  it('are exempt from retention, however old', async () => {
    const attachments = [{ filename: 'a.txt', content: 'aGk=' }];
    const { body: held } = await server.send({ attachments }, { key: agent });
    const at = new Date(server.clock.now().getTime() + HOUR_MS);
    const before = {
      requestsBefore: at,
      idempotencyBefore: at,
      capturedBefore: at,
      bodiesBefore: at,
      messagesBefore: at,
    };
    await purgeExpired(server.database.sql, { ...before, openStatuses: ['pending_approval'] });
    const { body } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    expect(body).toMatchObject({ status: 'pending', text: 'Hi there', attachments: [{ filename: 'a.txt' }] });
  });

  it('keep an edited body no longer than the body, and a hold no longer than its message', async () => {
    const decider = await decidingKey(server);
    const edits = { html: '<p>After</p>', subject: 'After' };
    const approved = async (fields: Readonly<Record<string, unknown>>) => {
      const { body } = await server.send({ html: '<p>Before</p>', ...fields }, { key: agent });
      expect((await decide(server, decider, body.approvalId, { decision: 'approve', edits })).body.outcome).toBe(
        'queued',
      );
      return body;
    };
    const aged = await approved({});
    const canceled = await approved({ scheduled_at: 'PT1H' });
    const purge = async (limits: Readonly<Record<string, Date>>) => {
      const never = new Date(0);
      const before = { requestsBefore: never, idempotencyBefore: never, capturedBefore: never };
      const ages = { ...before, bodiesBefore: never, messagesBefore: never, ...limits };
      await purgeExpired(server.database.sql, { ...ages, openStatuses: ['pending_approval'] });
    };
    const kept = async ({ approvalId }: { readonly approvalId: string }) => {
      const rows = await server.database.sql`SELECT changes FROM approval_revisions WHERE approval_id = ${approvalId}`;
      return Object.keys(rows[0]?.['changes'] ?? {}).toSorted();
    };
    expect((await server.call('DELETE', `/emails/${canceled.id}`)).status).toBe(200);
    await purge({});
    expect(await kept(aged)).toEqual(['html', 'subject']);
    expect(await kept(canceled)).toEqual(['subject']);
    await server.database.sql`DELETE FROM deliveries`;
    const soon = new Date(server.clock.now().getTime() + HOUR_MS);
    await purge({ bodiesBefore: soon });
    expect(await kept(aged)).toEqual(['subject']);
    await purge({ messagesBefore: soon });
    const [left] = await server.database.sql`
      SELECT (SELECT count(*)::int FROM approvals) AS holds, (SELECT count(*)::int FROM approval_revisions) AS revisions`;
    expect(left).toEqual({ holds: 0, revisions: 0 });
  });

  it('mail the approvers once, and remind them at half and at nine tenths of the time', async () => {
    await addMember('approver@sandbox.test', 'approver');
    await addMember('developer@sandbox.test', 'developer');
    await addMember('invited@sandbox.test', 'admin', 'invited');
    await hold();
    await hold();
    expect(await notifyApprovers(mailer)).toBe(2);
    expect(await notifyApprovers(mailer)).toBe(0);
    const first = await mails();
    expect(first.map(({ to }) => to).toSorted()).toEqual(['approver@sandbox.test', 'owner@sandbox.test']);
    expect(first[0]?.text.match(/\/approvals\//g)).toHaveLength(2);
    for (const [hours, count] of [
      [35.9, 2],
      [0.2, 4],
      [28.5, 4],
      [0.4, 6],
      [5, 6],
    ] as const) {
      server.clock.advance(hours * HOUR_MS);
      await createApprovalJobs(mailer).watch();
      expect(await mails()).toHaveLength(count);
    }
    const reminded = await server.database
      .sql`SELECT count(*)::int AS count FROM approval_events WHERE type = 'reminded'`;
    expect(reminded[0]).toEqual({ count: 4 });
  });

  it('send at most 20 mails in 10 minutes, then one about everything that is waiting', async () => {
    const { accountId } = await server.newAccount('Unharmed');
    for (let sent = 0; sent < 25; sent += 1) {
      const { id } = await hold();
      await createApprovalJobs(mailer).notify();
      await server.call('DELETE', `/emails/${id}`);
    }
    expect(await mails()).toHaveLength(20);
    for (let sent = 0; sent < 23; sent += 1) await hold();
    // Another account is notified, and the throttled one is not reminded either.
    const other = await server.newKey({ accountId, name: 'Other' });
    const { key: loud } = await server
      .call('POST', '/keys', { key: other, body: { name: 'Loud', scopes: ['full'], approvalMode: 'always' } })
      .then(({ body }) => body);
    await server.send({ to: 'bob@receiver.example' }, { key: loud });
    await createApprovalJobs(mailer).watch();
    expect((await mails()).slice(20).map(({ to }) => to)).toEqual(['other@sandbox.test']);
    server.clock.advance(9 * 60_000);
    await createApprovalJobs(mailer).watch();
    expect(await mails()).toHaveLength(21);
    server.clock.advance(61_000);
    await createApprovalJobs(mailer).watch();
    const after = await mails();
    expect(after).toHaveLength(22);
    expect(after[21]).toMatchObject({ to: 'owner@sandbox.test', subject: 'Waiting for your approval: 23 emails' });
    expect(after[21]?.text.match(/\/approvals\//g)).toHaveLength(20);
    expect(after[21]?.text).toContain('And 3 more: postrider approvals list');
    await createApprovalJobs(mailer).watch();
    expect(await mails()).toHaveLength(22);
  });

  it('announce template drafts once a minute, in one mail, within the same limit', async () => {
    await addMember('approver@sandbox.test', 'approver');
    await addMember('developer@sandbox.test', 'developer');
    const draft = async (method: 'POST' | 'PATCH', path: string, body: object) => {
      const { status } = await server.call(method, path, { key: agent, body });
      expect(status).toBeLessThan(300);
    };
    await draft('POST', '/templates', { slug: 'one', name: 'One', text: '1' });
    await draft('POST', '/templates', { slug: 'two', name: 'Two', text: '2', note: 'New offer' });
    await createApprovalJobs(mailer).watch();
    const sent = await mails();
    expect(sent.map(({ to }) => to).toSorted()).toEqual(['approver@sandbox.test', 'owner@sandbox.test']);
    expect(sent[0]?.subject).toBe('Waiting for your approval: 2 template drafts');
    expect(sent[0]?.text).toContain('postrider templates publish one --version 1');
    expect(sent[0]?.text).toContain(`POST ${server.baseUrl}/templates/one/publish`);
    expect(sent[0]?.text).toContain('Note: New offer');
    // An agent that changes its draft again and again causes no mail; a new draft does, as long as there are mails left.
    await draft('PATCH', '/templates/one', { text: '1b' });
    await createApprovalJobs(mailer).watch();
    expect(await mails()).toHaveLength(2);
    for (let taken = 0; taken < 19; taken += 1) {
      await server.database.sql.begin((transaction) =>
        takeApprovalMails(transaction, [server.accountId], server.clock.now()),
      );
    }
    await draft('POST', '/templates', { slug: 'three', name: 'Three', text: '3' });
    await createApprovalJobs(mailer).watch();
    expect(await mails()).toHaveLength(2);
    server.clock.advance(11 * 60_000);
    await createApprovalJobs(mailer).watch();
    expect((await mails()).slice(2).map(({ subject }) => subject)).toEqual([
      'Waiting for your approval: a draft of “Three”',
      'Waiting for your approval: a draft of “Three”',
    ]);
  });

  it('count reminders against the same limit, delay them when it is used up, and combine hundreds into one', async () => {
    const { sql } = server.database;
    const held = await hold();
    await createApprovalJobs(mailer).notify();
    server.clock.advance(36.1 * HOUR_MS);
    const { accountId } = server;
    const now = server.clock.now();
    for (let taken = 0; taken < 20; taken += 1) {
      expect(await sql.begin((transaction) => takeApprovalMails(transaction, [accountId], now))).toEqual(
        new Set([accountId]),
      );
    }
    expect(await sql.begin((transaction) => takeApprovalMails(transaction, [accountId], now))).toEqual(new Set());
    expect(await remindApprovers(mailer)).toBe(0);
    server.clock.advance(10 * 60_000);
    expect(await remindApprovers(mailer)).toBe(1);
    expect((await mails()).map(({ subject }) => subject)).toEqual([
      'Waiting for your approval: “Hello”',
      'Still waiting for your approval: “Hello”',
    ]);
    expect(await remindApprovers(mailer)).toBe(0);
    await server.call('DELETE', `/emails/${held.id}`);
    const emails = Array.from({ length: 100 }, () => ({ ...DEFAULT_SEND, to: 'bob@receiver.example' }));
    for (let batch = 0; batch < 3; batch += 1)
      await server.call('POST', '/emails/batch', { key: agent, body: { emails } });
    await createApprovalJobs(mailer).notify();
    expect((await mails()).slice(2).map(({ subject }) => subject)).toEqual(['Waiting for your approval: 300 emails']);
  });

  it('show everything behind the link and change nothing, however often it is opened', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const html = '<p onclick="x()">Look<script>alert(1)</script> <a href="https://evil.example/x">bank.example</a></p>';
    const { body: held } = await server.send(
      { to: 'bob@receiver.example', bcc: 'hidden@receiver.example', subject: '<b>Hi</b>', html },
      { key: agent },
    );
    await notifyApprovers(mailer);
    const link = linkIn((await mails())[0]?.text ?? '');
    for (let visit = 0; visit < 3; visit += 1) {
      await fetch(link, { method: 'HEAD' });
      const page = await fetch(link);
      const shown = await page.text();
      expect(page.status).toBe(200);
      expect(shown).toContain('hidden@receiver.example');
      expect(shown).toContain('&lt;b&gt;Hi&lt;/b&gt;');
      expect(shown).toContain('<li class="tag mono"><bdi>evil.example</bdi></li>');
      expect(shown).toContain('<dt>Opens</dt><dd class="mono"><bdi>https://evil.example/x</bdi></dd>');
      // The script of the page itself is a file of this server.
      expect(shown.replace(/<script type="module" src="\/assets\/[\w-]+\/console\.js">/, '')).not.toContain('<script');
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'/);
    }
    const frame = await fetch(`${link}/html`);
    const shown = await frame.text();
    expect(shown).toContain('<p>Look <a href="#">bank.example</a></p>');
    expect(shown).not.toMatch(/script|onclick|href="[^#]/);
    expect(frame.headers.get('content-security-policy')).toMatch(/default-src 'none'.*; sandbox$/);
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('pending_approval');
    expect((await fetch(link, { method: 'PUT' })).status).toBe(405);
  });

  it('show reply addresses, names and headers behind the link, and approve nothing when Enter is pressed', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const fields = { to: 'The Boss <bob@receiver.example>', reply_to: 'Spy <spy@elsewhere.example>' };
    await server.send({ ...fields, headers: { 'X-Campaign': 'autumn' }, unsubscribe: true }, { key: agent });
    await notifyApprovers(mailer);
    const page = await (await fetch(linkIn((await mails())[0]?.text ?? ''))).text();
    expect(page).toContain(
      '<dt>To</dt><dd><span class="line"><bdi>The Boss &lt;bob@receiver.example&gt;</bdi></span></dd>',
    );
    expect(page).toContain('<dt>Reply to</dt><dd><bdi>Spy &lt;spy@elsewhere.example&gt;</bdi></dd>');
    expect(page).toContain('<dt>Header X-Campaign</dt><dd><bdi>autumn</bdi></dd>');
    expect(page).toContain('<dt>Unsubscribe</dt>');
    // The first submit button of a form is what Enter presses; where that one is disabled, nothing is sent.
    expect(/<(?:input type="submit"|button)[^>]*>/.exec(page)?.[0]).toMatch(/ disabled hidden>$/);
  });

  it('decide nothing when the form contains what the database cannot store', async () => {
    const held = await hold();
    await notifyApprovers(mailer);
    const link = linkIn((await mails())[0]?.text ?? '');
    expect((await post(link, { decision: 'reject', rejectCode: 'other', rejectNote: 'a\u0000b' })).status).toBe(422);
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('pending_approval');
  });

  it('are decided once through the link, under 50 parallel posts, in the name of its approver', {
    tags: ['approvals.who-decides', 'contract-errors.409-approvals'],
  }, async () => {
    const held = await hold();
    await notifyApprovers(mailer);
    const link = linkIn((await mails())[0]?.text ?? '');
    const { contentHash } = (await server.call('GET', `/keys/approvals/${held.approvalId}`)).body;
    const responses = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        post(
          link,
          n % 2 === 0 ? { decision: 'approve', contentHash } : { decision: 'reject', contentHash, rejectCode: 'other' },
        ),
      ),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 410)).toHaveLength(49);
    const { body } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    const [owner] = await server.database.sql`SELECT id FROM members WHERE account_id = ${server.accountId}`;
    expect(body.decidedBy).toBe(owner?.['id']);
    const [event] = await server.database.sql`
      SELECT way, address FROM approval_events WHERE approval_id = ${held.approvalId} AND type IN ('approved', 'rejected')`;
    expect(event).toEqual({ way: 'mail', address: '127.0.0.1' });
    expect((await fetch(link)).status).toBe(410);
    const [used] = await server.database.sql`SELECT used_at FROM approval_links WHERE used_at IS NOT NULL`;
    expect(used?.['used_at']).toBeInstanceOf(Date);
    // Links stay as long as what they show, and those of what waits as long as it waits.
    const waiting = await hold();
    await notifyApprovers(mailer);
    const links = async () =>
      await server.database
        .sql`SELECT approval_id FROM approval_links WHERE approval_id IN (${held.approvalId}, ${waiting.approvalId})`;
    const never = new Date(0);
    const ages = { requestsBefore: never, idempotencyBefore: never, capturedBefore: never, messagesBefore: never };
    const purge = async (bodiesBefore: Date) =>
      await purgeExpired(server.database.sql, { ...ages, bodiesBefore, openStatuses: ['pending_approval'] });
    const there = await links();
    expect(there.length).toBeGreaterThan(1);
    await purge(never);
    expect(await links()).toHaveLength(there.length);
    await purge(new Date(server.clock.now().getTime() + HOUR_MS));
    expect(new Set((await links()).map((row) => row['approval_id']))).toEqual(new Set([waiting.approvalId]));
  });

  it('reject links that are forged, truncated, or belong to a former approver', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const held = await hold();
    await notifyApprovers(mailer);
    const link = linkIn((await mails())[0]?.text ?? '');
    const forged = `${server.baseUrl}/approvals/${'A'.repeat(43)}`;
    for (const wrong of [forged, link.slice(0, -1), `${link}x`]) {
      expect((await fetch(wrong)).status).toBe(404);
      expect((await post(wrong, { decision: 'approve' })).status).toBe(404);
    }
    expect((await post(link, { decision: 'whatever' })).status).toBe(422);
    expect((await post(link, { decision: 'approve', contentHash: 'other' })).status).toBe(409);
    await server.database.sql`UPDATE members SET role = 'viewer' WHERE account_id = ${server.accountId}`;
    expect((await post(link, { decision: 'approve' })).status).toBe(404);
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('pending_approval');
  });

  it('keep approval mail out of the account’s own log when it was sent from one of its domains', async () => {
    await server.addDomain('acme.example');
    await hold();
    await notifyApprovers({ ...mailer, mailFrom: 'Approvals <no-reply@acme.example>' });
    const [mail] = await mails();
    expectProblem(await server.call('GET', `/emails/${mail?.id}`), 404, 'not_found');
    const { body } = await server.call('GET', '/emails');
    expect(body.messages.map(({ tags }: { tags: string[] }) => tags)).not.toContainEqual(['approval']);
  });
});
