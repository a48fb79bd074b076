import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createApprovalJobs } from '../../packages/server/src/approvals/run-approval-jobs.ts';
import { createSecretBox } from '../../packages/server/src/keys/secret-box.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { approversNotified, decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { TEST_SECRET_KEY } from '../harness/template-database.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type ReceivedEvent, startWebhookReceiver, type WebhookReceiver } from '../harness/webhook-receiver.ts';

/** Words of a held send, each of which would carry data to an endpoint. */
const WORDS = [
  'Wsubject',
  'Wtext',
  'Wsender',
  'Wrecipient',
  'Wreply',
  'Wfile',
  'Wtag',
  'Wkey',
  'Wvalue',
  'Wheader',
  'Wagent',
];

describe('events about a held message', () => {
  let server: TestApp;
  let receiver: WebhookReceiver;
  let endpointId: string;
  let agent: string;
  let decider: string;
  beforeAll(async () => {
    server = await startTestApp();
    receiver = await startWebhookReceiver();
    agent = (await holdingKey(server, { scopes: ['sending'] })).key;
    decider = await decidingKey(server);
    endpointId = (await server.call('POST', '/webhooks', { body: { url: receiver.url } })).body.id;
  });
  afterAll(async () => {
    await server.close();
    await receiver.close();
  });

  const hold = async () => {
    const { status, body } = await server.send(
      {
        from: 'Wsender <ada@sandbox.test>',
        to: 'Wrecipient <delivered@sandbox.test>',
        reply_to: 'Wreply <wreply@example.com>',
        subject: 'Wsubject',
        text: 'Wtext',
        attachments: [{ filename: 'Wfile.txt', content: 'aGk=' }],
        tags: ['Wtag'],
        metadata: { Wkey: 'Wvalue' },
        headers: { 'X-Wheader': 'Wheader' },
        agent_name: 'Wagent',
      },
      { key: agent },
    );
    expect(status).toBe(202);
    return body as { readonly id: string; readonly approvalId: string };
  };
  const first = async (type: string, id: string) =>
    await receiver.first(({ event }) => event?.type === type && (event.data.emailId === id || event.data.id === id));
  const wordsIn = (text: string) => WORDS.filter((word) => text.toLowerCase().includes(word.toLowerCase()));

  /** The events with the same ids, as the stream sends them to someone who comes back. */
  async function streamed(since: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const response = await fetch(`${server.baseUrl}/webhooks/stream`, {
      headers: { authorization: `Bearer ${server.key}`, 'last-event-id': since },
    });
    const found = new Map<string, string>();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      for (const [, id = '', data = ''] of text.matchAll(/^id: (\S+)\nevent: \S+\ndata: (.*)\n\n/gm))
        found.set(id, data);
      if (ids.every((id) => found.has(id))) break;
    }
    return found;
  }

  it('have no content when it is held, in webhooks, in the stream and in a replay after the approval', {
    tags: ['holes.held-events'],
  }, async () => {
    const held = await hold();
    const events = [await first('approval.requested', held.approvalId), await first('email.pending_approval', held.id)];
    for (const { body } of events) expect(wordsIn(body)).toEqual([]);
    expect(events[0]?.event.data).toMatchObject({
      ...{ emailId: held.id, status: 'pending', reasons: ['always'], subject: null, attachments: [], agentName: null },
      contentHash: null,
      ...{ from: 'ada@sandbox.test', to: ['delivered@sandbox.test'], cc: [], bcc: [], replyTo: null },
    });
    expect(events[1]?.event.data).toMatchObject({
      ...{ from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: null, tags: [], metadata: {} },
      ...{ agentName: null, detail: 'always' },
    });
    await decide(server, decider, held.approvalId);
    const decided = await first('approval.decided', held.approvalId);
    expect(decided.event.data).toMatchObject({ status: 'approved', subject: 'Wsubject' });
    const delivered = await first('email.delivered', held.id);
    expect(delivered.event.data).toMatchObject({ subject: 'Wsubject', tags: ['wtag'], metadata: { Wkey: 'Wvalue' } });
    expect((await first('email.approved', held.id)).event.data.subject).toBe('Wsubject');

    const ids = events.map(({ event }) => event.id as string);
    const before = receiver.received.length;
    const since = new Date(server.clock.now().getTime() - 3_600_000).toISOString();
    const replay = await server.call('POST', `/webhooks/${endpointId}/replay`, { body: { since, ids } });
    expect(replay.body.queued).toBe(2);
    const again = (await receiver.count(before + 2)).slice(before).filter(({ event }) => ids.includes(event.id));
    expect(again.map(({ body }) => body).toSorted()).toEqual(events.map(({ body }) => body).toSorted());
    const stream = await streamed('00000000-0000-7000-8000-000000000000', ids);
    for (const { event, body } of events) {
      expect(JSON.parse(stream.get(event.id) ?? '{}').payload).toBe(body);
    }
  });

  it.each([
    [
      'rejected',
      'email.rejected',
      async (held: Held) => void (await decide(server, decider, held.approvalId, { decision: 'reject' })),
    ],
    [
      'canceled by its sender',
      'email.canceled',
      async (held: Held) => void (await server.call('DELETE', `/emails/${held.id}`, { key: agent })),
    ],
  ])('have no content when it is %s', { tags: ['holes.held-events'] }, async (_what, type, end) => {
    const held = await hold();
    await end(held);
    const events: ReceivedEvent[] = [await first('approval.decided', held.approvalId), await first(type, held.id)];
    for (const { body } of events) expect(wordsIn(body)).toEqual([]);
    expect(events.map(({ event }) => event.data.subject)).toEqual([null, null]);
  });

  it('have no content in reminders, and at its expiry', { tags: ['holes.held-events'] }, async () => {
    const held = await hold();
    await approversNotified(server, held.approvalId);
    const jobs = createApprovalJobs(mailerOf(server));
    server.clock.advance(37 * 3_600_000);
    await jobs.watch();
    const reminder = await first('approval.reminder', held.approvalId);
    server.clock.advance(36 * 3_600_000);
    await jobs.watch();
    const events = [reminder, await first('approval.decided', held.approvalId), await first('email.expired', held.id)];
    for (const { body } of events) expect(wordsIn(body)).toEqual([]);
  });

  it('leave no content in the events of a support ticket either', { tags: ['holes.held-events'] }, async () => {
    const held = await hold();
    const body = { subject: 'Why held?', body: 'Please look', emailId: held.id };
    const { status, body: ticket } = await server.call('POST', '/support/tickets', { body });
    expect(status).toBe(201);
    expect(JSON.stringify(ticket)).toContain(held.id);
    expect(wordsIn(JSON.stringify(ticket))).toEqual([]);
  });
});

/** What the jobs that remind and expire work with. */
function mailerOf({ config, clock, database, baseUrl }: TestApp) {
  const { sandboxDomain, retryHours, monthlyQuota, mailFrom } = config;
  return {
    ...{ sql: database.sql, clock, ids: createIdGenerator(), secrets: createSecretBox(TEST_SECRET_KEY), baseUrl },
    ...{ sandboxDomain, retryHours, monthlyQuota, mailFrom, byDomain: false },
    onError: (error: unknown) => expect(error).toBeUndefined(),
  };
}

type Held = { readonly id: string; readonly approvalId: string };
