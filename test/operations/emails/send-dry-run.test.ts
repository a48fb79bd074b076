import { randomUUID } from 'node:crypto';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const CHECKS = [
  ...['account', 'domain', 'allowlist', 'suppression', 'template', 'attachments', 'schedule', 'content', 'quota'],
];

describe('a dry run', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const tryOut = (body: Readonly<Record<string, unknown>> = {}, options = {}) =>
    server.send({ ...body, dry_run: true }, options);

  it('returns 200 with every check and the message as it would be sent', {
    tags: [
      'contract-dry-run.answer',
      'emails-send.dry-run',
      'emails-send.dry-run-shape',
      'send-request.dry-run',
      'service.dry-run',
    ],
  }, async () => {
    const key = await server.newKey();
    const { status, body, headers } = await tryOut(
      {
        from: 'Ada <ada@sandbox.test>',
        to: ['Bob <bob@example.com>', 'BOB@example.com', 'eve@example.com'],
        cc: 'carl@example.com',
        bcc: ['dora@example.com', 'delivered@sandbox.test'],
        reply_to: 'Team <team@example.com>',
        subject: 'Hello',
        html: '<p>Hi there</p>',
        headers: { 'X-Team': 'blue' },
        metadata: { order: '7' },
        tags: ['Welcome', 'welcome'],
        agent_name: 'herald',
      },
      { key },
    );
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(body).toEqual({
      dryRun: true,
      ok: true,
      checks: CHECKS.map((name) => ({ name, ok: true })),
      recipients: [
        { email: 'bob@example.com', kind: 'to', ok: true },
        { email: 'eve@example.com', kind: 'to', ok: true },
        { email: 'carl@example.com', kind: 'cc', ok: true },
        { email: 'dora@example.com', kind: 'bcc', ok: true },
        { email: 'delivered@sandbox.test', kind: 'bcc', ok: true },
      ],
      message: {
        from: 'Ada <ada@sandbox.test>',
        to: 'bob@example.com, eve@example.com',
        cc: ['carl@example.com'],
        bcc: ['dora@example.com', 'delivered@sandbox.test'],
        replyTo: 'Team <team@example.com>',
        subject: 'Hello',
        html: '<p>Hi there</p>',
        text: 'Hi there',
        headers: { 'X-Team': 'blue' },
        attachments: [],
        channel: 'api',
        source: 'backend',
        agentName: 'herald',
        tags: ['welcome'],
        metadata: { order: '7' },
        template: null,
        scheduledAt: null,
      },
      quota: { limit: 100_000, used: 0, cost: 4 },
      approvalRequired: false,
      reasons: [],
    });
  });

  it('never stops at the first failure', { tags: ['contract-dry-run.every-check'] }, async () => {
    const { accountId } = await server.newAccount();
    await server.database.sql`UPDATE accounts SET suspended_at = now(), monthly_quota = 1 WHERE id = ${accountId}`;
    await server.database.sql`INSERT INTO suppressions (account_id, id, email, reason, created_at)
      VALUES (${accountId}, ${randomUUID()}, 'gone@example.com', 'manual', now()), (${accountId}, ${randomUUID()}, 'both@example.org', 'manual', now())`;
    const key = await server.newKey({ accountId, recipientAllowlist: ['@example.com'] });
    const { status, body } = await tryOut(
      {
        from: 'a@nowhere.example',
        to: ['ok@example.com', 'Gone@example.com'],
        cc: 'no@example.org',
        bcc: 'both@example.org',
        scheduled_at: 'P31D',
        attachments: [{ filename: 'run.exe', content: 'AAAA' }],
      },
      { key },
    );
    expect(status).toBe(200);
    expect(body.ok).toBe(false);
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual(CHECKS);
    const failed = body.checks.filter(({ ok }: { ok: boolean }) => !ok);
    expect(failed).toEqual(
      [
        ['account', 'account_suspended'],
        ['domain', 'domain_not_verified'],
        ['allowlist', 'recipient_not_allowed'],
        ['suppression', 'recipient_suppressed'],
        ['attachments', 'attachment_type_refused'],
        ['schedule', 'validation_failed'],
        ['quota', 'quota_exceeded'],
      ].map(([name, code]) => ({
        ...{ name, ok: false, code },
        ...{ message: expect.stringMatching(/\S/), fix: expect.stringMatching(/\S/) },
      })),
    );
    expect(body.recipients).toEqual([
      { email: 'ok@example.com', kind: 'to', ok: true },
      { email: 'Gone@example.com', kind: 'to', ok: false, code: 'recipient_suppressed' },
      { email: 'no@example.org', kind: 'cc', ok: false, code: 'recipient_not_allowed' },
      { email: 'both@example.org', kind: 'bcc', ok: false, code: 'recipient_not_allowed' },
    ]);
    expect(body.quota).toEqual({ limit: 1, used: 0, cost: 4 });
    expect(body.message.text).toBe('Hi there');
  });

  it('reports for each check the error of a send', async () => {
    const key = await server.newKey({ recipientAllowlist: ['@example.com'] });
    const wrong = { to: 'a@example.org' };
    const refused = await server.send(wrong, { key });
    expectProblem(refused, 403, 'recipient_not_allowed');
    const { body } = await tryOut(wrong, { key });
    const check = body.checks.find(({ name }: { name: string }) => name === 'allowlist');
    expect(check).toMatchObject({ code: refused.body.code, message: refused.body.detail, fix: refused.body.fix });
  });

  it('is 422 when the body does not match its schema', { tags: ['contract-dry-run.answer'] }, async () => {
    expectInvalid(await tryOut({ to: 'nobody' }), ['to', 'invalid_email']);
    expectInvalid(await tryOut({ scheduled_at: '2026-01-31T09:00:00' }), ['scheduled_at', 'invalid_format']);
    expectInvalid(await server.send({ dry_run: 'yes' }), ['dry_run', 'invalid_type']);
    expectInvalid(await server.call('POST', '/emails?dry_run=true', { body: {} }), 'dry_run');
  });

  it('stores nothing, charges nothing, and sends nothing', {
    tags: ['contract-dry-run.free', 'contract-quota.dry-runs-free'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    await tryOut({ to: ['a@example.com', 'b@example.com'], scheduled_at: 'PT1H' }, { key });
    expect((await server.call('GET', '/emails', { key })).body.total).toBe(0);
    expect((await server.call('GET', '/keys/self', { key })).body.quota.used).toBe(0);
    for (const table of [
      'messages',
      'message_bodies',
      'message_events',
      'deliveries',
      'quota_usage',
      'idempotency_keys',
    ]) {
      const [row] = await server.database.sql.unsafe(`SELECT count(*)::int AS n FROM ${table} WHERE account_id = $1`, [
        accountId,
      ]);
      expect([table, row?.['n']]).toEqual([table, 0]);
    }
  });

  it('leaves an idempotency key alone, used or not', { tags: ['contract-idempotency.dry-runs'] }, async () => {
    const headers = { 'idempotency-key': 'tried' };
    expect((await tryOut({}, { headers })).status).toBe(200);
    const sent = await server.send({}, { headers });
    expect([sent.status, sent.headers.get('idempotency-replayed')]).toEqual([202, null]);
    const again = await tryOut({ subject: 'Another body' }, { headers });
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, null]);
  });

  it('with `false` sends', async () => {
    expect((await server.send({ dry_run: false })).status).toBe(202);
  });

  it('needs the scope of a send', async () => {
    expectProblem(await tryOut({}, { key: await server.newKey({ scopes: ['emails:read'] }) }), 403, 'missing_scope');
  });

  it('renders the templates that the key can send, also without `templates:read`, and no draft', async () => {
    const create = async (fields: object, key = server.key) =>
      (await server.call('POST', '/templates', { key, body: { subject: 'Hi', text: 'Dear {{ name }}', ...fields } }))
        .body;
    const published = await create({ name: 'Dear' });
    const author = { name: 'Author', scopes: ['full'], approvalMode: 'always' };
    const draft = await create({ name: 'Draft' }, (await server.call('POST', '/keys', { body: author })).body.key);
    const key = await server.newKey({ scopes: ['emails:send'] });
    const render = async (template: string) =>
      (await tryOut({ subject: undefined, text: undefined, template, variables: { name: 'Ada' } }, { key })).body;
    expect((await render(published.slug)).message.text).toBe('Dear Ada');
    expect(await render(draft.slug)).toMatchObject({ ok: false, message: { text: null } });
    for (const path of ['', `/${published.slug}`]) {
      expectProblem(await server.call('GET', `/templates${path}`, { key }), 403, 'missing_scope');
    }
  });

  it('shows a scheduled time, and test addresses as free', async () => {
    const { body } = await tryOut({ scheduled_at: 'PT1H', to: 'delivered+x@sandbox.test' });
    const aheadMs = Date.parse(body.message.scheduledAt) - server.clock.now().getTime();
    expect(Math.abs(aheadMs - 3_600_000)).toBeLessThan(10_000);
    expect(body.quota.cost).toBe(0);
  });

  it('has its own type in the SDK', async () => {
    const client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    const send = { from: 'a@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi' };
    const preview = await client.emails.send({ ...send, dry_run: true });
    expect([preview.ok, preview.message.channel]).toEqual([true, 'sdk']);
    const { id } = await client.emails.send(send);
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
});
