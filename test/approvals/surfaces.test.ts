import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { decide, decidingKey, holdingKey } from './approving.ts';

describe('held sends on every surface', () => {
  let server: TestApp;
  let agent: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp();
    ({ key: agent } = await holdingKey(server));
    decider = await decidingKey(server);
  });
  afterAll(() => server.close());

  const mail = { from: 'ada@sandbox.test', to: ['bob@receiver.example'], subject: 'Held over MCP', text: 'Hi' };

  it('are explained over MCP, as text and as data, and the agent can wait or cancel', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const client = await connectTo(server, 'toolsets=approvals', agent);
    const { record, text, isError } = await client.call('send_email', mail);
    expect(isError).toBe(false);
    expect(record).toMatchObject({ status: 'pending_approval', reasons: ['always'], approvalId: expect.any(String) });
    for (const said of [text, JSON.stringify(record)]) {
      expect(said).toMatch(/Held, not sent.*Do not send it again.*tell the user/);
    }
    const waited = await client.call('wait_for_email', { id: record.id, wait: 1 });
    expect(waited.record).toMatchObject({ settled: false, approval: { status: 'pending' } });
    expect(waited.text).toMatch(/Held until an approver decides/);
    const listed = await client.call('list_approvals', { status: 'pending' });
    expect(listed.text).toContain(record.approvalId);
    expect(JSON.stringify(listed.record)).not.toContain('"text":"Hi"');
    // At once, where no one asks to wait.
    const read = await client.call('get_approval', { id: record.approvalId });
    expect(read.text).toContain('Held over MCP');
    expect((await client.call('cancel_email', { id: record.id })).record).toMatchObject({ status: 'canceled' });
    expect((await client.call('get_approval', { id: record.approvalId })).text).toContain(
      'withdrawn: nothing was sent',
    );
    await client.close();
  });

  it('show over MCP what would be sent, with names, replies, headers and unsubscribing', async () => {
    const client = await connectTo(server, 'toolsets=approvals', agent);
    const { body: held } = await server.send(
      {
        ...{ to: 'The Boss <bob@receiver.example>', reply_to: 'Spy <spy@elsewhere.example>' },
        ...{ headers: { 'X-Campaign': 'autumn' }, unsubscribe: true },
      },
      { key: agent },
    );
    const { text, record } = await client.call('get_approval', { id: held.approvalId, wait: 1 });
    for (const said of ['To: The Boss <bob@receiver.example>', 'Reply-To: Spy <spy@elsewhere.example>']) {
      expect(text).toContain(said);
    }
    expect(text).toContain('X-Campaign: autumn');
    expect(text).toContain('Unsubscribe link: one per recipient');
    expect(record).toMatchObject({ headers: { 'X-Campaign': 'autumn' }, unsubscribe: true });
    const listed = await client.call('list_approvals');
    expect(listed.record.approvals[0]).not.toHaveProperty('headers');
    await client.close();
  });

  it('report over MCP why they were rejected, and which fields were edited', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const client = await connectTo(server, '', agent);
    const first = (await client.call('send_email', { ...mail, subject: 'Rejected one' })).record;
    await decide(server, decider, first.approvalId, {
      ...{ decision: 'reject', rejectCode: 'wrong_content', note: 'Too long.' },
    });
    const rejected = await client.call('wait_for_email', { id: first.id });
    expect(rejected.record).toMatchObject({
      ...{ settled: true, status: 'rejected' },
      approval: { rejectCode: 'wrong_content', note: 'Too long.' },
    });
    expect(rejected.text).toMatch(/rejected \(wrong_content\)/);
    const second = (await client.call('send_email', { ...mail, subject: 'Edited one' })).record;
    await decide(server, decider, second.approvalId, { decision: 'approve', edits: { subject: 'Better' } });
    await server.pump();
    const edited = await client.call('wait_for_email', { id: second.id });
    expect(edited.record).toMatchObject({ status: 'delivered', approval: { edited: ['subject'] } });
    expect(edited.text).toMatch(/edited: subject/);
    await client.close();
  });

  it('have no MCP tool that decides; the policy is stated before a send, and a preview shows the hold', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const holdWhen = { hasBcc: true, recipientDomainNotIn: ['sandbox.test'] };
    const { key } = await holdingKey(server, { approvalMode: 'policy', holdWhen });
    const client = await connectTo(server, 'toolsets=approvals,keys', key);
    const tools = await client.list();
    expect(tools).toContain('get_approval');
    expect(tools.filter((name) => /decide|approve|reject/.test(name))).toEqual([]);
    const context = await client.call('get_sending_context');
    expect(context.record).toMatchObject({ approvalMode: 'policy', holdWhen: { hasBcc: true } });
    expect(context.text).toMatch(/Approval: Sends that match recipientDomainNotIn \["sandbox.test"\] or hasBcc/);
    const preview = await client.call('preview_email', mail);
    expect(preview.record).toMatchObject({ wouldHold: true, reasons: ['recipientDomainNotIn'] });
    const batch = await client.call('send_email_batch', { emails: [mail, { ...mail, to: 'ada@sandbox.test' }] });
    expect(batch.record.results).toMatchObject([{ status: 'pending_approval' }, { status: 'queued' }]);
    expect(batch.text).toMatch(/held, not sent/);
    await client.close();
  });

  it('are decided only by signed-in users whose role allows it', {
    tags: ['approvals.who-decides'],
  }, async () => {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const approver = await joinAs(server, owner, 'approver');
    const viewer = await joinAs(server, owner, 'viewer');
    const developer = await joinAs(server, owner, 'developer');
    for (const user of [owner, approver]) {
      const { body: held } = await server.send({ to: 'people@receiver.example' }, { key: agent });
      const path = `/keys/approvals/${held.approvalId}`;
      for (const other of [viewer, developer]) {
        expectProblem(await other.call('POST', path, { body: { decision: 'approve' } }), 403, 'missing_scope');
      }
      const listed = await user.call('GET', '/keys/approvals?status=pending&limit=1');
      expect(listed.body.approvals[0]).toMatchObject({ id: held.approvalId });
      const { status, body } = await user.call('POST', path, { body: { decision: 'approve' } });
      expect({ status, body }).toMatchObject({
        status: 200,
        body: { status: 'approved', decidedBy: user.user.memberId },
      });
    }
  });

  it('are listed, read and decided by the SDK', { tags: ['contract-surfaces.sdk-approvals'] }, async () => {
    const { body: held } = await server.send({ to: 'sdk@receiver.example' }, { key: agent });
    const client = new Postrider({ apiKey: decider, baseUrl: server.baseUrl });
    const page = await client.approvals.list({ status: 'pending' });
    expect(page.data.map(({ id }) => id)).toContain(held.approvalId);
    const approval = await client.approvals.get(held.approvalId);
    const { contentHash } = approval;
    if (contentHash === null) throw new Error('no content hash');
    const decided = await client.approvals.decide(held.approvalId, { decision: 'approve', contentHash });
    expect(decided.outcome).toBe('queued');
    const again = await client.approvals
      .decide(held.approvalId, { decision: 'reject' })
      .catch((error: unknown) => error);
    expect(again).toBeInstanceOf(PostriderError);
    expect(again).toMatchObject({ code: 'approval_already_decided', status: 409 });
    const many = await client.approvals.decideMany({ ids: [held.approvalId], decision: 'reject' });
    expect(many).toMatchObject({ accepted: 0, refused: 1, total: 1 });
  });

  it('make the CLI exit with 10', { tags: ['contract-cli.exit-10'] }, async () => {
    const env = { POSTRIDER_API_KEY: agent, POSTRIDER_BASE_URL: server.baseUrl };
    const send = [
      'send',
      '--from',
      'ada@sandbox.test',
      '--to',
      'cli@receiver.example',
      '--subject',
      'Hi',
      '--text',
      'Hi',
    ];
    const { code, stdout } = await runInProcess([...send, '--json'], { env });
    expect(code).toBe(10);
    const held = JSON.parse(stdout);
    expect(held).toMatchObject({ status: 'pending_approval', approvalId: expect.any(String) });
    const shown = await runInProcess(['approvals', 'get', held.approvalId], { env });
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain('cli@receiver.example');
    const decision = ['approvals', 'decide', held.approvalId, '--decision', 'reject', '--reject-code', 'policy'];
    const decided = await runInProcess(decision, { env: { ...env, POSTRIDER_API_KEY: decider } });
    expect(decided.code).toBe(0);
    expect((await server.call('GET', `/emails/${held.id}`)).body.status).toBe('rejected');
  });

  it('store hold events for subscribers, as records without bodies', {
    tags: ['events.payload-other-types'],
  }, async () => {
    const { sql } = server.database;
    await sql`
      INSERT INTO event_takers (account_id, streaming_until) VALUES (${server.accountId}, now() + interval '1 hour')
      ON CONFLICT (account_id) DO UPDATE SET streaming_until = excluded.streaming_until`;
    const { body: held } = await server.send({ subject: 'Told' }, { key: agent });
    await decide(server, decider, held.approvalId, { decision: 'approve', edits: { subject: 'Told otherwise' } });
    const rows = await sql<{ type: string; body: string }[]>`
      SELECT type, body FROM webhook_events WHERE account_id = ${server.accountId} AND type LIKE 'approval.%' ORDER BY id`;
    const events = rows.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.id === held.approvalId);
    expect(events).toMatchObject([
      { type: 'approval.requested', data: { status: 'pending', emailId: held.id, edited: [], subject: null } },
      { type: 'approval.decided', data: { status: 'approved', outcome: 'queued', edited: ['subject'] } },
    ]);
    for (const { data } of events) for (const body of ['html', 'text']) expect(data).not.toHaveProperty(body);
  });
});
