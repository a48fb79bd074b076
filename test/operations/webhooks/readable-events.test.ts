import type { Scope } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { announce } from '../../../packages/server/src/events/announce.ts';
import { createIdGenerator } from '../../../packages/server/src/uuid-v7.ts';
import { makeSampleEvent } from '../../../packages/server/src/webhooks/sample-event.ts';
import { holdingKey } from '../../approvals/approving.ts';
import { type EventStream, openEventStream } from '../../harness/event-stream.ts';
import { joinAs, signInAs, type TestSession } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../harness/webhook-receiver.ts';

const NOTE = 'Gannet is the code name';
const READER: readonly Scope[] = ['emails:send', 'emails:read', 'webhooks:read'];
const FROM_START = '00000000-0000-7000-8000-000000000000';

describe('events that a caller reads', () => {
  let server: TestApp;
  let receiver: WebhookReceiver;
  let owner: TestSession;
  let endpointId: string;
  let agent: { readonly id: string; readonly key: string };
  let reader: { readonly id: string; readonly key: string };
  let held: { readonly id: string; readonly approvalId: string };
  const streams: EventStream[] = [];
  beforeAll(async () => {
    server = await startTestApp();
    receiver = await startWebhookReceiver();
    owner = await signInAs(server, 'owner@sandbox.test');
    const members = [owner, await joinAs(server, owner, 'approver')];
    endpointId = (await owner.call('POST', '/webhooks', { body: { url: receiver.url } })).body.id;
    const approvers = { count: 2, memberIds: members.map(({ user }) => user.memberId) };
    agent = await holdingKey(server, { name: 'Petrel bot', scopes: ['sending'], approvers });
    reader = await holdingKey(server, { name: 'Reader', scopes: READER });
    held = (await server.send({}, { key: agent.key })).body;
    for (const { call } of members)
      await call('POST', `/keys/approvals/${held.approvalId}`, { body: { decision: 'approve', note: NOTE } });
    await server.settled(held.id);
    const own = (await server.send({}, { key: reader.key })).body.approvalId;
    // The last event of all: a stream that has it has everything before.
    await owner.call('POST', `/keys/approvals/${own}`, { body: { decision: 'reject', note: 'For the reader' } });
    await receiver.first(({ event }) => event.type === 'approval.decided' && event.data.id === own);
  });
  afterAll(async () => {
    for (const stream of streams) stream.close();
    await server.close();
    await receiver.close();
  });

  const keyOf = async (scopes: readonly Scope[]) => await server.newKey({ accountId: server.accountId, scopes });
  const secrets = () => [agent.id, 'Petrel bot', held.approvalId, owner.user.memberId, NOTE];
  const listen = async (key: string, lastEventId?: string) => {
    const stream = await openEventStream(server, '', lastEventId === undefined ? { key } : { key, lastEventId });
    streams.push(stream);
    expect((await stream.next()).event).toBe('ready');
    return stream;
  };
  /** A mark that every listener may read, after everything that was stored before. */
  async function mark(): Promise<string> {
    const data = makeSampleEvent({ id: FROM_START, type: 'quota.threshold', now: server.clock.now() }).data;
    const { clock, database } = server;
    // Events of messages are announced a moment after they are stored.
    await expect.poll(() => database.sql`SELECT FROM event_backlog`).toHaveLength(0);
    const event = { accountId: server.accountId, type: 'quota.threshold', data } as Parameters<
      typeof announce
    >[2][number];
    const [id = ''] = await database.sql.begin((transaction) =>
      announce(transaction, createIdGenerator(), [event], clock.now()),
    );
    return id;
  }
  async function until(stream: EventStream, id: string): Promise<readonly string[]> {
    const types: string[] = [];
    for (let event = await stream.next(); event.id !== id; event = await stream.next()) types.push(event.event);
    return types;
  }
  const about = (text: string) =>
    text.split('\n\n').filter((part) => secrets().some((secret) => part.includes(secret)));

  it('are not those about other keys’ holds without `approvals:read`, missed or new', {
    tags: ['holes.readable-events'],
  }, async () => {
    const missed = await listen(reader.key, FROM_START);
    const fresh = await listen(reader.key);
    const again = (await server.send({}, { key: agent.key })).body;
    await owner.call('POST', `/keys/approvals/${again.approvalId}`, { body: { decision: 'reject', note: NOTE } });
    const own = (await server.send({}, { key: reader.key })).body;
    const last = await mark();
    for (const stream of [missed, fresh]) {
      const types = await until(stream, last);
      expect(types).toContain('approval.requested');
      expect(types).toContain('email.pending_approval');
      // The reader's own holds name the approvers too, and the message log is its to read.
      expect(stream.text).toContain(own.approvalId);
      expect(stream.text).toContain(again.id);
      for (const secret of [agent.id, 'Petrel bot', held.approvalId, again.approvalId, NOTE])
        expect(stream.text).not.toContain(secret);
    }
  });

  it('are all of them with `approvals:read`, so that the test above can fail', {
    tags: ['holes.readable-events'],
  }, async () => {
    const stream = await listen(await keyOf([...READER, 'approvals:read']), FROM_START);
    const types = await until(stream, await mark());
    expect(types).toContain('approval.voted');
    for (const secret of secrets()) expect(about(stream.text).join('\n')).toContain(secret);
  });

  it('are none about messages without `emails:read`', { tags: ['holes.readable-events'] }, async () => {
    const stream = await listen(await keyOf(['emails:send', 'webhooks:read']), FROM_START);
    const types = await until(stream, await mark());
    expect(types.filter((type) => /^(email|approval)\./.test(type))).toEqual([]);
    expect(stream.text).not.toContain(held.id);
  });

  it('end when the listener loses one of its scopes, and not before', { tags: ['holes.readable-events'] }, async () => {
    const body = { name: 'Listener', scopes: ['webhooks:read', 'approvals:read'] };
    const { id, key } = (await server.call('POST', '/keys', { body })).body;
    const [narrowed, whole] = [await listen(key), await listen(reader.key)];
    await server.call('PATCH', `/keys/${id}`, { body: { scopes: ['webhooks:read'] } });
    await narrowed.ended();
    await until(whole, await mark());
  });

  it('are stored payloads of deliveries only if the caller may read what they are about', {
    tags: ['holes.readable-events'],
  }, async () => {
    const bodiesOf = async (key: string) => {
      const path = `/webhooks/${endpointId}/deliveries`;
      const list = await server.call('GET', `${path}?event_type=approval.decided`, { key });
      const bodies = list.body.deliveries.map(async ({ id }: { id: string }) => {
        const { body } = await server.call('GET', `${path}/${id}`, { key });
        return body.request.body === null ? null : JSON.parse(body.request.body).data.keyId;
      });
      return new Set(await Promise.all(bodies));
    };
    expect(await bodiesOf(reader.key)).toEqual(new Set([null, reader.id]));
    expect(await bodiesOf(await keyOf(['webhooks:read', 'approvals:read']))).toEqual(new Set([agent.id, reader.id]));
    const viewer = await joinAs(server, owner, 'viewer');
    const { deliveries } = (await viewer.call('GET', `/webhooks/${endpointId}/deliveries?event_type=approval.voted`))
      .body;
    const one = await viewer.call('GET', `/webhooks/${endpointId}/deliveries/${deliveries[0].id}`);
    expect(one.body.request.body).toBeNull();
  });

  it('leave out the approver’s note and the canceler of another key’s message, as reads of it do', {
    tags: ['holes.readable-events', 'holes.sight'],
  }, async () => {
    const { id, approvalId } = (await server.send({}, { key: agent.key })).body;
    await owner.call('POST', `/keys/approvals/${approvalId}`, { body: { decision: 'reject', note: NOTE } });
    const read = async (key: string) => (await server.call('GET', `/emails/${id}`, { key })).body;
    const hidden = await read(reader.key);
    expect(hidden.approval).toMatchObject({ status: 'rejected', note: null });
    expect(hidden.redacted).toEqual(expect.arrayContaining(['approval', 'events']));
    expect(JSON.stringify(hidden)).not.toContain(NOTE);
    expect((await read(agent.key)).approval.note).toBe(NOTE);
    expect((await read(await keyOf(['emails:read', 'emails:content-all']))).approval.note).toBe(NOTE);
    const other = (await server.send({}, { key: agent.key })).body;
    await server.call('DELETE', `/emails/${other.id}`, { key: agent.key });
    const detail = async (key: string) =>
      (await server.call('GET', `/emails/${other.id}`, { key })).body.events.at(-1).detail;
    expect([await detail(agent.key), await detail(reader.key)]).toEqual([`by ${agent.id}`, null]);
  });
});
