import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { streamChanges } from '../../packages/server/src/console/web/stream-changes.ts';
import type { Watch } from '../../packages/server/src/events/change-watcher.ts';
import { decide, decidingKey, holdingKey } from '../approvals/approving.ts';
import { type EventStream, openEvents } from '../harness/event-stream.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
/** Another process on the same database. */
let other: TestApp;
let owner: TestSession;
const open: EventStream[] = [];

beforeAll(async () => {
  server = await startTestApp();
  owner = await signInAs(server, 'owner@sandbox.test');
  other = await startTestApp({ database: server.database });
});
afterEach(() => {
  for (const stream of open.splice(0)) stream.close();
});
afterAll(async () => {
  await other.close();
  await server.close();
});

async function watch(topics: string, { cookie }: Pick<TestSession, 'cookie'> = owner, of = server) {
  const stream = await openEvents(of, `/console/live?watch=${topics}`, { cookie });
  open.push(stream);
  return stream;
}

/** A stream that is watching: what changes from now on is reported. */
async function watching(topics: string, session?: TestSession, of?: TestApp): Promise<EventStream> {
  const stream = await watch(topics, session, of);
  expect(stream.response.status).toBe(200);
  expect((await stream.next()).event).toBe('watching');
  return stream;
}

const changed = (topic: string) => ({ id: null, event: 'changed', data: { topic } });
const call = (method: string, path: string, body?: unknown, key = server.key) =>
  other.call(method, path, { key, ...(body === undefined ? {} : { body }) });
const send = (key = server.key) => other.send({}, { key });

describe('GET /console/live', () => {
  it('reports a message that another process has accepted, and each change of it', async () => {
    const list = await watching('messages');
    const { body } = await send();
    expect(await list.next()).toEqual(changed('messages'));
    const one = await watching(`message:${body.id}`);
    await server.database.sql`
      UPDATE messages SET event_count = event_count + 1 WHERE account_id = ${server.accountId} AND id = ${body.id}`;
    expect(await one.next()).toEqual(changed(`message:${body.id}`));
  });

  it('reports the late outcome of a message that is no longer among the newest', async () => {
    const { sql } = server.database;
    const { accountId } = server;
    const count = async () =>
      await sql`INSERT INTO message_rollups AS r (account_id, kind, span, day, value, sent, delivered, bounced, complained, hard, soft, block,
        spam, unknown, open_tracked, opened, click_tracked, clicked)
        VALUES (${accountId}, 'all', 1, '2020-01-01', '', 1, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0)
        ON CONFLICT (account_id, kind, span, day, value) DO UPDATE SET opened = r.opened + 1`;
    await count();
    const list = await watching('messages');
    await count();
    expect(await list.next()).toEqual(changed('messages'));
  });

  it('reports holds that are created, edited, decided and withdrawn', async () => {
    const { key } = await holdingKey(server);
    const decider = await decidingKey(server);
    const list = await watching('approvals');
    const first = (await send(key)).body;
    expect(await list.next()).toEqual(changed('approvals'));
    const edited = { decision: 'approve', edits: { subject: 'Edited' } };
    expect((await decide(other, decider, first.approvalId, edited)).status).toBe(200);
    expect(await list.next()).toEqual(changed('approvals'));
    const second = (await send(key)).body;
    expect(await list.next()).toEqual(changed('approvals'));
    expect((await call('POST', `/emails/${second.id}/cancel`, undefined, key)).status).toBe(200);
    expect(await list.next()).toEqual(changed('approvals'));
  });

  it.each([
    ['domains', () => call('POST', '/domains', { name: 'live.example' })],
    ['webhooks', () => call('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook', events: ['email.delivered'] })],
    ['templates', () => call('POST', '/templates', { name: 'Live', subject: 'Hi', text: 'Hello' })],
    ['tickets', () => call('POST', '/support/tickets', { subject: 'Help', body: 'Please' })],
    ['mailbox', () => send()],
  ] as const)('reports a change of the %s', async (topic, change) => {
    const stream = await watching(topic);
    expect((await change()).status).toBeLessThan(300);
    expect(await stream.next()).toEqual(changed(topic));
  });

  it('reports only what is watched', async () => {
    const templates = await watching('templates');
    const messages = await watching('messages');
    await send();
    expect(await messages.next()).toEqual(changed('messages'));
    await call('POST', '/templates', { name: 'Only', subject: 'Hi', text: 'Hello' });
    expect(await templates.next()).toEqual(changed('templates'));
    expect(templates.text).not.toContain('messages');
  });

  it('reports nothing of another account, not even for the id of its message', async () => {
    const { sql } = server.database;
    // Messages of the tests before would still change.
    await expect.poll(() => sql`SELECT FROM deliveries`, { timeout: 10_000 }).toHaveLength(0);
    const stranger = await server.newAccount();
    const theirs = (await server.send({}, { key: stranger.key })).body;
    await server.call('GET', `/emails/${theirs.id}?wait=10`, { key: stranger.key });
    const stream = await watching(`messages,message:${theirs.id},templates,approvals`);
    await server.send({}, { key: stranger.key });
    await sql`UPDATE messages SET event_count = event_count + 1 WHERE id = ${theirs.id}`;
    await server.call('POST', '/templates', { key: stranger.key, body: { name: 'Theirs', subject: 'Hi', text: 'x' } });
    // The next change of the own account is the first that is reported.
    const slug = (await call('POST', '/templates', { name: 'Ours', subject: 'Hi', text: 'x' })).body.slug;
    expect(await stream.next()).toEqual(changed('templates'));
    await call('PATCH', `/templates/${slug}`, { name: 'Ours too' });
    expect(await stream.next()).toEqual(changed('templates'));
    expect(stream.text).not.toContain('message');
  });

  it('is neither stored nor buffered nor compressed on the way', async () => {
    const stream = await watching('messages');
    expect(Object.fromEntries(stream.response.headers)).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    expect(stream.response.headers.get('content-encoding')).toBeNull();
    expect(stream.text).toBe('retry: 2000\nevent: watching\ndata: {}\n\n');
  });
});

