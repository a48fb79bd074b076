import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SubmissionApp, sendBySmtp, startSubmissionApp } from '../harness/submission-client.ts';
import { connectTo } from '../mcp/connect.ts';
import { holdingKey } from './approving.ts';

describe('headers that send replies elsewhere', () => {
  let server: SubmissionApp;
  let agent: string;
  beforeAll(async () => {
    server = await startSubmissionApp();
    const holdWhen = { linkDomainNotIn: ['good.com'] };
    ({ key: agent } = await holdingKey(server, { approvalMode: 'policy', holdWhen }));
  });
  afterAll(() => server.close());

  const mail = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hi', text: 'Hi' };

  it.each([
    { 'Reply-To': 'Ada <a@evil.com>' },
    { 'reply-to': 'help@good.com, a@evil.com' },
    { 'Disposition-Notification-To': 'a@evil.com' },
    { 'X-Note': 'a@evil.com' },
  ])('are held over REST and MCP: %j', { tags: ['holes.link-schemes'] }, async (headers) => {
    const { body } = await server.send({ ...mail, headers }, { key: agent });
    expect(body).toMatchObject({ status: 'pending_approval', reasons: ['linkDomainNotIn'] });
    const client = await connectTo(server, '', agent);
    const { record } = await client.call('send_email', { ...mail, headers });
    await client.close();
    expect(record).toMatchObject({ status: 'pending_approval' });
  });

  it('are held over SMTP, whichever address leads elsewhere', { tags: ['holes.link-schemes'] }, async () => {
    const send = async (fields: object) => (await sendBySmtp(server, { key: agent }, { ...mail, ...fields })).reply;
    expect(await send({ replyTo: 'ada@sandbox.test, help@good.com' })).toMatch(/queued as/);
    expect(await send({ replyTo: 'ada@sandbox.test, a@evil.com' })).toMatch(/held for approval/);
    expect(await send({ headers: { 'Return-Receipt-To': 'a@evil.com' } })).toMatch(/held for approval/);
  });
});
