import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LateEvent, recordLateEvent } from '../../packages/server/src/delivery/record-late-event.ts';
import { createIdGenerator } from '../../packages/server/src/uuid-v7.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('a late event', () => {
  const ids = createIdGenerator();
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  /** A message with these recipients, and nothing left to deliver. */
  async function makeMessage(...statuses: readonly string[]): Promise<string> {
    const { sql } = server.database;
    const { id } = (await server.send({ to: statuses.map((_, n) => `user${n}@example.com`) })).body;
    await sql`DELETE FROM deliveries WHERE message_id = ${id}`;
    await sql`UPDATE messages SET status = ${statuses[0] ?? ''} WHERE id = ${id}`;
    for (const [n, status] of statuses.entries()) {
      await sql`UPDATE message_recipients SET status = ${status} WHERE message_id = ${id} AND ordinal = ${n}`;
    }
    return id;
  }

  const report = (messageId: string, type: LateEvent['type'], changes: Partial<LateEvent> = {}) => {
    const at = server.clock.now();
    return recordLateEvent(server.database.sql, {
      ...{ accountId: server.accountId, messageId, ordinal: 0, type, classification: null, detail: 'said they', at },
      eventId: ids.next(at),
      ...changes,
    });
  };
  const read = async (id: string) => (await server.call('GET', `/emails/${id}`)).body;

  it.each([
    ['sent', 'delivered', 'delivered'],
    ['sent', 'bounced', 'bounced'],
    ['sent', 'complained', 'complained'],
    ['sent', 'deferred', 'sent'],
    ['delivered', 'bounced', 'bounced'],
    ['delivered', 'complained', 'complained'],
    ['bounced', 'complained', 'complained'],
  ] as const)(
    'after %s that says %s leads to %s, and is in the event log',
    { tags: ['contract-messages.late-events'] },
    async (before, type, after) => {
      const id = await makeMessage(before);
      expect(await report(id, type)).toBe(true);
      const { status, recipients, events } = await read(id);
      expect([status, recipients[0].status]).toEqual([after, after]);
      expect(events.at(-1)).toMatchObject({ seq: 2, type, recipient: 'user0@example.com', detail: 'said they' });
    },
  );

  it.each([
    ['bounced', 'delivered'],
    ['bounced', 'bounced'],
    ['complained', 'bounced'],
    ['complained', 'delivered'],
    ['delivered', 'deferred'],
    ['failed', 'bounced'],
    ['suppressed', 'delivered'],
    ['canceled', 'bounced'],
    ['queued', 'bounced'],
    ['sending', 'delivered'],
    ['deferred', 'bounced'],
  ] as const)('never changes %s by %s', { tags: ['contract-messages.late-events'] }, async (before, type) => {
    const id = await makeMessage(before);
    expect(await report(id, type)).toBe(false);
    const { status, events } = await read(id);
    expect([status, events.length]).toEqual([before, 1]);
  });

  it('derives the status of the message from all its recipients', {
    tags: ['contract-messages.worst-recipient'],
  }, async () => {
    const id = await makeMessage('delivered', 'sent', 'deferred');
    expect(await report(id, 'bounced', { ordinal: 1, classification: 'hard' })).toBe(true);
    expect((await read(id)).status).toBe('deferred');
    const settled = await makeMessage('delivered', 'delivered');
    await report(settled, 'complained', { ordinal: 1, classification: 'spam' });
    const { status, events, lastError } = await read(settled);
    expect([status, events.at(-1).classification, lastError]).toEqual(['complained', 'spam', null]);
  });

  it('sets the recipient and the reason of a bounce as the last error', async () => {
    const id = await makeMessage('delivered');
    await report(id, 'bounced', { detail: '550 5.1.1 No such user' });
    expect((await read(id)).lastError).toBe('user0@example.com: 550 5.1.1 No such user');
  });

  it('counts once, however many arrive at the same time', async () => {
    const id = await makeMessage('delivered', 'delivered', 'delivered');
    const responses = await Promise.all([0, 0, 1, 1, 2, 2].map((ordinal) => report(id, 'bounced', { ordinal })));
    expect(responses.filter(Boolean)).toHaveLength(3);
    const { events } = await read(id);
    expect(events.map(({ seq }: { seq: number }) => seq)).toEqual([1, 2, 3, 4]);
  });

  it('reports a delay at most ten times per recipient', async () => {
    const id = await makeMessage('sent');
    for (let n = 0; n < 12; n += 1) expect(await report(id, 'deferred')).toBe(n < 10);
  });

  it('about an unknown recipient or message changes nothing', async () => {
    const id = await makeMessage('delivered');
    expect(await report(id, 'bounced', { ordinal: 7 })).toBe(false);
    expect(await report(ids.next(server.clock.now()), 'bounced')).toBe(false);
    expect(await report(id, 'bounced', { accountId: ids.next(server.clock.now()) })).toBe(false);
    expect((await read(id)).status).toBe('delivered');
  });
});
