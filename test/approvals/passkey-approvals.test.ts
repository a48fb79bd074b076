import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assertApproversWork } from '../../packages/server/src/operations/assert-approvers-work.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { signInDevice } from '../harness/device-session.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { readInstallationMail } from '../harness/installation-mail.ts';
import type { TestPasskey } from '../harness/passkey-authenticator.ts';
import { createPasskey } from '../harness/passkey-authenticator.ts';
import {
  askForChallenge,
  type Fields,
  postConfirmed,
  postForm,
  signatureFields,
} from '../harness/passkey-confirmation.ts';
import {
  addPasskey,
  confirming,
  requestFirstPasskeyLink,
  startRegistering,
  startSigningIn,
} from '../harness/passkeys.ts';
import { cookieOf, joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';
import { decide, decidingKey, holdingKey } from './approving.ts';

const FORM = 'application/x-www-form-urlencoded';

describe('approvals that need a passkey', () => {
  let server: TestApp;
  let agent: { readonly id: string; readonly key: string };
  let decider: string;
  let owner: TestSession;
  let admin: TestSession;
  let ownKey: TestPasskey;
  let adminKey: TestPasskey;
  beforeAll(async () => {
    server = await startTestApp();
    agent = await holdingKey(server);
    decider = await decidingKey(server);
    owner = await signInAs(server, 'owner@sandbox.test');
    admin = await joinAs(server, owner, 'admin');
    ({ passkey: ownKey } = await addPasskey(server, owner));
    ({ passkey: adminKey } = await addPasskey(server, admin));
    const body = { approvers: { requirePasskey: true } };
    expect((await owner.call('PATCH', '/account', { body })).body.approvers).toEqual({
      requirePasskey: true,
      count: 1,
    });
  });
  afterAll(() => server.close());

  const hold = async (key = agent.key) => (await server.send({}, { key })).body.approvalId as string;
  const read = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body;
  const pageOf = (id: string) => `/console/approvals/${id}`;
  const approving = async (id: string): Promise<Fields> => {
    return { decision: 'approve', contentHash: (await read(id)).contentHash };
  };
  const link = async (token: string, fields: Fields) =>
    await server.call('POST', `/approvals/${token}`, {
      ...{ key: null, rawBody: new URLSearchParams(fields).toString() },
      headers: { 'content-type': FORM, origin: server.baseUrl },
    });
  /** As `session`, with what the link's page sends. */
  const byLink = (): Pick<TestSession, 'call'> => ({
    call: async (method, path, options = {}) =>
      await server.call(method, path, {
        ...options,
        key: null,
        headers: { origin: server.baseUrl, ...options.headers },
      }),
  });
  const device = async () => {
    server.clock.advance(900_000);
    return await signInDevice(server, owner);
  };

  it('are made on the page of the hold, and the receipt has the signature', {
    tags: ['passkeys.page', 'passkeys.receipt'],
  }, async () => {
    const id = await hold();
    expect((await read(id)).approvers).toEqual({ requirePasskey: true, count: 1, memberIds: null });
    const done = await postConfirmed(server, owner, ownKey, pageOf(id), await approving(id));
    expect([done.status, done.headers.get('location')]).toEqual([303, '/console/approvals']);
    const { receipt, status, contentHash } = await read(id);
    expect(status).toBe('approved');
    const { deciders } = JSON.parse(Buffer.from(receipt.split('.')[1], 'base64url').toString());
    expect(deciders).toMatchObject([
      { id: owner.user.memberId, way: 'console', assertion: { credentialId: ownKey.id, rpId: 'localhost' } },
    ]);
    expect(contentHash).toHaveLength(64);
    const [passkey] = (await owner.call('GET', '/passkeys')).body.passkeys;
    const { entries } = (await owner.call('GET', '/audit?action=approval.approved&limit=1')).body;
    expect(entries[0]).toMatchObject({ targetId: id, details: { passkey: passkey.id } });
  });

  it('are made by the link in a mail with a passkey of its member', { tags: ['passkeys.link'] }, async () => {
    const id = await hold();
    const token = await makeApprovalLink(server.database.sql, id);
    const fields = await approving(id);
    const asked = await link(token, fields);
    expect([asked.status, asked.body]).toEqual([403, expect.stringContaining('data-passkey-options')]);
    expect((await read(id)).status).toBe('pending');
    const done = await postConfirmed(server, byLink(), ownKey, `/approvals/${token}`, fields);
    expect([done.status, done.body]).toEqual([200, expect.stringContaining('Approved')]);
    expect((await read(id)).status).toBe('approved');
  });

  it('are made of edited content, which the signature covers', { tags: ['passkeys.page'] }, async () => {
    const id = await hold();
    const { to, text, contentHash } = await read(id);
    const fields = { to: to.join('\n'), subject: 'Edited', text: text ?? '', html: '', contentHash, step: 'approve' };
    const challenge = await askForChallenge(owner, `${pageOf(id)}/edit`, fields);
    const signed = signatureFields(server, ownKey, challenge);
    const other = await postForm(owner, `${pageOf(id)}/edit`, { ...fields, ...signed, subject: 'Another' });
    expect([other.status, (await read(id)).status]).toEqual([403, 'pending']);
    await postConfirmed(server, owner, ownKey, `${pageOf(id)}/edit`, fields);
    expect(await read(id)).toMatchObject({ status: 'approved', subject: 'Edited', revision: 2, edited: ['subject'] });
  });

  it('need none to reject, anywhere', { tags: ['passkeys.reject'] }, async () => {
    const ids = [await hold(), await hold(), await hold()];
    await decide(server, decider, ids[0] ?? '', { decision: 'reject' });
    await owner.call('POST', '/keys/approvals', { body: { ids: [ids[1]], decision: 'reject' } });
    const token = await makeApprovalLink(server.database.sql, ids[2] ?? '');
    const { contentHash } = await read(ids[2] ?? '');
    await link(token, { decision: 'reject', rejectCode: 'policy', contentHash });
    for (const id of ids) expect((await read(id)).status).toBe('rejected');
  });

  /** Every attempt to approve without the passkey. Each gets a new hold, and must leave it undecided. */
  const ATTEMPTS: Readonly<Record<string, (id: string) => Promise<TestResponse | null>>> = {
    'by a stolen key that decides': async (id) => await decide(server, decider, id),
    'by the key of the agent': async (id) => await decide(server, agent.key, id),
    'over the API with a stolen session': async (id) =>
      await owner.call('POST', `/keys/approvals/${id}`, { body: { decision: 'approve' } }),
    'over the API, with a signature that the page would accept': async (id) => {
      const challenge = await askForChallenge(owner, pageOf(id), await approving(id));
      const signed = signatureFields(server, ownKey, challenge);
      return await owner.call('POST', `/keys/approvals/${id}`, { body: { decision: 'approve', ...signed } });
    },
    'on the page with a stolen session': async (id) => await postForm(owner, pageOf(id), await approving(id)),
    'on the page, in the background': async (id) =>
      await postForm(owner, pageOf(id), { ...(await approving(id)), byScript: '1' }),
    'with a device session': async (id) => await decide(server, await device(), id),
    'of several at once over the API': async (id) => {
      const response = await owner.call('POST', '/keys/approvals', { body: { ids: [id], decision: 'approve' } });
      expect(response.body).toMatchObject({ accepted: 0, refused: 1 });
      return null;
    },
    'of several at once on the page': async (id) => {
      const { contentHash } = await read(id);
      const response = await postForm(owner, '/console/approvals', {
        hold: `${id} ${contentHash}`,
        decision: 'approve',
      });
      expect(response.body).toContain('It needs your passkey');
      return null;
    },
    'by the link in a mail': async (id) =>
      await link(await makeApprovalLink(server.database.sql, id), await approving(id)),
    'by the link in a mail, with a passkey of someone else': async (id) => {
      const path = `/approvals/${await makeApprovalLink(server.database.sql, id)}`;
      return await postConfirmed(server, byLink(), adminKey, path, await approving(id));
    },
    'by the link in a mail, with the signature for the page of another member': async (id) => {
      const token = await makeApprovalLink(server.database.sql, id);
      const challenge = await askForChallenge(admin, pageOf(id), await approving(id));
      return await link(token, { ...(await approving(id)), ...signatureFields(server, adminKey, challenge) });
    },
    'with a signature for another hold': async (id) => {
      const other = await hold();
      const challenge = await askForChallenge(owner, pageOf(other), await approving(other));
      return await postForm(owner, pageOf(id), {
        ...(await approving(id)),
        ...signatureFields(server, ownKey, challenge),
      });
    },
    'with a signature that was used': async (id) => {
      const other = await hold();
      const challenge = await askForChallenge(owner, pageOf(other), await approving(other));
      const signed = signatureFields(server, ownKey, challenge);
      await postForm(owner, pageOf(other), { ...(await approving(other)), ...signed });
      expect((await read(other)).status).toBe('approved');
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with a signature that also trusts the recipients': async (id) => {
      const challenge = await askForChallenge(owner, pageOf(id), await approving(id));
      const signed = signatureFields(server, ownKey, challenge);
      return await postForm(owner, pageOf(id), { ...(await approving(id)), remember: 'true', ...signed });
    },
    'with a signature for signing in': async (id) => {
      const { options } = await startSigningIn(server);
      const { sealed } = await askForChallenge(owner, pageOf(id), await approving(id));
      const signed = signatureFields(server, ownKey, { options, sealed });
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with the challenge for signing in': async (id) => {
      const { options, cookie } = await startSigningIn(server);
      const sealed = cookie.slice(cookie.indexOf('=') + 1);
      const signed = signatureFields(server, ownKey, { options, sealed });
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with the challenge for another passkey': async (id) => {
      const { headers, body } = await confirming(owner, server.baseUrl, ownKey, { change: 'add' });
      const sealed = /passkey=([^;]+)$/.exec(headers.cookie)?.[1] ?? '';
      const signed = { passkeyAssertion: JSON.stringify(body.confirmation), passkeySealed: sealed };
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with the challenge of another user': async (id) => {
      const challenge = await askForChallenge(admin, pageOf(id), await approving(id));
      return await postForm(owner, pageOf(id), {
        ...(await approving(id)),
        ...signatureFields(server, adminKey, challenge),
      });
    },
    'with a signature for a hold of another account of the same user': async (id) => {
      const there = await signInAs(server, `founder-${id}@sandbox.test`);
      const invitation = { email: 'owner@sandbox.test', role: 'approver' };
      expect((await there.call('POST', '/team/invitations', { body: invitation })).status).toBe(201);
      const { key } = (
        await there.call('POST', '/keys', { body: { name: 'A', scopes: ['sending'], approvalMode: 'always' } })
      ).body;
      await there.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
      const guest = await signInAs(server, 'owner@sandbox.test');
      await guest.call('PATCH', '/auth/session', { body: { accountId: there.account.id } });
      const other = await hold(key);
      const { contentHash } = (await guest.call('GET', `/keys/approvals/${other}`)).body;
      const challenge = await askForChallenge(guest, pageOf(other), { decision: 'approve', contentHash });
      const signed = signatureFields(server, ownKey, challenge);
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with a passkey of another user': async (id) =>
      await postConfirmed(server, owner, adminKey, pageOf(id), await approving(id)),
    'with a passkey that no one has added': async (id) =>
      await postConfirmed(server, owner, createPasskey(), pageOf(id), await approving(id)),
    'with a passkey that did not verify its user': async (id) =>
      await postConfirmed(server, owner, ownKey, pageOf(id), await approving(id), { isUserVerified: false }),
    'with a signature from a page of another site': async (id) =>
      await postConfirmed(server, owner, ownKey, pageOf(id), await approving(id), { origin: 'https://evil.example' }),
    'with a signature from a frame in another site': async (id) =>
      await postConfirmed(server, owner, ownKey, pageOf(id), await approving(id), { isFramed: true }),
    'with a signature for another server': async (id) =>
      await postConfirmed(server, owner, ownKey, pageOf(id), await approving(id), { rpId: 'evil.example' }),
    'with a challenge that is too old': async (id) => {
      const fields = await approving(id);
      const challenge = await askForChallenge(owner, pageOf(id), fields);
      server.clock.advance(300_000);
      return await postForm(owner, pageOf(id), { ...fields, ...signatureFields(server, ownKey, challenge) });
    },
    'with a challenge that was changed': async (id) => {
      const { options, sealed } = await askForChallenge(owner, pageOf(id), await approving(id));
      const changed = `${sealed.slice(0, -2)}${sealed.endsWith('AA') ? 'BB' : 'AA'}`;
      const signed = signatureFields(server, ownKey, { options, sealed: changed });
      return await postForm(owner, pageOf(id), { ...(await approving(id)), ...signed });
    },
    'with something that is no signature': async (id) =>
      await postForm(owner, pageOf(id), { ...(await approving(id)), passkeyAssertion: '{', passkeySealed: 'x' }),
    'from another site, with the session': async (id) => {
      const headers = { 'content-type': FORM, origin: 'https://evil.example' };
      const rawBody = new URLSearchParams(await approving(id)).toString();
      return await owner.call('POST', pageOf(id), { headers, rawBody });
    },
  };

  it.each(Object.keys(ATTEMPTS))(
    'are not made %s',
    { tags: ['passkeys.attacks', 'holes.passkey-approvals'] },
    async (name) => {
      const id = await hold();
      const response = await ATTEMPTS[name]?.(id);
      if (response != null) expect(response.status).toBeGreaterThanOrEqual(400);
      expect((await read(id)).status).toBe('pending');
    },
  );

  it('are not made after a copy of the authenticator has signed', {
    tags: ['passkeys.attacks', 'holes.passkey-approvals'],
  }, async () => {
    const counting = await signInAs(server, 'owner@sandbox.test');
    const { passkey } = await addPasskey(server, owner, { name: 'Counts' });
    const ids = [await hold(), await hold(), await hold()];
    const approve = async (id = '', counter = 0) =>
      await postConfirmed(server, counting, passkey, pageOf(id), await approving(id), { counter });
    expect((await approve(ids[0], 7)).status).toBe(303);
    expect((await approve(ids[1], 7)).status).toBe(403);
    expect((await approve(ids[2], 6)).status).toBe(403);
    expect([(await read(ids[1] ?? '')).status, (await read(ids[2] ?? '')).status]).toEqual(['pending', 'pending']);
  });

  it('are made once if two approvers sign at the same time', {
    tags: ['passkeys.attacks', 'holes.passkey-approvals'],
  }, async () => {
    const id = await hold();
    const fields = await approving(id);
    const signers = [
      [owner, ownKey],
      [admin, adminKey],
    ] as const;
    const signed = await Promise.all(
      signers.map(async ([session, passkey]) =>
        signatureFields(server, passkey, await askForChallenge(session, pageOf(id), fields)),
      ),
    );
    const sent = await Promise.all(
      signers.map(([session], index) => postForm(session, pageOf(id), { ...fields, ...signed[index] })),
    );
    expect(sent.map(({ status }) => status).sort()).toEqual([303, 409]);
  });

  it('are refused with the page that makes them', { tags: ['passkeys.refusal'] }, async () => {
    const id = await hold();
    const refused = await decide(server, decider, id);
    expectProblem(refused, 403, 'permission_escalation');
    expect(refused.body.fix).toContain(`${server.baseUrl}/console/approvals/${id}`);
    const checked = (await server.call('GET', `/keys/approvals/${id}/check`, { key: decider })).body;
    expect(checked.checks[0]).toMatchObject({ name: 'caller', ok: false, code: 'permission_escalation' });
  });

  describe('cannot be loosened', { tags: ['passkeys.loosening', 'holes.passkey-approvals'] }, () => {
    const off = { approvers: { requirePasskey: false } };

    it.each(['the session', 'a key', 'a device'])('by %s', async (what) => {
      const key = what === 'a key' ? server.key : await device();
      const call = async (method: string, path: string, body: object) =>
        what === 'the session'
          ? await owner.call(method, path, { body })
          : await server.call(method, path, { key, body });
      expectProblem(await call('PATCH', '/account', off), 403, 'permission_escalation');
      expectProblem(await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'off' }), 403, 'permission_escalation');
      const holdWhen = { firstContact: true };
      const looser = await call('PATCH', `/keys/${agent.id}`, { approvalMode: 'policy', holdWhen });
      expectProblem(looser, 403, 'permission_escalation');
      const invited = await call('POST', '/team/invitations', { email: 'thief@sandbox.test', role: 'approver' });
      expectProblem(invited, 403, 'permission_escalation');
      expect(
        (
          await call('POST', '/team/invitations', {
            email: `${what.replaceAll(' ', '-')}@sandbox.test`,
            role: 'viewer',
          })
        ).status,
      ).toBe(201);
    });

    it('by making a viewer an approver', async () => {
      const viewer = await joinAs(server, owner, 'viewer');
      const path = `/team/${viewer.user.memberId}`;
      expectProblem(await owner.call('PATCH', path, { body: { role: 'approver' } }), 403, 'permission_escalation');
      const done = await postConfirmed(server, owner, ownKey, `/console/team/${viewer.user.memberId}/role`, {
        role: 'approver',
      });
      expect(done.status).toBe(303);
      expect((await owner.call('PATCH', path, { body: { role: 'viewer' } })).status).toBe(200);
    });

    it('by publishing the draft of a held key', async () => {
      const body = { slug: 'note', name: 'Note', subject: 'Hi', text: 'Text' };
      expect((await server.call('POST', '/templates', { key: agent.key, body })).status).toBe(201);
      const [draft] = (await owner.call('GET', '/keys/approvals/drafts')).body.drafts;
      const { contentHash, version } = draft;
      const path = `/templates/${draft.templateId}/publish`;
      const publishing = { body: { version, contentHash } };
      expectProblem(await owner.call('POST', path, publishing), 403, 'permission_escalation');
      const page = `/console/approvals/drafts/note/${version}`;
      expect((await postForm(owner, page, { decision: 'publish', contentHash })).status).toBe(403);
      const done = await postConfirmed(server, owner, ownKey, page, { decision: 'publish', contentHash });
      expect(done.status).toBe(303);
    });

    it('with the signature for another change', async () => {
      const challenge = await askForChallenge(owner, '/console/settings/approvers', { requirePasskey: 'no' });
      const signed = signatureFields(server, ownKey, challenge);
      const fields = { email: 'thief@sandbox.test', role: 'approver', ...signed };
      expect((await postForm(owner, '/console/team', fields)).status).toBe(403);
    });

    it('but by a user who may approve, with a passkey', async () => {
      const fields = { requirePasskey: 'no' };
      expect((await postForm(owner, '/console/settings/approvers', fields)).status).toBe(403);
      const done = await postConfirmed(server, owner, ownKey, '/console/settings/approvers', fields);
      expect([done.status, (await owner.call('GET', '/account')).body.approvers.requirePasskey]).toEqual([303, false]);
      const { entries } = (await owner.call('GET', '/audit?action=account.updated&limit=1')).body;
      expect(entries[0].details).toMatchObject({ approvalsNeedPasskey: false });
      await owner.call('PATCH', '/account', { body: { approvers: { requirePasskey: true } } });
    });
  });

  describe('cannot be made with a passkey of the thief', {
    tags: ['passkeys.guards', 'holes.passkey-approvals'],
  }, () => {
    it('that a stolen session adds beside another', async () => {
      const body = {};
      expectProblem(
        await owner.call('POST', '/auth/passkeys/register/options', { body }),
        403,
        'permission_escalation',
      );
      const foreign = await confirming(owner, server.baseUrl, adminKey, { change: 'add' });
      expectProblem(await owner.call('POST', '/auth/passkeys/register/options', foreign), 403, 'permission_escalation');
    });

    it('that a session adds as the first, however old it is', async () => {
      const approver = await signInAs(server, 'owner@sandbox.test');
      await server.database.sql`DELETE FROM passkeys WHERE user_id = ${admin.user.id}`;
      server.clock.advance(901_000);
      const refused = await admin.call('POST', '/auth/passkeys/register/options', { body: {} });
      expectProblem(refused, 403, 'permission_escalation');
      const page = await admin.call('GET', '/auth/passkeys', { headers: { accept: 'text/html' } });
      expect(page.body).toContain('Email me a link');
      admin = await signInAs(server, 'admin@sandbox.test');
      ({ passkey: adminKey } = await addPasskey(server, admin));
      expect(approver.user.id).toBe(owner.user.id);
    });

    it('for which the session got a challenge before the user added their first', async () => {
      const approver = await joinAs(server, owner, 'developer');
      const link = (await requestFirstPasskeyLink(server, approver)) ?? null;
      const asked = await approver.call('POST', '/auth/passkeys/register/options', { body: { link } });
      const challenged = { options: asked.body, cookie: cookieOf(asked, 'passkey') };
      expect((await addPasskey(server, approver)).status).toBe(201);
      expectProblem(await addPasskey(server, approver, { challenged, name: 'Thief', link }), 404, 'not_found');
      expect((await approver.call('GET', '/passkeys')).body.passkeys).toHaveLength(1);
    });

    it('unnoticed: the user gets a mail', async () => {
      const mail = (await readInstallationMail(server.database, { tag: 'passkey', to: 'developer@sandbox.test' })).at(
        -1,
      );
      expect([mail?.subject, mail?.text]).toEqual(['A passkey was added', expect.stringContaining('“Laptop”')]);
      expect(mail?.text).toContain(`${server.baseUrl}/auth/passkeys`);
    });

    it('that takes the place of one that the session removes', async () => {
      const [{ id }] = (await owner.call('GET', '/passkeys')).body.passkeys;
      expectProblem(await owner.call('DELETE', `/passkeys/${id}`), 403, 'permission_escalation');
      expectProblem(await owner.call('POST', '/auth/passkeys/remove', { body: { id } }), 403, 'permission_escalation');
      const other = await confirming(owner, server.baseUrl, ownKey, { change: 'remove', id: 'x' });
      const given = { headers: other.headers, body: { id, ...other.body } };
      expectProblem(await owner.call('POST', '/auth/passkeys/remove', given), 403, 'permission_escalation');
      const { passkey } = await addPasskey(server, owner, {
        ...{ name: 'Spare', challenged: await startRegistering(owner, server.baseUrl, ownKey) },
      });
      const spare = (await owner.call('GET', '/passkeys')).body.passkeys.at(-1).id;
      const right = await confirming(owner, server.baseUrl, passkey, { change: 'remove', id: spare });
      const removed = await owner.call('POST', '/auth/passkeys/remove', {
        ...{ headers: right.headers, body: { id: spare, ...right.body } },
      });
      expect([removed.status, removed.body.name]).toEqual([200, 'Spare']);
    });
  });
});

