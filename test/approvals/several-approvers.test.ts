import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findApproverFault } from '../../packages/cli/src/receipts/verify-approvers.ts';
import { notifyApprovers } from '../../packages/server/src/approvals/notify-approvers.ts';
import { readApproverRules } from '../../packages/server/src/db/queries/approver-rules.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { signInDevice } from '../harness/device-session.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import { postConfirmed } from '../harness/passkey-confirmation.ts';
import { addPasskey } from '../harness/passkeys.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';
import { readIndependentProgram } from '../receipts/independent-program.ts';
import { readPasskeyProgram } from '../receipts/passkey-program.ts';
import { decide, decidingKey, holdingKey, quotaUsed } from './approving.ts';

const FORM = 'application/x-www-form-urlencoded';

interface Receipt {
  readonly revision: number;
  readonly contentHash: string;
  readonly heldContentHash: string;
  readonly edited: readonly string[];
  readonly approvers: unknown;
  readonly deciders: readonly { readonly id: string; readonly way: string }[];
}

describe('approvals by several people', () => {
  let server: TestApp;
  let owner: TestSession;
  let admin: TestSession;
  let approver: TestSession;
  let agent: { readonly id: string; readonly key: string };
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    owner = await signInAs(server, 'owner@sandbox.test');
    admin = await joinAs(server, owner, 'admin');
    approver = await joinAs(server, owner, 'approver');
    agent = await holdingKey(server, { approvers: { count: 2 } });
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const hold = async (fields = {}, key = agent.key) => (await server.send(fields, { key })).body.approvalId as string;
  const read = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body;
  const vote = async (session: Pick<TestSession, 'call'>, id: string, body = {}) =>
    await session.call('POST', `/keys/approvals/${id}`, { body: { decision: 'approve', ...body } });
  const receiptOf = async (id: string): Promise<Receipt> =>
    JSON.parse(Buffer.from((await read(id)).receipt.split('.')[1], 'base64url').toString());
  const byLink = async (token: string, fields: Readonly<Record<string, string>>): Promise<TestResponse> =>
    await server.call('POST', `/approvals/${token}`, {
      ...{ key: null, rawBody: new URLSearchParams(fields).toString() },
      headers: { 'content-type': FORM, origin: server.baseUrl },
    });
  const idOf = ({ user }: TestSession) => user.memberId;
  const device = async () => {
    server.clock.advance(900_000);
    return await signInDevice(server, owner);
  };

  it('send with the last one, and the receipt names everyone', {
    tags: ['several.count', 'several.receipt'],
  }, async () => {
    const id = await hold();
    const first = await vote(owner, id, { note: 'Fine by me' });
    expect([first.status, first.body.status, first.body.decidedBy]).toEqual([200, 'pending', null]);
    expect(first.body.approvers).toEqual({ requirePasskey: false, count: 2, memberIds: null });
    expect(first.body.votes).toEqual([{ memberId: idOf(owner), at: expect.any(String), note: 'Fine by me' }]);
    const message = await server.call('GET', `/emails/${first.body.emailId}`, { key: agent.key });
    expect(message.body.status).toBe('pending_approval');
    const second = await vote(approver, id);
    expect(second.body).toMatchObject({ status: 'approved', outcome: 'queued', decidedBy: idOf(approver) });
    expect(second.body.votes).toMatchObject([{ memberId: idOf(owner) }, { memberId: idOf(approver) }]);
    const receipt = await receiptOf(id);
    expect(receipt.deciders).toMatchObject([
      { kind: 'member', id: idOf(owner), email: 'owner@sandbox.test', way: 'console' },
      { kind: 'member', id: idOf(approver), email: 'approver@sandbox.test', way: 'console' },
    ]);
    expect(receipt.approvers).toEqual({ requirePasskey: false, count: 2, memberIds: null });
    expectProblem(await vote(admin, id), 409, 'approval_already_decided');
  });

  it('are in the audit log and the events, each with its member', { tags: ['several.record'] }, async () => {
    const id = await hold();
    await vote(owner, id, { note: 'Looks right' });
    expect((await vote(owner, id)).body.votes).toMatchObject([{ note: 'Looks right' }]);
    await vote(admin, id);
    const { entries } = (await owner.call('GET', `/audit?target_id=${id}`)).body;
    expect(entries).toMatchObject([
      { action: 'approval.approved', actor: idOf(admin) },
      { action: 'approval.voted', actor: idOf(owner), details: { approvals: '1 of 2' } },
      { action: 'approval.requested' },
    ]);
    const events = await server.database.sql`
      SELECT type, actor FROM approval_events WHERE approval_id = ${id} ORDER BY created_at, id`;
    expect(events.map(({ type }) => type)).toEqual(['requested', 'voted', 'approved']);
  });

  it('leave the quota and the limits of the key as they are until the last one', {
    tags: ['several.count'],
  }, async () => {
    const id = await hold();
    const used = await quotaUsed(server);
    await vote(owner, id);
    expect(await quotaUsed(server)).toBe(used);
    await vote(admin, id);
    expect(await quotaUsed(server)).toBe(used);
  });

  it('end with one rejection', { tags: ['several.reject'] }, async () => {
    const id = await hold();
    await vote(owner, id);
    const rejected = await approver.call('POST', `/keys/approvals/${id}`, { body: { decision: 'reject' } });
    expect(rejected.body).toMatchObject({ status: 'rejected', decidedBy: idOf(approver) });
    expect((await receiptOf(id)).deciders).toMatchObject([{ id: idOf(approver) }]);
  });

  it('end with a rejection by a key that decides, which cannot approve', {
    tags: ['several.reject', 'several.attacks'],
  }, async () => {
    const id = await hold();
    const refused = await decide(server, decider, id);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.detail).toContain('2 people');
    expect((await decide(server, decider, id, { decision: 'reject' })).body.status).toBe('rejected');
  });

  /** How one member alone, or a key, tries to make up two approvals. */
  const ATTEMPTS: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
    'twice by the same session': async (id) => [await vote(owner, id), await vote(owner, id)],
    'by the session and a device of the same user': async (id) => [
      await vote(owner, id),
      await decide(server, await device(), id),
    ],
    'by the session and the link in the mail': async (id) => {
      await vote(owner, id);
      const { contentHash } = await read(id);
      const token = await makeApprovalLink(server.database.sql, id);
      return await byLink(token, { decision: 'approve', contentHash });
    },
    'by two links of the same member': async (id) => {
      const { contentHash } = await read(id);
      for (const _ of [1, 2]) {
        const token = await makeApprovalLink(server.database.sql, id);
        await byLink(token, { decision: 'approve', contentHash });
      }
    },
    'twice by the same link': async (id) => {
      const { contentHash } = await read(id);
      const token = await makeApprovalLink(server.database.sql, id);
      for (const _ of [1, 2]) await byLink(token, { decision: 'approve', contentHash });
    },
    'by a member and a key': async (id) => [await vote(owner, id), await decide(server, decider, id)],
    'by a member and the key of the agent': async (id) => [await vote(owner, id), await decide(server, agent.key, id)],
    'by many requests at once': async (id) => await Promise.all([1, 2, 3, 4].map(() => vote(owner, id))),
    'several at once, with the id twice': async (id) =>
      await owner.call('POST', '/keys/approvals', { body: { ids: [id, id, id], decision: 'approve' } }),
    'by a viewer': async (id) => {
      await vote(owner, id);
      const viewer = await joinAs(server, owner, 'viewer', `viewer-${id}@sandbox.test`);
      expectProblem(await vote(viewer, id), 403, 'missing_scope');
    },
    'by the owner of another account': async (id) => {
      await vote(owner, id);
      const stranger = await signInAs(server, `stranger-${id}@sandbox.test`);
      expectProblem(await vote(stranger, id), 404, 'not_found');
    },
    'with an edit, and then without': async (id) => [
      await vote(owner, id, { edits: { subject: 'Edited' } }),
      await vote(owner, id),
    ],
    'by a member who was removed after approving': async (id) => {
      const leaver = await joinAs(server, owner, 'approver', `leaver-${id}@sandbox.test`);
      expect((await vote(leaver, id)).body.status).toBe('pending');
      expect((await owner.call('DELETE', `/team/${idOf(leaver)}`)).status).toBeLessThan(300);
      expect((await vote(owner, id)).body.status).toBe('pending');
    },
    'by a member who lost the role after approving': async (id) => {
      const demoted = await joinAs(server, owner, 'approver', `demoted-${id}@sandbox.test`);
      await vote(demoted, id);
      const body = { role: 'viewer' };
      expect((await owner.call('PATCH', `/team/${idOf(demoted)}`, { body })).status).toBe(200);
      expect((await vote(owner, id)).body.status).toBe('pending');
    },
    'of a former revision': async (id) => {
      const { contentHash } = await read(id);
      await vote(owner, id, { edits: { subject: 'Edited' } });
      expectProblem(await vote(admin, id, { contentHash }), 409, 'approval_changed');
    },
    'of an edit that they have not seen': async (id) => {
      await vote(owner, id, { edits: { subject: 'Edited' } });
      expectProblem(await vote(admin, id), 409, 'approval_changed');
      const body = { ids: [id], decision: 'approve' };
      const many = await admin.call('POST', '/keys/approvals', { body });
      expect(many.body.results[0].error.code).toBe('approval_changed');
    },
    'before an edit and after it': async (id) => {
      await vote(admin, id);
      expect((await vote(owner, id, { edits: { subject: 'Edited' } })).body.votes).toMatchObject([
        { memberId: idOf(owner) },
      ]);
    },
    'by a link to the revision before an edit': async (id) => {
      const token = await makeApprovalLink(server.database.sql, id);
      await vote(admin, id, { edits: { subject: 'Edited' } });
      const { contentHash } = await read(id);
      const refused = await byLink(token, { decision: 'approve', contentHash });
      expect([refused.status, refused.body]).toEqual([409, expect.stringContaining('This message was edited')]);
    },
  };

  it.each(Object.keys(ATTEMPTS))('do not send what was approved %s', { tags: ['several.attacks'] }, async (name) => {
    const id = await hold();
    await ATTEMPTS[name]?.(id);
    expect(await read(id)).toMatchObject({ status: 'pending', outcome: null });
    const { emailId } = await read(id);
    const deliveries = await server.database.sql`SELECT FROM deliveries WHERE message_id = ${emailId}`;
    expect(deliveries).toHaveLength(0);
    await owner.call('POST', `/keys/approvals/${id}`, { body: { decision: 'reject' } });
  });

  it('send once if the last two are made at the same time', { tags: ['several.count'] }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await hold();
      const sent = await Promise.all([vote(owner, id), vote(admin, id), vote(approver, id)]);
      expect(sent.map(({ status }) => status).sort()).toEqual([200, 200, 409]);
      const events = await server.database.sql`SELECT type FROM approval_events WHERE approval_id = ${id} ORDER BY id`;
      expect(events.map(({ type }) => type)).toEqual(['requested', 'voted', 'approved']);
      expect((await receiptOf(id)).deciders).toHaveLength(2);
    }
  });

  it('do not send what a member approves while another who approved it loses the role', {
    tags: ['several.attacks'],
  }, async () => {
    for (let round = 0; round < 5; round += 1) {
      const id = await hold();
      const leaver = await joinAs(server, owner, 'approver', `racer-${round}@sandbox.test`);
      await vote(leaver, id);
      const [, last] = await Promise.all([
        owner.call('PATCH', `/team/${idOf(leaver)}`, { body: { role: 'viewer' } }),
        vote(admin, id),
      ]);
      const { status, votes } = await read(id);
      // Either the approval was complete before the role was lost, or it counts no more.
      expect([last.status, votes.length]).toEqual([200, status === 'approved' ? 2 : 1]);
    }
  });

  describe('where one of them edits', { tags: ['several.edits'] }, () => {
    it('show the others what was edited, and send exactly that', async () => {
      const id = await hold({ subject: 'Original' });
      const held = await read(id);
      await vote(approver, id);
      const edited = await vote(admin, id, {
        edits: { subject: 'Edited', to: ['delivered+b@sandbox.test', 'delivered+c@sandbox.test'] },
      });
      expect(edited.body).toMatchObject({
        status: 'pending',
        revision: 2,
        subject: 'Edited',
        edited: ['to', 'subject'],
      });
      expect(edited.body.contentHash).not.toBe(held.contentHash);
      expect(edited.body.votes).toMatchObject([{ memberId: idOf(admin) }]);
      const { contentHash } = await read(id);
      const done = await vote(owner, id, { contentHash });
      expect(done.body).toMatchObject({
        status: 'approved',
        outcome: 'queued',
        revision: 2,
        edited: ['to', 'subject'],
      });
      const receipt = await receiptOf(id);
      expect(receipt).toMatchObject({
        ...{ revision: 2, contentHash, heldContentHash: held.contentHash, edited: ['to', 'subject'] },
        deciders: [{ id: idOf(admin) }, { id: idOf(owner) }],
      });
      const message = await server.call('GET', `/emails/${held.emailId}`);
      expect(message.body).toMatchObject({
        subject: 'Edited',
        to: 'delivered+b@sandbox.test, delivered+c@sandbox.test',
      });
    });

    it('can be edited by each in turn, until all have approved the same', async () => {
      const id = await hold({ subject: 'One' });
      await vote(owner, id, { edits: { subject: 'Two' } });
      const { contentHash } = await read(id);
      const edited = await vote(admin, id, { contentHash, edits: { subject: 'Three', text: 'Hello again' } });
      const after = await vote(owner, id, { contentHash: edited.body.contentHash });
      expect(after.body).toMatchObject({ status: 'approved', revision: 3, edited: ['subject', 'text'] });
      const revisions = await server.database.sql`
        SELECT revision, actor FROM approval_revisions WHERE approval_id = ${id} ORDER BY revision`;
      expect(revisions.map((row) => ({ ...row }))).toEqual([
        { revision: 2, actor: idOf(owner) },
        { revision: 3, actor: idOf(admin) },
      ]);
    });

    it('charge recipients that were added with the last approval, and return them with a rejection', async () => {
      const before = await quotaUsed(server);
      const id = await hold({ to: ['a@example.com'] });
      await vote(owner, id, { edits: { to: ['a@example.com', 'b@example.com'] } });
      expect(await quotaUsed(server)).toBe(before + 1);
      await vote(admin, id, { contentHash: (await read(id)).contentHash });
      expect(await quotaUsed(server)).toBe(before + 2);
      const other = await hold({ to: ['a@example.com'] });
      await vote(owner, other, { edits: { to: ['a@example.com', 'b@example.com'] } });
      await admin.call('POST', `/keys/approvals/${other}`, { body: { decision: 'reject' } });
      expect(await quotaUsed(server)).toBe(before + 2);
    });

    it('fail if the acceptance check refuses the message by then', async () => {
      const id = await hold();
      await vote(owner, id, { edits: { to: ['blocked@example.com'] } });
      await server.call('POST', '/suppressions', { body: { email: 'blocked@example.com', reason: 'manual' } });
      const done = await vote(admin, id, { contentHash: (await read(id)).contentHash });
      expect(done.body).toMatchObject({
        status: 'approved',
        outcome: 'failed',
        problem: { code: 'recipient_suppressed' },
      });
    });
  });

  it('need a passkey of each where passkeys are required, and the receipt proves each', {
    tags: ['several.receipt', 'passkeys.receipt'],
  }, async () => {
    const { key } = await holdingKey(server, { approvers: { count: 2 } });
    const id = await hold({}, key);
    expect((await vote(owner, id)).body.votes).toHaveLength(1);
    // A first passkey is added in the first 15 minutes of a session.
    const [boss, second] = [await signInAs(server, owner.user.email), await signInAs(server, admin.user.email)];
    const [bossKey, secondKey] = [(await addPasskey(server, boss)).passkey, (await addPasskey(server, second)).passkey];
    await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
    const fields = { decision: 'approve', contentHash: (await read(id)).contentHash };
    const page = `/console/approvals/${id}`;
    expect((await postConfirmed(server, second, secondKey, page, fields)).status).toBe(303);
    // The approval of the owner was made without a passkey, before the rule was.
    expect((await read(id)).status).toBe('pending');
    expect((await postConfirmed(server, boss, bossKey, page, fields)).status).toBe(303);
    const { receipt, status } = await read(id);
    expect(status).toBe('approved');
    const { keys } = (await server.call('GET', '/.well-known/postrider-receipts.json', { key: null })).body;
    const claims = (await readIndependentProgram()).verifyReceipt(receipt, keys, server.baseUrl);
    expect((await readPasskeyProgram())(claims)).toEqual([idOf(admin), idOf(owner)]);
    expect(findApproverFault(claims)).toBeNull();
    for (const [fault, change] of Object.entries(RULE_FAULTS)) {
      const changed = structuredClone(claims);
      change(changed);
      expect(findApproverFault(changed), fault).toContain(fault);
    }
    const off = await postConfirmed(server, boss, bossKey, '/console/settings/approvers', {
      requirePasskey: 'no',
    });
    expect(off.status).toBe(303);
  });

  // biome-ignore lint/suspicious/noExplicitAny: claims of a receipt, which the cases change
  const RULE_FAULTS: Readonly<Record<string, (claims: any) => void>> = {
    '1 of the 2 people': (claims) => claims.deciders.pop(),
    'names 1 of': (claims) => claims.deciders.splice(1, 1, claims.deciders[0]),
    'not allowed to approve': (claims) => Object.assign(claims.approvers, { memberIds: [idOf(admin)] }),
    'has none': (claims) => delete claims.deciders[1].assertion,
  };

  it('trust the recipients only if each of them asks for it', { tags: ['several.remember'] }, async () => {
    const holdWhen = { firstContact: true };
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen, approvers: { count: 2 } });
    const [one, both] = [await hold({ to: 'one@example.com' }, key), await hold({ to: 'both@example.com' }, key)];
    await vote(owner, one, { remember: true });
    expect((await vote(admin, one)).body.status).toBe('approved');
    await vote(owner, both, { remember: true });
    await vote(admin, both, { remember: true });
    const trusted = await server.database
      .sql`SELECT email FROM trusted_recipients WHERE email IN ('one@example.com', 'both@example.com')`;
    expect(trusted.map(({ email }) => email)).toEqual(['both@example.com']);
  });

  describe('by the rule of the account', { tags: ['several.rules'] }, () => {
    it('need as many as the strictest of the account and the keys', async () => {
      const plain = await holdingKey(server);
      const id = await hold({}, plain.key);
      const set = async (count: number) => await owner.call('PATCH', '/account', { body: { approvers: { count } } });
      expect((await set(3)).body.approvers).toEqual({ requirePasskey: false, count: 3 });
      expect((await read(id)).approvers.count).toBe(3);
      for (const session of [owner, admin]) expect((await vote(session, id)).body.status).toBe('pending');
      expect((await vote(approver, id)).body.status).toBe('approved');
      const strict = await hold();
      expect((await read(strict)).approvers.count).toBe(3);
      await set(1);
      expect((await read(strict)).approvers.count).toBe(2);
    });

    it('cannot be made where no one could meet it', async () => {
      const beyond = await owner.call('PATCH', '/account', { body: { approvers: { count: 5 } } });
      expectProblem(beyond, 422, 'validation_failed');
      expect(beyond.body.errors).toMatchObject([{ path: 'approvers.count', code: 'conflict' }]);
      for (const count of [0, 6, 1.5, '2', null]) {
        const response = await owner.call('PATCH', '/account', { body: { approvers: { count } } });
        expectProblem(response, 422, 'validation_failed');
      }
      const memberIds = [idOf(owner)];
      const named = await owner.call('PATCH', '/account', { body: { approvers: { memberIds } } });
      expectProblem(named, 422, 'validation_failed');
    });

    it('are loosened for the account by callers that may decide, and by no others', {
      tags: ['several.rules'],
    }, async () => {
      const change = (key: string, approvers: object) => server.call('PATCH', '/account', { key, body: { approvers } });
      const limited = await server.newKey({ scopes: ['account:write'] });
      const full = await server.newKey({ scopes: ['full'] });
      const deciding = await server.newKey({ scopes: ['account:write', 'approvals:decide'] });
      expect((await change(limited, { count: 2 })).status).toBe(200);
      for (const key of [limited, full]) {
        for (const approvers of [{ count: 1 }, {}]) {
          const response = await change(key, approvers);
          expectProblem(response, 403, 'permission_escalation');
          expect(response.body.fix).toContain('approvals:decide');
        }
        expect((await change(key, { count: 2 })).status).toBe(200);
      }
      expect((await owner.call('GET', '/account')).body.approvers).toEqual({ requirePasskey: false, count: 2 });
      expect((await change(deciding, { count: 1 })).body.approvers).toEqual({ requirePasskey: false, count: 1 });
    });

    it('count only what meets them now, and ask for it again', {
      tags: ['several.rules', 'several.surfaces'],
    }, async () => {
      const { id: keyId, key } = await holdingKey(server, { approvers: { count: 3 } });
      const change = async (approvers: object) => {
        expect((await owner.call('PATCH', `/keys/${keyId}`, { body: { approvers } })).status).toBe(200);
      };
      const page = async (session: TestSession, id: string) =>
        (await session.call('GET', `/console/approvals/${id}`, { headers: { accept: 'text/html' } })).body;
      // Fewer are needed: any of them sends it.
      const fewer = await hold({}, key);
      await vote(owner, fewer);
      await vote(admin, fewer);
      expect(await page(owner, fewer)).not.toContain('value="approve"');
      await change({ count: 2 });
      expect(await page(owner, fewer)).toContain('Approve and send');
      expect((await vote(owner, fewer)).body).toMatchObject({ status: 'approved', votes: [{}, {}] });
      const alone = await hold({}, key);
      await vote(owner, alone);
      await change({ count: 1 });
      expect(await page(owner, alone)).toContain('Approve and send');
      const done = await vote(admin, alone);
      expect(done.body).toMatchObject({ status: 'approved', votes: [], decidedBy: idOf(admin) });
      expect((await receiptOf(alone)).deciders).toMatchObject([{ id: idOf(admin) }]);
      // A voter who is no longer named does not count, and is not shown.
      await change({ count: 2 });
      const named = await hold({}, key);
      await vote(approver, named);
      await change({ count: 2, memberIds: [idOf(owner), idOf(admin)] });
      expect((await read(named)).votes).toEqual([]);
      expect((await vote(owner, named)).body).toMatchObject({ status: 'pending', votes: [{ memberId: idOf(owner) }] });
      expect((await vote(admin, named)).body).toMatchObject({ status: 'approved', votes: [{}, {}] });
      // A former approval without a passkey is asked for again, on the page.
      await change({ count: 2 });
      const proven = await hold({}, key);
      await vote(owner, proven);
      await server.database.sql`UPDATE api_keys SET approvals_need_passkey = true WHERE id = ${keyId}`;
      expect((await read(proven)).votes).toEqual([]);
      expect(await page(owner, proven)).toContain('Approve (1 of 2)');
      await server.database.sql`UPDATE api_keys SET approvals_need_passkey = false WHERE id = ${keyId}`;
    });

    it('are the same in a list of holds as at the decision', { tags: ['several.rules'] }, async () => {
      const { sql } = server.database;
      const lists = [null, [idOf(owner), idOf(admin)], [idOf(admin), idOf(approver)]];
      const [asking, issuing] = [await holdingKey(server), await holdingKey(server)];
      const id = await hold({}, asking.key);
      await sql`UPDATE messages SET key_id = ${issuing.id} WHERE id = ${(await read(id)).emailId}`;
      for (const [needed, passkey] of [
        [1, false],
        [3, true],
      ] as const) {
        for (const ids of lists) {
          for (const others of lists) {
            await sql`UPDATE api_keys SET approvals_needed = ${needed}, approver_ids = ${ids} WHERE id = ${asking.id}`;
            await sql`UPDATE api_keys SET approvals_need_passkey = ${passkey}, approver_ids = ${others} WHERE id = ${issuing.id}`;
            const { memberIds, ...rules } = await readApproverRules(sql, server.accountId, [asking.id, issuing.id]);
            const shown = (await read(id)).approvers;
            expect({ ...shown, memberIds: shown.memberIds?.sort() ?? null }).toEqual({
              ...rules,
              memberIds: memberIds === null ? null : [...memberIds].sort(),
            });
          }
        }
      }
      await sql`UPDATE api_keys SET approvals_need_passkey = false, approvals_needed = 1 WHERE id = ${issuing.id}`;
    });

    it('say in advance that too few are left', async () => {
      const id = await hold();
      await server.database.sql`UPDATE api_keys SET approvals_needed = 5 WHERE id = ${agent.id}`;
      const { checks } = (await owner.call('GET', `/keys/approvals/${id}/check`)).body;
      expect(checks[0]).toMatchObject({
        name: 'caller',
        ok: false,
        message: expect.stringContaining('5 people must approve'),
      });
      await server.database.sql`UPDATE api_keys SET approvals_needed = 2 WHERE id = ${agent.id}`;
    });
  });

  describe('that a key names', { tags: ['several.named'] }, () => {
    let named: { readonly id: string; readonly key: string };
    beforeAll(async () => {
      named = await holdingKey(server, { approvers: { memberIds: [idOf(approver)] } });
    });

    it('are the only ones who can approve, and others can reject', async () => {
      const [first, second] = [await hold({}, named.key), await hold({}, named.key)];
      for (const session of [owner, admin]) expectProblem(await vote(session, first), 403, 'permission_escalation');
      expectProblem(await decide(server, decider, first), 403, 'permission_escalation');
      const token = await makeApprovalLink(server.database.sql, first);
      const { contentHash } = await read(first);
      expect((await byLink(token, { decision: 'approve', contentHash })).status).toBe(403);
      const { checks, ok } = (await owner.call('GET', `/keys/approvals/${first}/check`)).body;
      expect([ok, checks[0].code]).toEqual([false, 'permission_escalation']);
      expect((await read(first)).status).toBe('pending');
      expect((await vote(approver, first)).body.status).toBe('approved');
      const rejected = await owner.call('POST', `/keys/approvals/${second}`, { body: { decision: 'reject' } });
      expect(rejected.body.status).toBe('rejected');
    });

    it('get the mail, and no one else does', async () => {
      await notifyAll();
      const before = await mailedTo();
      const id = await hold({}, named.key);
      await notifyAll();
      expect((await mailedTo()).slice(before.length)).toEqual(['approver@sandbox.test']);
      await vote(approver, id);
    });

    it('must be members who can approve', async () => {
      const viewer = await joinAs(server, owner, 'viewer', 'looks-on@sandbox.test');
      for (const memberIds of [['nobody'], [agent.id], [idOf(viewer)], []]) {
        const body = { name: 'Agent', scopes: ['sending'], approvalMode: 'always', approvers: { memberIds } };
        const response = await server.call('POST', '/keys', { body });
        expectProblem(response, 422, 'validation_failed');
        expect(response.body.errors[0].path).toMatch(/^approvers\.memberIds/);
      }
      const body = { name: 'A', scopes: ['sending'], approvers: { memberIds: [idOf(owner)], count: 2 } };
      const few = await server.call('POST', '/keys', { body });
      expect(few.body.errors).toMatchObject([{ path: 'approvers.count' }]);
      const more = await owner.call('PATCH', '/account', { body: { approvers: { count: 2 } } });
      expect(more.body.errors).toMatchObject([
        { path: 'approvers.count', message: expect.stringContaining('names fewer') },
      ]);
    });

    it('are counted apart in a mail that does not name every message', async () => {
      const { key } = await holdingKey(server);
      await notifyAll();
      for (let sent = 0; sent < 205; sent += 1) await hold({}, sent % 2 === 0 ? key : named.key);
      await notifyAll();
      const last = async (to: string) => (await readInstallationMail(server.database, { to })).at(-1)?.subject;
      expect(await last('approver@sandbox.test')).toMatch(/: 205 emails$/);
      expect(await last('admin@sandbox.test')).toMatch(/: 103 emails$/);
    });

    it('give way to all approvers in the mail once none of them is left', async () => {
      const temporary = await joinAs(server, owner, 'approver', 'temporary@sandbox.test');
      const { key } = await holdingKey(server, { approvers: { memberIds: [idOf(temporary)] } });
      await owner.call('DELETE', `/team/${idOf(temporary)}`);
      await notifyAll();
      const before = await mailedTo();
      const id = await hold({}, key);
      await notifyAll();
      expect((await mailedTo()).slice(before.length)).toContain('owner@sandbox.test');
      expectProblem(await vote(owner, id), 403, 'permission_escalation');
    });
  });

  it('mail the others again after an edit, with links to the new revision', { tags: ['several.mail'] }, async () => {
    await notifyAll();
    const id = await hold();
    await notifyAll();
    const before = await mailedTo();
    await vote(owner, id, { edits: { subject: 'Edited' } });
    await notifyAll();
    const [mail] = (await readInstallationMail(server.database, { to: 'admin@sandbox.test' })).slice(-1);
    expect(mail?.text).toMatch(/Approvals: +1 of 2 people have approved it/);
    const mailed = (await mailedTo()).slice(before.length);
    expect(mailed).toContain('admin@sandbox.test');
    expect(mailed).not.toContain('owner@sandbox.test');
    const links = await server.database.sql`
      SELECT DISTINCT revision FROM approval_links WHERE approval_id = ${id} ORDER BY revision`;
    expect(links.map(({ revision }) => revision)).toEqual([1, 2]);
  });

  it('cannot be loosened by a key, and a child key keeps them', { tags: ['several.attacks'] }, async () => {
    const body = { approvers: null };
    const maker = await server.newKey({ name: 'Maker', scopes: ['keys:write', 'emails:send'] });
    expectProblem(await server.call('PATCH', `/keys/${agent.id}`, { key: maker, body }), 403, 'permission_escalation');
    expectProblem(await server.call('PATCH', `/keys/${agent.id}`, { key: agent.key, body }), 403, 'missing_scope');
  });

  it('do not let anyone publish a template draft of such a key alone', { tags: ['several.drafts'] }, async () => {
    const body = { slug: 'welcome', name: 'Welcome', subject: 'Hi', text: 'Pay me' };
    expect((await server.call('POST', '/templates', { key: agent.key, body })).status).toBe(201);
    const refused = await owner.call('POST', '/templates/welcome/publish', { body: {} });
    expectProblem(refused, 403, 'permission_escalation');
    const { key } = await holdingKey(server, { approvers: { memberIds: [idOf(approver)] } });
    const other = { slug: 'other', name: 'Other', subject: 'Hi', text: 'Hi' };
    expect((await server.call('POST', '/templates', { key, body: other })).status).toBe(201);
    expectProblem(await owner.call('POST', '/templates/other/publish', { body: {} }), 403, 'permission_escalation');
    expect((await approver.call('POST', '/templates/other/publish', { body: {} })).status).toBe(200);
  });

  async function notifyAll(): Promise<void> {
    server.clock.advance(700_000);
    await notifyApprovers({
      ...server.app.services.auth.mailer,
      onError: (error: unknown) => expect(error).toBeUndefined(),
    });
  }

  async function mailedTo(): Promise<readonly string[]> {
    const rows = await server.database.sql`
      SELECT to_line FROM messages WHERE 'approval' = ANY (tags) AND source = 'system' ORDER BY id`;
    return rows.map((row) => String(row['to_line']));
  }
});
