import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readHoldFacts } from '../../../packages/server/src/db/queries/hold-facts.ts';
import { type HoldRow, lockHoldingKeys } from '../../../packages/server/src/db/queries/insert-holds.ts';
import { decide, decidingKey, holdingKey, quotaUsed } from '../../approvals/approving.ts';
import { readCaptured } from '../../harness/captured-mail.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const RECORD_FIELDS = [
  ...[
    'id',
    'emailId',
    'status',
    'reasons',
    'revision',
    'contentHash',
    'keyId',
    'keyName',
    'agentName',
    'source',
    'channel',
  ],
  'votes',
  ...['from', 'to', 'cc', 'bcc', 'subject', 'text', 'html', 'attachments', 'scheduledAt', 'createdAt', 'expiresAt'],
  ...[
    'decidedAt',
    'decidedBy',
    'approvers',
    'note',
    'rejectCode',
    'edited',
    'outcome',
    'problem',
    'replyTo',
    'headers',
    'unsubscribe',
    'receipt',
  ],
];

describe('GET and POST of /keys/approvals and /keys/approvals/:id', () => {
  let server: TestApp;
  let agent: string;
  let agentId: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent, id: agentId } = await holdingKey(server, { name: 'Agent 7' }));
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const hold = async (body: Readonly<Record<string, unknown>> = {}, key = agent) => {
    const held = await server.send({ to: 'bob@receiver.example', ...body }, { key });
    expect(held.status).toBe(202);
    return held.body as { id: string; approvalId: string; reasons: string[]; expiresAt: string; status: string };
  };
  const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;
  const readEvents = async (id: string) => (await read(id)).events.map(({ type }: { type: string }) => type);

  it('returns the reasons for the hold of a send', {
    tags: ['approvals.held-answer', 'contract-messages.statuses-holds'],
  }, async () => {
    const held = await hold();
    expect(held).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'pending_approval',
      approvalId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      reasons: ['always'],
      expiresAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/),
    });
    const aheadMs = new Date(held.expiresAt).getTime() - server.clock.now().getTime();
    expect(aheadMs / 3_600_000).toBeCloseTo(72, 1);
    const listed = await server.call('GET', '/emails?status=pending_approval&limit=1');
    expect(listed.body.messages[0]).toMatchObject({ id: held.id, status: 'pending_approval' });
  });

  it('returns the first result for the same request under an idempotency key, decided or not', {
    tags: ['approvals.held-answer'],
  }, async () => {
    const options = { key: agent, headers: { 'idempotency-key': 'held-once' } };
    const first = await server.send({}, options);
    const again = await server.send({}, options);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body });
    await decide(server, decider, first.body.approvalId);
    expect((await server.send({}, options)).body).toEqual(first.body);
  });

  it('says in a dry run that a send would be held, and why', { tags: ['contract-dry-run.answer'] }, async () => {
    const { body } = await server.send({ dry_run: true }, { key: agent });
    expect(body).toMatchObject({ ok: true, approvalRequired: true, reasons: ['always'] });
    const { body: free } = await server.send({ dry_run: true });
    expect(free).toMatchObject({ approvalRequired: false, reasons: [] });
  });

  it('shows everything held in the record, and its hash', {
    tags: ['approvals.record-fields', 'approvals.pinned', 'approvals.bodies', 'records.approval'],
  }, async () => {
    const held = await hold({
      ...{ cc: 'Cy <cy@receiver.example>', bcc: ['di@receiver.example'], html: '<p>Hi</p>', agent_name: 'Otto' },
      ...{ attachments: [{ filename: 'a.txt', content: 'aGk=' }], scheduled_at: 'PT2H', source: 'agent' },
    });
    const { status, body } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    expect(status).toBe(200);
    expect(Object.keys(body).toSorted()).toEqual(RECORD_FIELDS.toSorted());
    expect(body).toMatchObject({
      ...{ id: held.approvalId, emailId: held.id, status: 'pending', reasons: ['always'], revision: 1 },
      ...{ keyId: agentId, keyName: 'Agent 7', agentName: 'Otto', source: 'agent', channel: 'api' },
      ...{ from: 'Ada <ada@sandbox.test>', to: ['bob@receiver.example'], cc: ['Cy <cy@receiver.example>'] },
      ...{ bcc: ['di@receiver.example'], subject: 'Hello', text: 'Hi there', html: '<p>Hi</p>', edited: [] },
      ...{ contentHash: expect.stringMatching(/^[0-9a-f]{64}$/), outcome: null, problem: null, decidedAt: null },
      attachments: [{ filename: 'a.txt', contentType: expect.any(String), size: 2 }],
      scheduledAt: expect.any(String),
    });
    const other = await hold({ bcc: ['dora@receiver.example'] });
    const { body: second } = await server.call('GET', `/keys/approvals/${other.approvalId}`, { key: agent });
    expect(second.contentHash).not.toBe(body.contentHash);
  });

  it('shows names, replies, headers and unsubscribing of the message in every response', {
    tags: ['approvals.list-shape'],
  }, async () => {
    const fields = {
      to: ['"Boss, The" <bob@receiver.example>', 'eve@receiver.example'],
      cc: 'Cy <cy@receiver.example>',
      bcc: 'Di <di@receiver.example>',
      reply_to: 'Spy <spy@elsewhere.example>',
      headers: { 'X-Campaign': 'autumn' },
      unsubscribe: true,
    };
    const held = await hold(fields);
    const shown = {
      ...{ to: fields.to, cc: [fields.cc], bcc: [fields.bcc] },
      ...{ replyTo: fields.reply_to, headers: fields.headers, unsubscribe: true },
    };
    const path = `/keys/approvals/${held.approvalId}`;
    const { body: got } = await server.call('GET', path, { key: agent });
    expect(got).toMatchObject(shown);
    const { body: listed } = await server.call('GET', '/keys/approvals?limit=1', { key: agent });
    expect(listed.approvals).toEqual([got]);
    // What the record shows can be given back as an edit, and is no change.
    const edits = { to: got.to, cc: got.cc, bcc: got.bcc };
    const decided = await decide(server, decider, held.approvalId, { decision: 'approve', edits });
    expect(decided.body).toMatchObject({ ...shown, revision: 1, edited: [], outcome: 'queued' });
    const plain = (await server.call('GET', `/keys/approvals/${(await hold()).approvalId}`, { key: agent })).body;
    expect(plain).toMatchObject({ replyTo: null, headers: {}, unsubscribe: false });
  });

  it('counts a key as revoked that another server with a clock ahead has revoked', async () => {
    const { key, id } = await holdingKey(server);
    const held = await hold({}, key);
    const ahead = new Date(server.clock.now().getTime() + 5_000);
    const { sql } = server.database;
    await sql`UPDATE api_keys SET revoked_at = ${ahead} WHERE id = ${id}`;
    const { body } = await decide(server, decider, held.approvalId);
    expect(body).toMatchObject({ outcome: 'failed', problem: { code: 'issuing_key_revoked' } });
    const { keys } = await readHoldFacts(sql, {
      keys: [{ accountId: server.accountId, keyId: id }],
      recipients: [],
      templates: [],
      replyDomains: [],
    });
    expect(keys).toMatchObject([{ keyId: id, isRevoked: true }]);
    const row = { account_id: server.accountId, key_id: id, charged: 0 } as HoldRow; // All that is read of it.
    await expect(sql.begin((transaction) => lockHoldingKeys(transaction, [row], 100_000))).rejects.toMatchObject({
      code: 'PR001',
    });
  });

  it('lists holds in pages, by status, and those of a key to that key alone', {
    tags: ['approvals.list', 'approvals.list-shape', 'approvals.visibility'],
  }, async () => {
    const { key: other } = await holdingKey(server, { scopes: ['sending'] });
    const held = await hold({}, other);
    const own = await server.call('GET', '/keys/approvals', { key: other });
    expect(own.body).toMatchObject({ approvals: [{ id: held.approvalId }], total: 1, nextCursor: null });
    expectProblem(
      await server.call('GET', `/keys/approvals/${(await hold()).approvalId}`, { key: other }),
      ...([404, 'not_found'] as const),
    );
    const first = await server.call('GET', '/keys/approvals?status=pending&limit=2', { key: decider });
    expect(first.body.approvals).toHaveLength(2);
    expect(first.body.total).toBeGreaterThan(2);
    const path = `/keys/approvals?status=pending&limit=2&cursor=${first.body.nextCursor}`;
    const second = await server.call('GET', path, { key: decider });
    const ids = [...first.body.approvals, ...second.body.approvals].map(({ id }: { id: string }) => id);
    expect(ids).toEqual([...new Set(ids)].toSorted().toReversed());
    expectProblem(
      await server.call('GET', path.replace('pending', 'rejected'), { key: decider }),
      422,
      'invalid_cursor',
    );
    expectInvalid(await server.call('GET', '/keys/approvals?status=open'), 'status');
  });

  it('lists holds without their content', { tags: ['approvals.list'] }, async () => {
    const held = await hold({ html: '<p>Long</p>', text: 'Long' });
    const { body } = await server.call('GET', '/keys/approvals?limit=1&content=false', { key: decider });
    expect(body.approvals[0]).toMatchObject({
      id: held.approvalId,
      html: null,
      text: null,
      subject: expect.any(String),
    });
    const whole = await server.call('GET', '/keys/approvals?limit=1', { key: decider });
    expect(whole.body.approvals[0]).toEqual({ ...body.approvals[0], html: '<p>Long</p>', text: 'Long' });
  });

  it('approves: the message is sent, with an event for it', {
    tags: ['approvals.decide', 'approvals.outcome', 'contract-messages.trail-types-approvals'],
  }, async () => {
    const held = await hold({ subject: 'Approved one' });
    const { status, body } = await decide(server, decider, held.approvalId, { decision: 'approve', note: 'fine' });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { status: 'approved', outcome: 'queued', problem: null, note: 'fine', revision: 1, edited: [] },
    });
    expect(body.decidedAt).toEqual(expect.any(String));
    expect(body.decidedBy).toEqual(expect.stringMatching(/^[0-9a-f-]{36}$/));
    await server.pump();
    const { body: message } = await server.settled(held.id);
    expect(message).toMatchObject({
      status: 'delivered',
      approval: {
        id: held.approvalId,
        status: 'approved',
        reasons: ['always'],
        rejectCode: null,
        note: 'fine',
        edited: [],
      },
    });
    expect((await readEvents(held.id)).slice(0, 3)).toEqual(['pending_approval', 'approved', 'queued']);
    expect(await readCaptured(server, 'Approved one')).toHaveLength(1);
  });

  it('rejects with a code, and returns the quota', {
    tags: ['approvals.decision', 'contract-quota.given-back-holds'],
  }, async () => {
    const used = await quotaUsed(server);
    const held = await hold({ to: ['a@receiver.example', 'b@receiver.example'] });
    expect(await quotaUsed(server)).toBe(used + 2);
    const { body } = await decide(server, decider, held.approvalId, {
      ...{ decision: 'reject', rejectCode: 'wrong_recipient', note: 'Not Bob.' },
    });
    expect(body).toMatchObject({ status: 'rejected', rejectCode: 'wrong_recipient', note: 'Not Bob.', outcome: null });
    expect(await quotaUsed(server)).toBe(used);
    expect(await read(held.id)).toMatchObject({
      status: 'rejected',
      approval: { status: 'rejected', rejectCode: 'wrong_recipient', note: 'Not Bob.' },
    });
    expect(await readEvents(held.id)).toEqual(['pending_approval', 'rejected']);
  });

  it('creates a new revision for edits, keeps the difference, and sends the edited message', {
    tags: ['approvals.decision'],
  }, async () => {
    const used = await quotaUsed(server);
    const held = await hold({ subject: 'Before', html: '<p>Old <b>words</b></p>', text: undefined });
    const { body: before } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    const edits = {
      to: ['Cy <cy@receiver.example>', 'di@receiver.example'],
      subject: 'After edit',
      html: '<p>New</p>',
    };
    const { body } = await decide(server, decider, held.approvalId, { decision: 'approve', edits });
    expect(body).toMatchObject({
      ...{
        revision: 2,
        edited: ['to', 'subject', 'html', 'text'],
        subject: 'After edit',
        text: 'New',
        html: '<p>New</p>',
      },
      to: ['Cy <cy@receiver.example>', 'di@receiver.example'],
    });
    expect(body.contentHash).not.toBe(before.contentHash);
    expect(await quotaUsed(server)).toBe(used + 2);
    const [kept] = await server.database
      .sql`SELECT revision, changes FROM approval_revisions WHERE approval_id = ${held.approvalId}`;
    expect(kept).toMatchObject({ revision: 2, changes: { subject: { before: 'Before', after: 'After edit' } } });
    await server.pump();
    await server.settled(held.id);
    const [mail] = await readCaptured(server, 'After edit');
    expect(mail?.to.toSorted()).toEqual(['cy@receiver.example', 'di@receiver.example']);
    expect((await server.call('GET', '/emails?q=After%20edit')).body.messages).toHaveLength(1);
  });

  it('derives the text of edited HTML however large it is, and keeps a text that was not derived', {
    tags: ['approvals.decision'],
  }, async () => {
    const large = (word: string) => `<p>${`${word} <b>bold</b> `.repeat(5_000)}</p>`;
    const edits = { html: large('new') };
    const derived = await hold({ html: large('old'), text: undefined });
    const { body } = await decide(server, decider, derived.approvalId, { decision: 'approve', edits });
    expect(body).toMatchObject({ edited: ['html', 'text'], html: edits.html });
    expect(body.text.startsWith('new bold new bold')).toBe(true);
    const written = await hold({ html: large('old'), text: 'As written' });
    const kept = await decide(server, decider, written.approvalId, { decision: 'approve', edits });
    expect(kept.body).toMatchObject({ edited: ['html'], html: edits.html, text: 'As written' });
  });

  it('fails an approved message that the rules now reject, and returns its quota', {
    tags: ['approvals.outcome'],
  }, async () => {
    const used = await quotaUsed(server);
    const held = await hold({ to: 'gone@receiver.example' });
    await server.call('POST', '/suppressions', { body: { email: 'gone@receiver.example' } });
    const { status, body } = await decide(server, decider, held.approvalId);
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ...{ status: 'approved', outcome: 'failed' },
        problem: {
          code: 'recipient_suppressed',
          recipients: [{ email: 'gone@receiver.example', kind: 'to', code: 'recipient_suppressed' }],
        },
      },
    });
    expect(await read(held.id)).toMatchObject({
      status: 'failed',
      lastError: expect.stringContaining('gone@receiver.example'),
    });
    expect(await readEvents(held.id)).toEqual(['pending_approval', 'approved', 'failed']);
    expect(await quotaUsed(server)).toBe(used);
  });

  it('applies the key’s allowlist to edited recipients', {
    tags: ['approvals.outcome', 'approvals.decision'],
  }, async () => {
    const { key } = await holdingKey(server, { recipientAllowlist: ['@receiver.example'] });
    const held = await hold({}, key);
    const { body } = await decide(server, decider, held.approvalId, {
      decision: 'approve',
      edits: { cc: ['spy@elsewhere.example'] },
    });
    expect(body).toMatchObject({ outcome: 'failed', problem: { code: 'recipient_not_allowed' } });
  });

  it('fails what is approved while sending is paused', { tags: ['approvals.outcome'] }, async () => {
    const { key, id } = await holdingKey(server);
    const held = await hold({}, key);
    await server.call('POST', `/keys/${id}/pause`);
    const { body } = await decide(server, decider, held.approvalId);
    expect(body).toMatchObject({ outcome: 'failed', problem: { code: 'sending_paused' } });
  });

  it('decides once, and only on the revision that was shown', {
    tags: ['contract-errors.409-approvals', 'approvals.decision'],
  }, async () => {
    const held = await hold();
    expectProblem(
      await decide(server, decider, held.approvalId, { decision: 'approve', contentHash: 'f'.repeat(64) }),
      ...([409, 'approval_changed'] as const),
    );
    const { body: record } = await server.call('GET', `/keys/approvals/${held.approvalId}`, { key: agent });
    const { contentHash } = record;
    expect((await decide(server, decider, held.approvalId, { decision: 'reject', contentHash })).status).toBe(200);
    for (const decision of ['approve', 'reject']) {
      expectProblem(await decide(server, decider, held.approvalId, { decision }), 409, 'approval_already_decided');
    }
    expectProblem(await decide(server, decider, 'nothing'), 404, 'not_found');
    const foreign = await server.newAccount();
    const other = await server.newKey({ accountId: foreign.accountId, scopes: ['approvals:decide', 'approvals:read'] });
    expectProblem(await decide(server, other, held.approvalId), 404, 'not_found');
  });

  it('rejects decisions that contradict themselves', { tags: ['approvals.decision'] }, async () => {
    const held = await hold();
    const bad = async (body: Readonly<Record<string, unknown>>) => await decide(server, decider, held.approvalId, body);
    expectInvalid(await bad({}), 'decision');
    expectInvalid(await bad({ decision: 'approve', rejectCode: 'other' }), ['rejectCode', 'conflict']);
    expectInvalid(await bad({ decision: 'reject', edits: { subject: 'x' } }), ['edits', 'conflict']);
    expectInvalid(await bad({ decision: 'reject', remember: true }), ['remember', 'conflict']);
    expectInvalid(await bad({ decision: 'reject', rejectCode: 'boring' }), 'rejectCode');
    expectInvalid(await bad({ decision: 'approve', edits: { from: 'x@sandbox.test' } }), [
      'edits.from',
      'unknown_field',
    ]);
    expectInvalid(await bad({ decision: 'approve', edits: { to: ['nobody'] } }), 'edits.to.0');
    expectInvalid(await bad({ decision: 'approve', edits: { text: '' } }), 'edits.text');
    expectInvalid(await bad({ decision: 'approve', edits: { scheduled_at: 'P90D' } }), 'edits.scheduled_at');
    expectInvalid(await bad({ decision: 'approve', note: 'n'.repeat(1_001) }), 'note');
    expect((await read(held.id)).status).toBe('pending_approval');
  });

  it('lets no key decide its own sends, and no held key decide', {
    tags: ['approvals.who-decides', 'contract-errors.403-approvals'],
  }, async () => {
    const { id, key } = await holdingKey(server);
    const held = await hold({}, key);
    const own = () => decide(server, key, held.approvalId);
    expectProblem(await own(), 403, 'self_approval_forbidden');
    // However it came to the scope: the issuing key stays the issuing key.
    await server.database
      .sql`UPDATE api_keys SET scopes = scopes || '{approvals:decide}', approval_mode = 'off' WHERE id = ${id}`;
    server.app.services.callers.forget();
    expectProblem(await own(), 403, 'self_approval_forbidden');
    const other = await hold();
    await server.database.sql`UPDATE api_keys SET approval_mode = 'policy' WHERE id = ${id}`;
    server.app.services.callers.forget();
    expectProblem(await decide(server, key, other.approvalId), 403, 'self_approval_forbidden');
    const many = { ids: [other.approvalId], decision: 'approve' };
    expectProblem(await server.call('POST', '/keys/approvals', { key, body: many }), 403, 'self_approval_forbidden');
    const plain = await server.newKey({ scopes: ['full'] });
    expectProblem(await decide(server, plain, other.approvalId), 403, 'missing_scope');
    expect((await read(other.id)).status).toBe('pending_approval');
  });

  it('gives keys in approval mode no scope that would bypass it', { tags: ['approvals.who-decides'] }, async () => {
    const make = async (fields: Readonly<Record<string, unknown>>) =>
      await server.call('POST', '/keys', { body: { name: 'Agent', approvalMode: 'always', ...fields } });
    for (const scope of ['keys:write', 'team:write']) {
      expectInvalid(await make({ scopes: ['emails:send', scope] }), ['scopes', 'conflict']);
    }
    const { body } = await make({ scopes: ['full'] });
    expect(body.scopes).toContain('emails:send');
    expect(body.scopes).not.toContain('keys:write');
    const free = await server.call('POST', '/keys', { body: { name: 'Free', scopes: ['full'] } });
    const path = `/keys/${free.body.id}`;
    expectInvalid(await server.call('PATCH', path, { body: { approvalMode: 'always' } }), ['scopes', 'conflict']);
    const narrowed = { approvalMode: 'always', scopes: ['sending'] };
    expect((await server.call('PATCH', path, { body: narrowed })).body).toMatchObject({ approvalMode: 'always' });
    expectInvalid(await make({ scopes: ['sending'], approvalMode: 'policy' }), ['holdWhen', 'required']);
  });

  it('stops deciding many once the right to decide is revoked', { tags: ['approvals.many'] }, async () => {
    const revoked = await server.newKey({ scopes: ['approvals:decide', 'approvals:read'] });
    const { id } = (await server.call('GET', '/keys/self', { key: revoked })).body;
    const holds = [await hold(), await hold(), await hold()];
    const { sql } = server.database;
    await sql.unsafe(`
      CREATE FUNCTION revoke_decider() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
      BEGIN UPDATE api_keys SET revoked_at = now() WHERE id = '${id}'; RETURN NULL; END $$;
      CREATE TRIGGER revoke_decider AFTER UPDATE ON approvals FOR EACH ROW EXECUTE FUNCTION revoke_decider()`);
    try {
      const body = { ids: holds.map(({ approvalId }) => approvalId), decision: 'approve' };
      const { body: response } = await server.call('POST', '/keys/approvals', { key: revoked, body });
      expect(response).toMatchObject({ accepted: 1, refused: 2 });
    } finally {
      await sql.unsafe('DROP TRIGGER revoke_decider ON approvals; DROP FUNCTION revoke_decider()');
    }
    expect((await read(holds[2]?.id ?? '')).status).toBe('pending_approval');
  });

  it('decides many, each by itself', { tags: ['approvals.many'] }, async () => {
    const [one, two] = [await hold(), await hold()];
    await decide(server, decider, two.approvalId, { decision: 'reject' });
    const ids = [one.approvalId, two.approvalId, 'nothing'];
    const body = { ids, decision: 'approve', note: 'all' };
    const { status, body: response } = await server.call('POST', '/keys/approvals', { key: decider, body });
    expect(status).toBe(207);
    expect(response).toMatchObject({
      ...{ accepted: 1, refused: 2, total: 3 },
      results: [
        { index: 0, id: one.approvalId, ok: true, approval: { status: 'approved', outcome: 'queued', note: 'all' } },
        { index: 1, id: two.approvalId, ok: false, error: { code: 'approval_already_decided' } },
        { index: 2, id: 'nothing', ok: false, error: { code: 'not_found' } },
      ],
    });
  });

  it('trusts remembered recipients for this key, and unknown ones no more than before', {
    tags: ['approvals.decision', 'approvals.modes'],
  }, async () => {
    const holdWhen = { firstContact: true, recipientDomainNotIn: ['sandbox.test'] };
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen });
    const held = await hold({ to: 'friend@far.example' }, key);
    expect(held.reasons).toEqual(['firstContact', 'recipientDomainNotIn']);
    await decide(server, decider, held.approvalId, { decision: 'approve', remember: true });
    expect((await server.send({ to: 'Friend@far.example' }, { key })).body.status).toBe('queued');
    expect((await server.send({ to: 'foe@far.example' }, { key })).body.reasons).toEqual([
      'firstContact',
      'recipientDomainNotIn',
    ]);
  });

  it('holds a template that the key wrote itself, under any name, and sends those of others', {
    tags: ['approvals.modes'],
  }, async () => {
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { freeformBody: true } });
    const { key: other } = await holdingKey(server);
    // What such a key writes is a draft now; versions from before drafts are live, and name no author of their parts.
    const enact = async (slug: string) => {
      await server.database.sql`
        UPDATE templates SET current_version = last_version WHERE account_id = ${server.accountId} AND slug = ${slug}`;
      await server.database.sql`
        UPDATE template_versions v SET status = 'published', authors = NULL FROM templates t
        WHERE t.account_id = v.account_id AND t.id = v.template_id AND t.slug = ${slug} AND v.status = 'draft'`;
    };
    const write = async (slug: string, writer?: string) => {
      const body = { slug, name: slug, subject: 'Hi', text: `By ${slug}` };
      const { body: made } = await server.call('POST', '/templates', {
        ...(writer === undefined ? {} : { key: writer }),
        body,
      });
      await enact(slug);
      return made;
    };
    const send = async (template: string) => {
      const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template };
      return (await server.call('POST', '/emails', { key, body })).body;
    };
    const held = { status: 'pending_approval', reasons: ['freeformBody'] };
    const own = await write('own', key);
    await write('vetted');
    await write('of-another-agent', other);
    const first = await send('vetted');
    expect(first).toMatchObject({ status: 'queued' });
    const written = await send('own');
    expect(written).toMatchObject(held);
    expect(await send('of-another-agent')).toMatchObject(held);
    const preview = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template: 'own', dry_run: true };
    const previewed = await server.call('POST', '/emails', { key, body: preview });
    expect(previewed.body).toMatchObject({ approvalRequired: true, reasons: ['freeformBody'] });
    // What someone else wrote sends on; what the key makes of it does not, and again that of someone else.
    const change = async (name: string, body: object, by?: string) =>
      await server.call('PATCH', `/templates/${name}`, { ...(by === undefined ? {} : { key: by }), body });
    await change('vetted', { text: 'Mine' }, key);
    expect(await send('vetted')).toMatchObject({ status: 'queued' });
    await enact('vetted');
    expect(await send('vetted')).toMatchObject(held);
    expect(await send('vetted@1')).toMatchObject({ status: 'queued' });
    await change('vetted', { rollbackTo: 1 });
    expect(await send('vetted')).toMatchObject({ status: 'queued' });
    const resend = async (id: string) => (await server.call('POST', `/emails/${id}/resend`, { key })).body;
    const later = await send('vetted');
    // The values that a first send had are not stored, so that its resend is free text.
    expect(await resend(later.id)).toMatchObject({ status: 'pending_approval' });
    // A name that leads to someone else's template by now says nothing of what was sent by it.
    server.clock.advance(1_000);
    await change(own.id, { slug: 'own-before' });
    await change('vetted', { slug: 'own' });
    expect(await resend(written.id)).toMatchObject({ status: 'pending_approval' });
    expect(await send('own')).toMatchObject({ status: 'queued' });
  });

  it('holds a vetted template with the sender’s own subject, name, reply address, header or variable', {
    tags: ['holes.freeform'],
  }, async () => {
    const holdWhen = { freeformBody: true };
    const { key } = await holdingKey(server, {
      approvalMode: 'policy',
      holdWhen,
      persona: { agentName: 'Support agent' },
    });
    const template = { slug: 'vetted-values', name: 'Vetted', subject: 'Hi', text: 'Dear {{ name | default: "you" }}' };
    expect((await server.call('POST', '/templates', { body: template })).status).toBe(201);
    const send = async (more: object) => {
      const body = { from: 'ada@sandbox.test', to: 'bob@receiver.example', template: 'vetted-values', ...more };
      return (await server.call('POST', '/emails', { key, body })).body;
    };
    for (const more of [{}, { from: 'Support agent <ada@sandbox.test>' }, { variables: { name: 'Ada' } }]) {
      expect(await send(more)).toMatchObject({ status: 'queued' });
    }
    expect(await send({ reply_to: 'help@sandbox.test' })).toMatchObject({ status: 'queued' });
    const added = [
      ...[{ subject: 'Pay at https://evil.com' }, { from: 'Your bank <ada@sandbox.test>' }, { reply_to: 'a@evil.com' }],
      ...[{ headers: { 'List-Unsubscribe': '<https://evil.com>' } }, { variables: { name: 'https://evil.com' } }],
    ];
    for (const more of added) {
      expect(await send(more), JSON.stringify(more)).toMatchObject({
        status: 'pending_approval',
        reasons: ['freeformBody'],
      });
    }
  });

  it('knows past recipients of the account, without held messages and those of test keys', {
    tags: ['approvals.modes'],
  }, async () => {
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { firstContact: true } });
    const to = 'met@receiver.example';
    const test = await server.newKey({ mode: 'test' });
    expect((await server.send({ to }, { key: test })).body.status).toBe('queued');
    expect((await server.send({ to }, { key })).body.reasons).toEqual(['firstContact']);
    expect((await server.send({ to }, { key })).body.reasons).toEqual(['firstContact']);
    expect((await server.send({ to })).body.status).toBe('queued');
    expect((await server.send({ to }, { key })).body).toEqual({ id: expect.any(String), status: 'queued' });
  });

  it('cancels a held message together with its hold', { tags: ['contract-resend-and-cancel.withdraws'] }, async () => {
    const used = await quotaUsed(server);
    for (const [method, suffix] of [
      ['DELETE', ''],
      ['POST', '/cancel'],
    ] as const) {
      const held = await hold();
      const { status, body } = await server.call(method, `/emails/${held.id}${suffix}`, { key: agent });
      expect({ status, body }).toEqual({ status: 200, body: { id: held.id, status: 'canceled' } });
      expect(await read(held.id)).toMatchObject({
        status: 'canceled',
        bodyExpired: true,
        approval: { status: 'withdrawn' },
      });
      expectProblem(await decide(server, decider, held.approvalId), 409, 'approval_already_decided');
    }
    expect(await quotaUsed(server)).toBe(used);
    const held = await hold({ scheduled_at: 'PT1H' });
    const moved = await server.call('PATCH', `/emails/${held.id}`, { body: { scheduled_at: 'PT2H' } });
    expectProblem(moved, 409, 'message_not_queued');
    expect(moved.body.currentStatus).toBe('pending_approval');
  });

  it('withdraws the holds of a revoked key, and keeps those of a rotated one', {
    tags: ['approvals.visibility'],
  }, async () => {
    const used = await quotaUsed(server);
    const { key, id } = await holdingKey(server);
    const held = [await hold({}, key), await hold({}, key)];
    await server.call('POST', `/keys/${id}/rotate`, { body: { graceSeconds: 0 } });
    expect((await read(held[0]?.id ?? '')).status).toBe('pending_approval');
    expect((await server.call('DELETE', `/keys/${id}`)).status).toBe(200);
    for (const one of held)
      expect(await read(one.id)).toMatchObject({ status: 'canceled', approval: { status: 'withdrawn' } });
    expect(await quotaUsed(server)).toBe(used);
  });

  it('keeps a scheduled message until its time after approval, and sends it immediately when that is past', async () => {
    const waits = await hold({ scheduled_at: 'PT1H' });
    await decide(server, decider, waits.approvalId);
    await server.pump();
    expect(await read(waits.id)).toMatchObject({ status: 'queued' });
    expect(await readEvents(waits.id)).toEqual(['pending_approval', 'approved', 'queued', 'scheduled']);
    expect((await server.call('DELETE', `/emails/${waits.id}`)).status).toBe(200);
    const late = await hold({ scheduled_at: 'PT2S' });
    server.clock.advance(3_000);
    await decide(server, decider, late.approvalId);
    await server.pump();
    expect((await server.settled(late.id)).body.status).toBe('delivered');
  });

  it('waits for a decision, on any process', {
    tags: ['approvals.record-fields', 'contract-messages.wait-holds'],
  }, async () => {
    const held = await hold();
    const waiting = server.call('GET', `/keys/approvals/${held.approvalId}?wait=30`, { key: agent });
    const message = server.call('GET', `/emails/${held.id}?wait=30`);
    await decide(server, decider, held.approvalId, { decision: 'reject' });
    expect((await waiting).body.status).toBe('rejected');
    expect((await message).body.status).toBe('rejected');
    expectInvalid(await server.call('GET', `/keys/approvals/${held.approvalId}?wait=61`), 'wait');
  });

  it('has one winner among deciders and cancelers, and accounts for it once', {
    tags: ['approvals.outcome'],
  }, async () => {
    const used = await quotaUsed(server);
    const holds = await Promise.all(Array.from({ length: 8 }, () => hold()));
    const outcomes = await Promise.all(
      holds.map(async ({ id, approvalId }) => {
        const responses = await Promise.all([
          decide(server, decider, approvalId),
          decide(server, decider, approvalId, { decision: 'reject' }),
          decide(server, decider, approvalId),
          server.call('DELETE', `/emails/${id}`),
        ]);
        const decided = responses.slice(0, 3).filter(({ status }) => status === 200).length;
        return { decided, canceled: responses[3]?.status === 200, status: (await read(id)).status };
      }),
    );
    for (const { decided, canceled, status } of outcomes) {
      // What was approved first can be taken back behind it; nothing else goes together.
      if (status === 'canceled') expect(canceled).toBe(true);
      else expect({ decided, canceled }).toEqual({ decided: 1, canceled: false });
      expect(decided).toBeLessThanOrEqual(1);
    }
    const left = outcomes.filter(({ status }) => status !== 'canceled' && status !== 'rejected').length;
    expect(await quotaUsed(server)).toBe(used + left);
  });

  it('rejects more than 1,000 undecided holds of a key, exactly', {
    tags: ['contract-errors.429-approvals', 'approvals.held-answer'],
  }, async () => {
    const { key, id } = await holdingKey(server, { rateLimit: 10_000 });
    await server.database.sql`
      INSERT INTO approvals (account_id, id, message_id, key_id, status, reasons, content_hash, created_at, expires_at)
      SELECT ${server.accountId}, gen_random_uuid(), gen_random_uuid(), ${id}, 'pending', '{always}', '', now(), now() + interval '1 day'
      FROM generate_series(1, 996)`;
    const responses = await Promise.all(Array.from({ length: 12 }, () => server.send({}, { key })));
    expect(responses.filter(({ status }) => status === 202)).toHaveLength(4);
    const refused = responses.find(({ status }) => status !== 202);
    if (refused === undefined) throw new Error('nothing was refused');
    expectProblem(refused, 429, 'too_many_held');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const { body: dry } = await server.send({ dry_run: true }, { key });
    expect(dry).toMatchObject({ ok: false, approvalRequired: true });
    expect(dry.checks).toContainEqual(expect.objectContaining({ name: 'quota', ok: false, code: 'too_many_held' }));
  });

  it('holds because of links in the subject and in headers as well', { tags: ['approvals.modes'] }, async () => {
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen: { linkDomainNotIn: ['ok.example'] } });
    const { body: free } = await server.send({ subject: 'See https://ok.example/x' }, { key });
    expect(free.status).toBe('queued');
    const leave = { headers: { 'List-Unsubscribe': '<https://evil.example/leave>' } };
    for (const astray of [{ subject: 'See https://evil.example/x' }, leave]) {
      expect((await hold(astray, key)).reasons).toEqual(['linkDomainNotIn']);
    }
  });

  it('records who did what and how in an append-only history, and in the audit log', {
    tags: ['approvals.expiry'],
  }, async () => {
    const held = await hold();
    await server.call('POST', `/keys/approvals/${held.approvalId}`, {
      ...{ key: decider, headers: { 'x-request-id': 'decision-1' } },
      body: { decision: 'approve', edits: { subject: 'Other' } },
    });
    const { sql } = server.database;
    const events = await sql`
      SELECT type, way, address, request_id, hash_before, hash_after, detail FROM approval_events
      WHERE approval_id = ${held.approvalId} ORDER BY id`;
    expect(events).toMatchObject([
      { type: 'requested', way: 'rest', detail: 'always' },
      { type: 'edited', way: 'rest', address: '127.0.0.1', request_id: 'decision-1', detail: 'subject' },
      { type: 'approved', way: 'rest', address: '127.0.0.1', request_id: 'decision-1' },
    ]);
    expect(events[1]?.['hash_before']).toBe(events[0]?.['hash_after']);
    expect(events[1]?.['hash_after']).not.toBe(events[1]?.['hash_before']);
    await expect(sql`UPDATE approval_events SET detail = 'x'`).rejects.toThrow(/only ever added to/);
    await expect(sql`DELETE FROM approval_events`).rejects.toThrow(/only ever added to/);
    const audit = await server.call('GET', `/audit?target_id=${held.approvalId}`);
    expect(audit.body.entries.map(({ action }: { action: string }) => action)).toEqual([
      'approval.approved',
      'approval.requested',
    ]);
  });
});
