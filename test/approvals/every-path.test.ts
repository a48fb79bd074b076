import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SmtpSink, startSmtpSink } from '../harness/smtp-sink.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';
import { SEND_PATHS } from '../keys/every-path.ts';
import { connectTo } from '../mcp/connect.ts';
import { decide, decidingKey, holdingKey } from './approving.ts';

describe('no path sends a held message, and no key approves its own send', () => {
  let server: SubmissionApp;
  let sink: SmtpSink;
  let agent: string;
  let decider: string;
  beforeAll(async () => {
    sink = await startSmtpSink();
    const settings = { POSTRIDER_TRANSPORT: `smtp://127.0.0.1:${sink.port}?tls=none` };
    server = await startSubmissionApp({ settings });
    ({ key: agent } = await holdingKey(server));
    decider = await decidingKey(server);
  });
  afterAll(async () => {
    await server.close();
    await sink.close();
  });

  /** Ways that need something to be there first. */
  const further: Readonly<Record<string, () => Promise<string>>> = {
    'POST /emails/:id/resend': async () => {
      const first = await server.send({ to: 'first@receiver.example' }, { key: agent });
      return (await server.call('POST', `/emails/${first.body.id}/resend`)).body.id;
    },
    'POST /emails/:id/resend, by the key itself': async () => {
      const first = await server.send({ to: 'first@receiver.example' }, { key: agent });
      return (await server.call('POST', `/emails/${first.body.id}/resend`, { key: agent })).body.id;
    },
    'POST /templates/:id/test': async () => {
      const { body } = await server.call('POST', '/templates', {
        body: { slug: `test-${Math.random().toString(36).slice(2)}`, name: 'Test', subject: 'Hi', text: 'Hi' },
      });
      return (await server.call('POST', `/templates/${body.id}/test`, { key: agent, body: {} })).body.id;
    },
    'a send with a file': async () => {
      const attachments = [{ filename: 'a.txt', content: 'aGk=' }];
      return (await server.send({ to: 'file@receiver.example', attachments }, { key: agent })).body.id;
    },
    'a send with a template': async () => {
      const { body } = await server.call('POST', '/templates', {
        body: { slug: `sent-${Math.random().toString(36).slice(2)}`, name: 'Sent', subject: 'Hi', text: 'Hi' },
      });
      const { from, to } = { from: 'ada@sandbox.test', to: 'templated@receiver.example' };
      return (await server.call('POST', '/emails', { key: agent, body: { from, to, template: body.slug } })).body.id;
    },
    'send_email_batch over MCP': async () => {
      const client = await connectTo(server, '', agent);
      const emails = [{ from: 'ada@sandbox.test', to: 'batch@receiver.example', subject: 'Hi', text: 'Hi' }];
      const { record } = await client.call('send_email_batch', { emails });
      await client.close();
      return record.results[0].id;
    },
    'a batch with many': async () => {
      const emails = Array.from({ length: 20 }, (_, n) => ({
        ...{ from: 'ada@sandbox.test', to: `many${n}@receiver.example`, subject: 'Hi', text: 'Hi' },
      }));
      const { status, body } = await server.call('POST', '/emails/batch', { key: agent, body: { emails } });
      expect({ status, accepted: body.accepted }).toEqual({ status: 207, accepted: 20 });
      for (const result of body.results) {
        expect(result).toMatchObject({ ok: true, status: 'pending_approval', reasons: ['always'] });
      }
      return body.results[0].id;
    },
  };
  const paths = [
    ...Object.entries(SEND_PATHS).map(([name, send]) => ({
      name,
      run: async () => (await send(server, agent, { to: 'somebody@receiver.example' })).id,
    })),
    ...Object.entries(further).map(([name, run]) => ({ name, run })),
  ];

  it.each(paths)('$name: held', { tags: ['approvals.every-path', 'contract-batch.held-item'] }, async ({ run }) => {
    const id = await run();
    const { body } = await server.call('GET', `/emails/${id}`);
    expect(body.status).toBe('pending_approval');
    expect(body.recipients.map(({ status }: { status: string }) => status)).toContain('pending_approval');
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['pending_approval']);
  });

  it('leaves nothing to deliver, whatever the clock, until someone else approves', {
    tags: ['approvals.every-path', 'authentication.approval-mode'],
  }, async () => {
    // The mail to the approvers is the installation's.
    const [count] = await server.database.sql`
      SELECT count(*)::int AS count FROM deliveries WHERE account_id = ${server.accountId}`;
    expect(count).toEqual({ count: 0 });
    server.clock.advance(2 * 3_600_000);
    await server.pump();
    expect(sink.messages).toEqual([]);
    const held = await server.send({ to: 'let-go@receiver.example', bcc: 'copy@receiver.example' }, { key: agent });
    expect((await decide(server, decider, held.body.approvalId)).body).toMatchObject({
      status: 'approved',
      outcome: 'queued',
    });
    await server.settled(held.body.id);
    const [only, ...others] = sink.messages;
    expect(others).toEqual([]);
    expect(only?.recipients.toSorted()).toEqual(['copy@receiver.example', 'let-go@receiver.example']);
  });

  it('reports over SMTP that the message is held', { tags: ['approvals.every-path'] }, async () => {
    const { sendBySmtp } = await import('../harness/submission-client.ts');
    const mail = { from: 'ada@sandbox.test', to: 'smtp@receiver.example', subject: 'Hi', text: 'Hi' };
    const { reply } = await sendBySmtp(server, { key: agent }, mail);
    expect(reply).toMatch(/^250 .*held for approval as [0-9a-f-]{36}/);
  });
});