describe('who may watch', () => {
  it('refuses what the role may not read', async () => {
    const viewer = await joinAs(server, owner, 'viewer');
    for (const topics of ['approvals', 'messages,approvals']) {
      const refused = await viewer.call('GET', `/console/live?watch=${topics}`);
      expectProblem(refused, 403, 'missing_scope');
      expect(refused.body.detail).toContain('The role `viewer` cannot watch `approvals`');
    }
    await watching('messages,domains', viewer);
    const approver = await joinAs(server, owner, 'approver');
    expectProblem(await approver.call('GET', '/console/live?watch=webhooks'), 403, 'missing_scope');
    await watching('approvals', approver);
  });

  it('refuses keys, unknown sessions, pages of other sites and requests without any', async () => {
    const path = '/console/live?watch=messages';
    expectProblem(await server.call('GET', path), 401, 'session_required');
    expectProblem(await server.call('GET', path, { key: null }), 401, 'session_required');
    const headers = { cookie: owner.cookie, authorization: `Bearer ${server.key}` };
    expectProblem(await server.call('GET', path, { key: null, headers }), 401, 'session_required');
    const unknown = { cookie: `${owner.cookie.slice(0, -4)}AAAA` };
    expectProblem(await server.call('GET', path, { key: null, headers: unknown }), 401, 'session_required');
    for (const site of ['cross-site', 'same-site']) {
      const foreign = { cookie: owner.cookie, 'sec-fetch-site': site };
      expectProblem(await server.call('GET', path, { key: null, headers: foreign }), 403, 'missing_scope');
    }
  });

  it.each(['', 'nothing', 'messages,nothing', 'message:1', 'message:', '__proto__', 'messages,'])(
    'refuses the topics "%s", and names those that exist',
    async (topics) => {
      const refused = await owner.call('GET', `/console/live?watch=${topics}`);
      expectProblem(refused, 422, 'validation_failed');
      expect(refused.body.errors).toEqual([
        expect.objectContaining({ path: 'watch', message: expect.stringContaining('approvals, messages') }),
      ]);
    },
  );

  it('refuses more than 20 topics, and topics given twice in the query', async () => {
    const many = Array.from({ length: 21 }, (_, n) => `message:01980d3c-7a52-7c31-9d5e-2f0c6a1b4e${10 + n}`).join(',');
    expectProblem(await owner.call('GET', `/console/live?watch=${many}`), 422, 'validation_failed');
    expectProblem(await owner.call('GET', '/console/live?watch=messages&watch=domains'), 422, 'validation_failed');
  });

  it('has no mailbox in production', async () => {
    const settings = {
      POSTRIDER_MODE: 'production',
      POSTRIDER_ROLES: 'api',
      POSTRIDER_BASE_URL: 'https://mail.example',
    };
    const production = await startTestApp({ settings, database: server.database }).catch(() => null);
    if (production === null) throw new Error('production did not start');
    const cookie = owner.cookie.replace('session=', '__Host-session=');
    const read = (topics: string) =>
      production.call('GET', `/console/live?watch=${topics}`, { key: null, headers: { cookie } });
    expectProblem(await read('mailbox'), 422, 'validation_failed');
    await production.close();
  });
});