describe('a key whose approvals need a passkey', { tags: ['passkeys.key'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  it('is approved with one, while other keys are approved without', async () => {
    const [strict, other] = [
      await holdingKey(server, { approvers: { requirePasskey: true } }),
      await holdingKey(server, { approvers: null }),
    ];
    const decider = await decidingKey(server);
    const hold = async (key: string) => (await server.send({}, { key })).body.approvalId as string;
    const [first, second] = [await hold(strict.key), await hold(other.key)];
    expect((await decide(server, decider, second)).status).toBe(200);
    expectProblem(await decide(server, decider, first), 403, 'permission_escalation');
    const read = (await owner.call('GET', `/keys/${strict.id}`)).body;
    expect(read.approvers).toEqual({ requirePasskey: true, count: 1, memberIds: null });
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl, NO_COLOR: '1' };
    const shown = await runInProcess(['keys', 'get', strict.id], { env, columns: 120 });
    expect(shown.stdout).toMatch(/^approval +always; needs a passkey$/m);
    const { passkey } = await addPasskey(server, owner);
    const { contentHash } = (await owner.call('GET', `/keys/approvals/${first}`)).body;
    const fields = { decision: 'approve', contentHash };
    expect((await postConfirmed(server, owner, passkey, `/console/approvals/${first}`, fields)).status).toBe(303);
    const loosened = await owner.call('PATCH', `/keys/${strict.id}`, { body: { approvers: null } });
    expectProblem(loosened, 403, 'permission_escalation');
  });

  it('cannot be made where passkeys do not work: at an IP address', async () => {
    const { accountId, database } = server;
    const judge = (given: Parameters<typeof assertApproversWork>[1]['given'], baseUrl: string) =>
      assertApproversWork(database.sql, { accountId, given, baseUrl });
    await expect(judge({ requirePasskey: true }, 'https://192.0.2.7')).rejects.toThrow(/IP address/);
    for (const fine of [null, undefined, { requirePasskey: false }]) await judge(fine, 'https://192.0.2.7');
    await judge({ requirePasskey: true }, 'https://mail.example.com');
  });
});
