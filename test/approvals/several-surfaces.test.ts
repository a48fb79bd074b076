import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { makeApprovalLink } from '../harness/approval-link.ts';
import { signInDevice } from '../harness/device-session.ts';
import { openEventStream } from '../harness/event-stream.ts';
import { postForm } from '../harness/passkey-confirmation.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { holdingKey } from './approving.ts';

describe('an approval before the last one', { tags: ['several.surfaces'] }, () => {
  let server: TestApp;
  let owner: TestSession;
  let admin: TestSession;
  let agent: { readonly id: string; readonly key: string };
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    owner = await signInAs(server, 'owner@sandbox.test');
    admin = await joinAs(server, owner, 'admin');
    agent = await holdingKey(server, { approvers: { count: 2 } });
  });
  afterAll(() => server.close());

  const hold = async () =>
    (await server.send({ subject: 'The invoice' }, { key: agent.key })).body.approvalId as string;
  const read = async (id: string) => (await owner.call('GET', `/keys/approvals/${id}`)).body;
  const vote = async (session: TestSession, id: string, body = {}) =>
    await session.call('POST', `/keys/approvals/${id}`, { body: { decision: 'approve', ...body } });
  const textOf = (markup: string) => markup.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
  const page = async (session: TestSession, path: string) =>
    textOf((await session.call('GET', path, { headers: { accept: 'text/html' } })).body);
  const device = async () => await signInDevice(server, owner);

  it('is explained in the console, to those who have approved and to those who have not', async () => {
    const id = await hold();
    const path = `/console/approvals/${id}`;
    expect(await page(owner, path)).toMatch(/2 people must approve it\..* Approve \(1 of 2\)/);
    const fields = { decision: 'approve', contentHash: (await read(id)).contentHash };
    const byScript = await postForm(owner, path, { ...fields, byScript: '1' });
    expect(byScript.body).toMatchObject({
      isDone: true,
      message: expect.stringContaining('is recorded. 1 of 2 people'),
    });
    const mine = await page(owner, path);
    expect(mine).toContain('You approved it');
    expect(mine).toContain('Waiting for others');
    expect(mine).not.toContain('Approve and send');
    const theirs = await page(admin, path);
    expect(theirs).toMatch(/1 of 2 people have approved it; 1 more must\..*Approved by owner@sandbox\.test/);
    expect(theirs).toContain('Approve and send');
    expect(await page(admin, '/console/approvals')).toContain('1 of 2 approved');
    const edit = { ...fields, to: 'b@receiver.example', subject: 'Edited', text: 'Hi', html: '', step: 'compare' };
    const compared = textOf((await postForm(admin, `${path}/edit`, edit)).body);
    expect(compared).toContain('Earlier approvals will no longer count.');
    expect(compared).toContain('Approve with these changes');
    expect((await postForm(admin, path, fields)).headers.get('location')).toBe('/console/approvals');
    expect((await read(id)).status).toBe('approved');
  });

  it('is explained on the page of a mailed link, which then shows the outcome', async () => {
    const id = await hold();
    const token = await makeApprovalLink(server.database.sql, id);
    const stranger = {
      call: (method: string, path: string, options = {}) => server.call(method, path, { ...options, key: null }),
    };
    const show = async () => textOf((await server.call('GET', `/approvals/${token}`, { key: null })).body);
    expect(await show()).toMatch(/2 people must approve it\..* Approve \(1 of 2\)/);
    const fields = { decision: 'approve', contentHash: (await read(id)).contentHash };
    const done = await postForm(stranger, `/approvals/${token}`, fields);
    expect([done.status, textOf(done.body)]).toEqual([200, expect.stringContaining('Your approval is recorded')]);
    expect(await show()).toContain('You approved it');
    await vote(admin, id);
    expect(await show()).toContain('Approved');
    expect((await read(id)).votes.map(({ memberId }: { memberId: string }) => memberId)).toEqual([
      owner.user.memberId,
      admin.user.memberId,
    ]);
  });

  it('says on the link that another approver has edited the message', async () => {
    const id = await hold();
    const token = await makeApprovalLink(server.database.sql, id);
    await vote(admin, id, { edits: { subject: 'Edited' } });
    for (const path of [`/approvals/${token}`, `/approvals/${token}/edit`]) {
      const shown = await server.call('GET', path, { key: null });
      expect([shown.status, textOf(shown.body)]).toEqual([409, expect.stringContaining('This message was edited')]);
      expect(shown.body).toContain(`${server.baseUrl}/console/approvals/${id}`);
    }
  });

  it('is explained on the command line', async () => {
    const env = { POSTRIDER_API_KEY: await device(), POSTRIDER_BASE_URL: server.baseUrl };
    const id = await hold();
    const before = await runInProcess(['approvals', 'get', id], { env, columns: 120 });
    expect(before.stdout).toMatch(/^Approvals +2 people must approve it$/m);
    const approved = await runInProcess(['approvals', 'approve', id, '--yes'], { env, columns: 120 });
    expect([approved.code, approved.stdout]).toEqual([0, expect.stringMatching(/^Status +pending$/m)]);
    expect(approved.stdout).toMatch(/^Approvals +1 of 2 people have approved it, 1 more must$/m);
    expect(approved.stderr).toContain('Your approval is recorded.');
    const key = await runInProcess(['keys', 'get', agent.id], { env, columns: 120 });
    expect(stripVTControlCharacters(key.stdout)).toMatch(/^approval +always; 2 people must approve$/m);
    const many = await runInProcess(['approvals', 'decide-many', id, '--decision', 'approve'], {
      env,
      columns: 120,
    });
    expect(stripVTControlCharacters(many.stdout)).toMatch(
      new RegExp(`^${id} +pending +1 of 2 people have approved it, 1 more must$`, 'm'),
    );
  });

  it('is reported to the agent, which may not approve, and to webhooks without content', async () => {
    const id = await hold();
    const stream = await openEventStream(server, '?events=approval.voted');
    await vote(owner, id, { note: 'About The invoice' });
    expect((await stream.next()).event).toBe('ready');
    const { event, data } = await stream.next();
    expect(event).toBe('approval.voted');
    const payload = JSON.parse(data.payload);
    expect(payload.data).toMatchObject({
      id,
      status: 'pending',
      subject: null,
      votes: [{ memberId: owner.user.memberId, note: null }],
    });
    expect(JSON.stringify(data)).not.toContain('The invoice');
    stream.close();
    const client = await connectTo(server, 'toolsets=approvals', agent.key);
    const { text, record } = await client.call('get_approval', { id });
    expect(text).toContain('Approvals: 1 of 2 people have approved it; 1 more must.');
    expect(record).toMatchObject({
      status: 'pending',
      approvers: { count: 2 },
      votes: [{ note: 'About The invoice' }],
    });
    await client.close();
  });

  it('is set for the account and for a key in the console', async () => {
    const set = await postForm(owner, '/console/settings/approvers', { approvalsNeeded: '2' });
    expect(set.status).toBe(303);
    expect(await page(owner, '/console/settings')).toContain('2 people must approve each held message.');
    const refused = await postForm(owner, '/console/settings/approvers', { approvalsNeeded: '5' });
    expect([refused.status, textOf(refused.body)]).toEqual([
      422,
      expect.stringContaining('5 people must approve, but the account has only 2 members'),
    ]);
    expect((await postForm(owner, '/console/settings/approvers', { approvalsNeeded: '1' })).status).toBe(303);
    const form = {
      name: 'Named',
      access: 'sending',
      approvalMode: 'always',
      approvalsNeeded: '1',
      approver: admin.user.memberId,
    };
    const created = await postForm(owner, '/console/keys/create', { ...form, action: 'create' });
    expect(created.status).toBe(200);
    const { keys } = (await owner.call('GET', '/keys?limit=1')).body;
    expect(keys[0].approvers).toEqual({ requirePasskey: false, count: 1, memberIds: [admin.user.memberId] });
    expect(await page(owner, `/console/keys/${keys[0].id}`)).toContain('Only the named approver can approve.');
    const shown = await owner.call('GET', `/console/keys/${keys[0].id}/edit`, { headers: { accept: 'text/html' } });
    expect(shown.body).toMatch(new RegExp(`value="${admin.user.memberId}" checked`));
    const saved = await postForm(owner, `/console/keys/${keys[0].id}/edit`, {
      ...form,
      approvalsNeeded: '2',
      action: 'save',
    });
    expect([saved.status, textOf(saved.body)]).toEqual([
      422,
      expect.stringContaining('2 people must approve, but only 1 is named'),
    ]);
  });
});