describe('the end of a stream', () => {
  const within = async (work: Promise<void>, ms: number) => {
    const beganMs = performance.now();
    await work;
    expect(performance.now() - beganMs).toBeLessThan(ms);
  };

  it('follows within a second when the session ends, here or in another process', async () => {
    const session = await signInAs(server, 'owner@sandbox.test');
    const streams = [await watching('messages', session), await watching('messages', session, other)];
    await session.call('POST', '/auth/sign-out');
    await within(
      Promise.all(streams.map((stream) => stream.ended())).then(() => {}),
      1_000,
    );
  });

  it('follows within a second when the member is removed', async () => {
    const member = await joinAs(server, owner, 'developer', 'leaver@sandbox.test');
    const stream = await watching('messages', member, other);
    expect((await owner.call('DELETE', `/team/${member.user.memberId}`)).status).toBe(200);
    await within(stream.ended(), 1_000);
  });

  it('follows within a second when the role loses what one of the topics needs', async () => {
    const member = await joinAs(server, owner, 'developer', 'demoted@sandbox.test');
    const [kept, lost] = [await watching('messages', member), await watching('messages,approvals', member)];
    expect((await owner.call('PATCH', `/team/${member.user.memberId}`, { body: { role: 'viewer' } })).status).toBe(200);
    await within(lost.ended(), 1_000);
    await send();
    expect(await kept.next()).toEqual(changed('messages'));
  });

  it('follows at once when the process stops, and does not delay it', async () => {
    const stopping = await startTestApp({ database: server.database, settings: { POSTRIDER_ROLES: 'api' } });
    const stream = await watching('messages', owner, stopping);
    const ended = stream.ended();
    await within(stopping.close(), 2_000);
    await ended;
  });
});

describe('the limits', () => {
  it('allow 10 streams of one user, and the place of a closed one again', async () => {
    const member = await joinAs(server, owner, 'developer', 'many@sandbox.test');
    const streams = await Promise.all(Array.from({ length: 10 }, () => watching('messages', member)));
    const refused = await member.call('GET', '/console/live?watch=messages');
    expectProblem(refused, 503, 'unavailable');
    expect(refused.headers.get('retry-after')).toBe('5');
    expect(refused.headers.get('x-live-pages')).toBe('full');
    await watching('messages', owner);
    streams[0]?.close();
    // The server notices that the connection has closed when it does.
    let stream = await watch('messages', member);
    while (stream.response.status === 503) stream = await watch('messages', member);
    expect((await stream.next()).event).toBe('watching');
  });

  it('are not used up by clients that leave before their stream begins', async () => {
    const member = await joinAs(server, owner, 'developer', 'hasty@sandbox.test');
    const { hostname, port } = new URL(server.baseUrl);
    const head = `GET /console/live?watch=messages HTTP/1.1\r\nHost: ${hostname}\r\nCookie: ${member.cookie}\r\n\r\n`;
    for (let n = 0; n < 30; n += 1) {
      const socket = connect({ host: hostname, port: Number(port) });
      await once(socket, 'connect');
      await new Promise<void>((resolve) => socket.write(head, () => resolve()));
      socket.resetAndDestroy();
    }
    // The server notices that the connections have closed when it does.
    while ((await watch('messages', member)).response.status === 503);
    for (let n = 0; n < 9; n += 1) await watching('messages', member);
  });

  it('are not used up by HEAD', async () => {
    const member = await joinAs(server, owner, 'developer', 'head@sandbox.test');
    for (let n = 0; n < 12; n += 1) {
      const response = await member.call('HEAD', '/console/live?watch=messages');
      expect(response.status).toBe(200);
    }
    await watching('messages', member);
  });
});

describe('the events of a watch', () => {
  /** A watch under the control of the test. */
  function createWatch() {
    const calls: { change: (name: string) => void; end: () => void; closed: number } = {
      change: () => {},
      end: () => {},
      closed: 0,
    };
    const watchOf: Watch = {
      start: (onChange, onEnd) => Object.assign(calls, { change: onChange, end: onEnd }),
      close: () => {
        calls.closed += 1;
      },
    };
    return { calls, watchOf };
  }

  it('keep an idle connection open with comments', async () => {
    const { calls, watchOf } = createWatch();
    const stream = streamChanges(watchOf, new AbortController().signal, 1);
    await stream.next();
    expect((await stream.next()).value).toBe(': nothing happened\n\n');
    calls.end();
    expect((await stream.next()).done).toBe(true);
    expect(calls.closed).toBe(1);
  });

  it('name each topic once for a client that reads slowly', async () => {
    const { calls, watchOf } = createWatch();
    const stream = streamChanges(watchOf, new AbortController().signal);
    await stream.next();
    for (let n = 0; n < 10_000; n += 1) calls.change(n % 2 === 0 ? 'messages' : 'domains');
    const events = [(await stream.next()).value, (await stream.next()).value];
    expect(events).toEqual([
      'event: changed\ndata: {"topic":"messages"}\n\n',
      'event: changed\ndata: {"topic":"domains"}\n\n',
    ]);
    const next = stream.next();
    calls.end();
    expect((await next).done).toBe(true);
  });

  it('end when the client disconnects, while they wait', async () => {
    const { calls, watchOf } = createWatch();
    const gone = new AbortController();
    const stream = streamChanges(watchOf, gone.signal);
    await stream.next();
    const next = stream.next();
    gone.abort();
    expect((await next).done).toBe(true);
    expect(calls.closed).toBe(1);
  });
});
