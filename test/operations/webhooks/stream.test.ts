import { verifyWebhook } from '@postrider/sdk';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Query } from '../../../packages/server/src/db/client.ts';
import { storeEvents } from '../../../packages/server/src/db/queries/webhook-events.ts';
import { createIdGenerator } from '../../../packages/server/src/uuid-v7.ts';
import { type EventStream, openEventStream } from '../../harness/event-stream.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { joinAs, signInAs } from '../../harness/session.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

describe('GET /webhooks/stream', () => {
  let server: TestApp;
  const open: EventStream[] = [];
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(async () => {
    for (const stream of open) stream.close();
    await server.close();
  });

  async function listen(...[query, options]: [query?: string, options?: Parameters<typeof openEventStream>[2]]) {
    const stream = await openEventStream(server, query, options);
    open.push(stream);
    return stream;
  }

  /** The types of the next events. */
  async function types(stream: EventStream, count: number): Promise<string[]> {
    const found: string[] = [];
    for (let i = 0; i < count; i += 1) found.push((await stream.next()).event);
    return found;
  }

  it('sends each event as the signed request an endpoint would get, without any endpoint', {
    tags: ['webhooks.stream'],
  }, async () => {
    const { key } = await server.newAccount();
    const stream = await listen('', { key });
    expect(stream.response.status).toBe(200);
    expect(stream.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    const { event, data } = await stream.next();
    expect([event, data]).toEqual(['ready', { secret: expect.stringMatching(/^whsec_/) }]);
    const { body } = await server.send({ metadata: { order: '7' }, subject: 'Grüße' }, { key });
    const events = [await stream.next(), await stream.next(), await stream.next()];
    expect(events.map((each) => each.event)).toEqual(['email.queued', 'email.sent', 'email.delivered']);
    for (const each of events) {
      const { headers, payload } = each.data;
      const read = verifyWebhook(payload, headers, data.secret);
      expect(read).toEqual(new Webhook(data.secret).verify(payload, headers));
      expect(read).toMatchObject({
        id: each.id,
        type: each.event,
        data: { emailId: body.id, metadata: { order: '7' } },
      });
    }
    stream.close();
  });

  it('sends only the requested types, of the account', async () => {
    const { key } = await server.newAccount();
    const bounces = await listen('?events=email.bounced,email.complained', { key });
    const others = await listen('', { key: (await server.newAccount()).key });
    await bounces.next();
    await others.next();
    for (const label of ['delivered', 'bounced', 'complained'])
      await server.send({ to: `${label}@sandbox.test` }, { key });
    expect((await types(bounces, 2)).sort()).toEqual(['email.bounced', 'email.complained']);
    others.close();
    expect(others.text).not.toContain('email.');
    bounces.close();
  });

  it('continues after the event named by Last-Event-ID, also with what happened meanwhile', async () => {
    const { key } = await server.newAccount();
    const first = await listen('', { key });
    await first.next();
    await server.send({}, { key });
    const [queued, sent] = [await first.next(), await first.next()];
    expect([queued.event, sent.event]).toEqual(['email.queued', 'email.sent']);
    first.close();
    const { body } = await server.send({ to: 'bounced@sandbox.test' }, { key });
    await server.settled(body.id);
    const again = await listen('', { key, lastEventId: queued.id ?? '' });
    expect((await again.next()).event).toBe('ready');
    const seen = await types(again, 4);
    expect(seen.slice(0, 2)).toEqual(['email.sent', 'email.delivered']);
    expect(seen).toContain('email.bounced');
    again.close();
  });

  it('misses nothing after Last-Event-ID that was stored late, and repeats nothing from before', {
    tags: ['webhooks.stream'],
  }, async () => {
    const { accountId, key } = await server.newAccount();
    const { sql } = server.database;
    const store = (query: Query, name: string, ageMs: number) => {
      const happened = new Date(server.clock.now().getTime() - ageMs);
      const id = createIdGenerator().next(happened);
      const event = {
        accountId,
        id,
        type: 'suppression.added' as const,
        body: `{"id":"${id}","name":"${name}"}`,
        endpointId: null,
      };
      return storeEvents(query, [{ ...event, createdAt: happened }], server.clock.now());
    };
    const names = async (stream: EventStream, count: number) => {
      const found: string[] = [];
      while (found.length < count) found.push(JSON.parse((await stream.next()).data.payload).name);
      return found;
    };
    const first = await listen('', { key });
    await first.next();
    await store(sql, 'told first', 20);
    expect(await names(first, 1)).toEqual(['told first']);
    // Stored before the last one sent, by a transaction that is still open when that one is sent.
    const [isStored, isOver] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const concurrent = sql.begin(async (transaction) => {
      await store(transaction, 'committed late', 10);
      isStored.resolve();
      await isOver.promise;
    });
    await isStored.promise;
    await store(sql, 'told last', 0);
    const last = await first.next();
    first.close();
    isOver.resolve();
    await concurrent;
    for (let hours = 3; hours > 0; hours -= 1) await store(sql, `${hours} hours late`, hours * 3_600_000);
    const again = await listen('', { key, lastEventId: last.id ?? '' });
    expect((await again.next()).event).toBe('ready');
    expect(await names(again, 4)).toEqual(['3 hours late', '2 hours late', '1 hours late', 'committed late']);
    // While it lasts, however late.
    await store(sql, 'a day late', 86_400_000);
    expect(await names(again, 1)).toEqual(['a day late']);
    again.close();
  });

  it('misses nothing when it is cut off before its first event', async () => {
    const { key } = await server.newAccount();
    const first = await listen('', { key });
    const ready = await first.next();
    first.close();
    const { body } = await server.send({}, { key });
    await server.settled(body.id);
    const again = await listen('', { key, lastEventId: ready.id ?? '' });
    expect(await again.next()).toMatchObject({ event: 'ready', id: ready.id });
    expect(await types(again, 3)).toEqual(['email.queued', 'email.sent', 'email.delivered']);
    again.close();
  });

  it('rejects unknown types, invalid ids, other parameters, and keys without the scope', async () => {
    const ask = (query: string, headers = {}) => server.call('GET', `/webhooks/stream${query}`, { headers });
    expectInvalid(await ask('?events=email.exploded'), 'events.0');
    expectInvalid(await ask('?events='), 'events');
    expectInvalid(await ask('?type=email.sent'), 'type');
    expectInvalid(await ask('', { 'last-event-id': 'soon' }), 'last-event-id');
    const key = await server.newKey({ scopes: ['webhooks:write'] });
    expectProblem(await server.call('GET', '/webhooks/stream', { key }), 403, 'missing_scope');
    expectProblem(await server.call('GET', '/v1/webhooks/stream', { key: null }), 401, 'missing_key');
  });

  it('opens no stream for HEAD', async () => {
    const { key } = await server.newAccount();
    for (let n = 0; n < 12; n += 1) {
      const { status, headers } = await server.call('HEAD', '/webhooks/stream', { key });
      expect({ status, type: headers.get('content-type') }).toEqual({
        status: 200,
        type: 'text/event-stream; charset=utf-8',
      });
    }
  });

  it('allows ten concurrent streams of an account, and another when one is closed', async () => {
    const { key } = await server.newAccount();
    const streams = await Promise.all(Array.from({ length: 10 }, () => listen('', { key })));
    await Promise.all(streams.map((stream) => stream.next()));
    const refused = await server.call('GET', '/webhooks/stream', { key });
    expectProblem(refused, 429, 'rate_limited');
    expect(refused.headers.get('retry-after')).toBe('5');
    streams[0]?.close();
    await expect.poll(async () => (await listen('', { key })).response.status, { timeout: 5_000 }).toBe(200);
    for (const stream of streams) stream.close();
  });

  it('ends within moments when its key is revoked or loses the scope', async () => {
    const make = async () => {
      const { body } = await server.call('POST', '/keys', { body: { name: 'Listener', scopes: ['webhooks:read'] } });
      const stream = await listen('', { key: body.key });
      await stream.next();
      return { id: body.id, stream };
    };
    const [revoked, narrowed] = [await make(), await make()];
    await server.call('DELETE', `/keys/${revoked.id}`);
    await server.call('PATCH', `/keys/${narrowed.id}`, { body: { scopes: ['stats:read'] } });
    await revoked.stream.ended();
    await narrowed.stream.ended();
  });

  it('ends when the user who opened it signs out, or has a role without the scope', async () => {
    const owner = await signInAs(server, 'owner@sandbox.test');
    const [leaving, losing] = [await joinAs(server, owner, 'developer'), await joinAs(server, owner, 'viewer')];
    const [first, second] = [await listen('', leaving), await listen('', losing)];
    expect([(await first.next()).event, (await second.next()).event]).toEqual(['ready', 'ready']);
    expect((await leaving.call('POST', '/auth/logout')).status).toBe(204);
    expect((await owner.call('PATCH', `/team/${losing.user.memberId}`, { body: { role: 'approver' } })).status).toBe(
      200,
    );
    await first.ended();
    await second.ended();
  });

  it('ends with the process, which need not wait for it', async () => {
    const fleet = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    const stream = await openEventStream(fleet);
    await stream.next();
    const began = performance.now();
    await Promise.all([stream.ended(), fleet.close()]);
    expect(performance.now() - began).toBeLessThan(2_500);
  });
});
