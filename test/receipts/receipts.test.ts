import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adoptApprovals } from '../../packages/server/src/approvals/adopt-approvals.ts';
import { runServer } from '../../packages/server/src/commands/run-server.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { hashReceipt } from '../../packages/server/src/receipts/receipt-token.ts';
import { createReceipts, rotateReceiptKey } from '../../packages/server/src/receipts/receipts.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { databaseEnvironment } from '../harness/server-process.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { readIndependentProgram, type VerifyReceipt } from './independent-program.ts';

const KEYS = '/.well-known/postrider-receipts.json';

describe('receipts of approvals', () => {
  let server: TestApp;
  let agent: { readonly id: string; readonly key: string };
  let decider: string;
  let reader: string;
  let owner: TestSession;
  let verify: VerifyReceipt;
  beforeAll(async () => {
    server = await startTestApp();
    agent = await holdingKey(server);
    decider = await decidingKey(server);
    reader = await server.newKey({ scopes: ['approvals:read', 'team:read'] });
    owner = await signInAs(server, 'owner@sandbox.test');
    ({ verifyReceipt: verify } = await readIndependentProgram());
  });
  afterAll(() => server.close());

  const keysOf = async () => (await server.call('GET', KEYS, { key: null })).body.keys;
  const hold = async (body: Readonly<Record<string, unknown>> = {}) =>
    (await server.send(body, { key: agent.key })).body as { readonly id: string; readonly approvalId: string };
  const read = async (approvalId: string, key = reader) =>
    (await server.call('GET', `/keys/approvals/${approvalId}`, { key })).body;
  const claimsOf = async (approvalId: string) =>
    verify((await read(approvalId)).receipt, await keysOf(), server.baseUrl);

  it('is shown with the addresses of people only to callers with `team:read`', async () => {
    const { approvalId } = await hold();
    await owner.call('POST', `/keys/approvals/${approvalId}`, { body: { decision: 'approve' } });
    expect((await read(approvalId, decider)).receipt).toBe(null);
    expect((await claimsOf(approvalId)).deciders).toMatchObject([{ kind: 'member', email: 'owner@sandbox.test' }]);
  });

  it('binds what a key approved, and is in the audit log', {
    tags: ['receipts.made', 'receipts.independent'],
  }, async () => {
    const { id, approvalId } = await hold();
    expect((await read(approvalId)).receipt).toBe(null);
    const { body } = await decide(server, decider, approvalId);
    expect(await claimsOf(approvalId)).toEqual({
      ...{ iss: server.baseUrl, iat: Math.floor(Date.parse(body.decidedAt) / 1_000), decidedAt: body.decidedAt },
      ...{ decision: 'approved', outcome: 'queued', rejectCode: null, accountId: server.accountId, approvalId },
      ...{ emailId: id, revision: 1, contentHash: body.contentHash, heldContentHash: body.contentHash, edited: [] },
      ...{ scheduledAt: null, files: [] },
      hold: { keyId: agent.id, reasons: ['always'], since: body.createdAt },
      approvers: { requirePasskey: false, count: 1, memberIds: null },
      deciders: [{ kind: 'key', id: body.decidedBy, name: 'Decider', way: 'api', at: body.decidedAt }],
    });
    const { entries } = (await server.call('GET', '/audit?action=approval.approved&limit=1')).body;
    expect(entries[0]).toMatchObject({ targetId: approvalId, details: { receipt: hashReceipt(body.receipt) } });
  });

  it('binds the revision, the files and the time that an edit approves', { tags: ['receipts.made'] }, async () => {
    const attachments = [{ filename: 'a.txt', content: Buffer.from('seven').toString('base64') }];
    const { approvalId } = await hold({ attachments, scheduled_at: 'PT1H' });
    const { body } = await decide(server, decider, approvalId, { decision: 'approve', edits: { subject: 'Edited' } });
    const claims = await claimsOf(approvalId);
    expect(claims).toMatchObject({
      ...{ revision: 2, edited: ['subject'], contentHash: body.contentHash, scheduledAt: body.scheduledAt },
      files: [{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), contentId: null }],
    });
    expect(claims['heldContentHash']).not.toBe(body.contentHash);
  });

  it('binds a rejection', { tags: ['receipts.made'] }, async () => {
    const { approvalId } = await hold();
    const decision = { decision: 'reject', rejectCode: 'policy', note: 'No.' };
    const { body } = await decide(server, decider, approvalId, decision);
    expect(await claimsOf(approvalId)).toMatchObject({ decision: 'rejected', outcome: null, rejectCode: 'policy' });
    const { entries } = (await server.call('GET', '/audit?action=approval.rejected&limit=1')).body;
    expect(entries[0].details.receipt).toBe(hashReceipt(body.receipt));
  });

  it('names the member, the address and the way', { tags: ['receipts.made'] }, async () => {
    const approver = await joinAs(server, owner, 'approver');
    const inConsole = await hold();
    await approver.call('POST', `/keys/approvals/${inConsole.approvalId}`, { body: { decision: 'approve' } });
    const { memberId: id, email } = approver.user;
    expect((await claimsOf(inConsole.approvalId))['deciders']).toMatchObject([
      { kind: 'member', id, email, way: 'console', sessionId: expect.any(String) },
    ]);
    const byMail = await hold();
    const token = await makeApprovalLink(server.database.sql, byMail.approvalId);
    const { contentHash } = await read(byMail.approvalId);
    const form = new URLSearchParams({ decision: 'approve', contentHash });
    await server.call('POST', `/approvals/${token}`, {
      ...{ key: null, rawBody: form.toString() },
      headers: { 'content-type': 'application/x-www-form-urlencoded', origin: server.baseUrl },
    });
    expect((await claimsOf(byMail.approvalId))['deciders']).toMatchObject([
      { kind: 'member', id: owner.user.memberId, email: 'owner@sandbox.test', way: 'mail', sessionId: null },
    ]);
  });

  it('has none of a hold that no one decided', async () => {
    const { id, approvalId } = await hold();
    await server.call('DELETE', `/emails/${id}`);
    expect(await read(approvalId)).toMatchObject({ status: 'withdrawn', receipt: null });
  });

  it('makes one receipt of two decisions at once', async () => {
    const { approvalId } = await hold();
    const both = await Promise.all([
      decide(server, decider, approvalId),
      decide(server, decider, approvalId, { decision: 'reject' }),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    const won = both.find(({ status }) => status === 200)?.body;
    expect((await claimsOf(approvalId))['decision']).toBe(won.status);
    const [count] = await server.database
      .sql`SELECT count(*)::int AS n FROM approval_receipts WHERE approval_id = ${approvalId}`;
    expect(count?.['n']).toBe(1);
  });

  it('is readable by every caller who may read the hold with its content', { tags: ['receipts.read'] }, async () => {
    const { approvalId } = await hold();
    const { body } = await decide(server, decider, approvalId);
    expect((await read(approvalId, agent.key)).receipt).toBe(body.receipt);
    const stranger = await server.newKey({ scopes: ['emails:send'] });
    expect((await read(approvalId, stranger)).code).toBe('not_found');
    const { key } = await server.newAccount();
    expect((await read(approvalId, key)).code).toBe('not_found');
    // A resend of another key’s message shows its content to no one who may not read it.
    const first = await server.send({ subject: 'Not for the agent' });
    await server.settled(first.body.id);
    const blind = await holdingKey(server, { scopes: ['emails:send', 'emails:read'] });
    const resent = await server.call('POST', `/emails/${first.body.id}/resend`, { key: blind.key });
    await decide(server, decider, resent.body.approvalId);
    expect(await read(resent.body.approvalId, blind.key)).toMatchObject({ contentHash: null, receipt: null });
    const client = await connectTo(server, 'toolsets=approvals', decider);
    const { record, text } = await client.call('get_approval', { id: approvalId });
    await client.close();
    expect(record?.receipt, text).toBe(body.receipt);
  });

  it('is in no list and no webhook', async () => {
    const { approvals } = (await server.call('GET', '/keys/approvals', { key: decider })).body;
    expect(new Set(approvals.map(({ receipt }: { receipt: unknown }) => receipt))).toEqual(new Set([null]));
    const [event] = await server.database
      .sql`SELECT body AS text FROM webhook_events WHERE type = 'approval.decided' LIMIT 1`;
    expect(event?.['text'] ?? '').not.toContain('receipt');
  });

  it('is a file in the console', { tags: ['receipts.read'] }, async () => {
    const { approvalId } = await hold();
    const { body } = await decide(server, decider, approvalId);
    const page = await owner.call('GET', `/console/approvals/${approvalId}`);
    expect(page.body).toContain(`href="/console/approvals/${approvalId}/receipt"`);
    const file = await owner.call('GET', `/console/approvals/${approvalId}/receipt`);
    expect([file.status, file.headers.get('content-type'), file.body]).toEqual([
      200,
      'application/jose',
      `${body.receipt}\n`,
    ]);
    expect(file.headers.get('content-disposition')).toContain(`receipt-${approvalId}.jws`);
  });

  it('keeps its key sealed and publishes only the public half', { tags: ['receipts.keys'] }, async () => {
    const { status, headers, body } = await server.call('GET', KEYS, { key: null });
    expect([status, headers.get('content-type')]).toEqual([200, 'application/jwk-set+json']);
    expect(Object.keys(body.keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x']);
    const rows = await server.database.sql<{ sealed: Buffer }[]>`SELECT sealed FROM receipt_keys`;
    expect(rows.length).toBe(1);
    expect(rows[0]?.sealed.includes(body.keys[0].x)).toBe(false);
    const post = await server.call('POST', KEYS, { key: null, body: {} });
    expect(post.status).toBe(405);
  });

  it('stays valid after a rotation of its key', { tags: ['receipts.keys'] }, async () => {
    const before = await hold();
    await decide(server, decider, before.approvalId);
    const { sql } = server.database;
    const given = databaseEnvironment(server.database);
    const { PGHOST, PGUSER } = given;
    Object.assign(process.env, { PGHOST, PGUSER });
    const environment = { ...given, POSTRIDER_SECRET_KEY: TEST_SECRET_KEY.toString('base64') };
    let stdout = '';
    const code = await runServer(['receipts', 'rotate', '--json'], {
      ...{ environment, progress: () => undefined, writeError: () => undefined },
      write: (text) => {
        stdout += text;
      },
    });
    expect(code).toBe(0);
    const { kid } = JSON.parse(stdout);
    server.clock.advance(61_000);
    const keys = await keysOf();
    expect(keys.map((key: { kid: string }) => key.kid)[0]).toBe(kid);
    expect(keys.length).toBe(2);
    const after = await hold();
    await decide(server, decider, after.approvalId);
    for (const { approvalId } of [before, after]) expect((await claimsOf(approvalId))['approvalId']).toBe(approvalId);
    expect((await server.settled(after.id)).body.status).toBe('delivered');
    const box = createSecretBox(TEST_SECRET_KEY);
    const rows = await sql<{ sealed: Buffer; retired: boolean }[]>`
      SELECT sealed, retired_at IS NOT NULL AS retired FROM receipt_keys ORDER BY id`;
    expect(rows.map(({ sealed, retired }) => [retired, 'd' in JSON.parse(box.open(sealed))])).toEqual([
      [true, false],
      [false, true],
    ]);
  });

  it('is made by an operator for messages that were approved without one, and these are then sent', async () => {
    const { sql } = server.database;
    const old = await hold({ scheduled_at: 'PT1H', subject: 'Approved before' });
    await decide(server, decider, old.approvalId);
    await sql`DELETE FROM approval_receipts WHERE approval_id = ${old.approvalId}`;
    const tools = { sql, box: createSecretBox(TEST_SECRET_KEY), clock: server.clock, ids: createIdGenerator() };
    expect(await adoptApprovals(tools, server.baseUrl)).toBe(1);
    expect(await adoptApprovals(tools, server.baseUrl)).toBe(0);
    expect((await claimsOf(old.approvalId))['deciders']).toMatchObject([{ kind: 'recorded', way: 'recorded' }]);
    const { entries } = (await server.call('GET', '/audit?action=approval.adopted&limit=1')).body;
    expect(entries[0]).toMatchObject({ actor: 'operator', targetId: old.approvalId });
    server.clock.advance(3_700_000);
    await server.pump();
    expect((await server.settled(old.id)).body.status).toBe('delivered');
  });

  it('is neither signed nor refused while its key cannot be decrypted', { tags: ['receipts.keys'] }, async () => {
    const { sql } = server.database;
    const tools = { sql, box: createSecretBox(TEST_SECRET_KEY), clock: server.clock, ids: createIdGenerator() };
    const { approvalId } = await hold();
    const { body } = await decide(server, decider, approvalId);
    const stranger = createReceipts({ ...tools, box: createSecretBox(randomBytes(32)) });
    await expect(stranger.read(body.receipt)).rejects.toThrow('cannot be decrypted');
    await expect(stranger.signer()).rejects.toThrow('cannot be decrypted');
    expect(await createReceipts(tools).read(body.receipt)).toMatchObject({ approvalId });
    expect(await createReceipts(tools).read(`${body.receipt.slice(0, -9)}AAAA${body.receipt.slice(-5)}`)).toBe(null);
  });

  it('is signed by one key if several processes need it first', { tags: ['receipts.keys'] }, async () => {
    const { sql } = server.database;
    const tools = { sql, box: createSecretBox(TEST_SECRET_KEY), clock: server.clock, ids: createIdGenerator() };
    await sql`DELETE FROM receipt_keys`;
    const processes = Array.from({ length: 5 }, () => createReceipts(tools));
    const sets = await Promise.all(processes.map((receipts) => receipts.publicKeys()));
    expect(new Set(sets.map((keys) => keys.map(({ kid }) => kid).join())).size).toBe(1);
    const rotated = await Promise.all(processes.map(() => rotateReceiptKey(tools)));
    const [row] = await sql`SELECT count(*)::int AS n FROM receipt_keys WHERE retired_at IS NULL`;
    expect([row?.['n'], rotated.length]).toEqual([1, 5]);
  });
});
