import { LIMITS } from '@postrider/core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeMcpSessions } from '../../packages/server/src/db/queries/mcp-sessions.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type ConnectSession, SESSION_CLIENTS, type SessionClient } from './session-clients.ts';

/** Two processes of one installation, with a load balancer that gives a client one or the other. */
let server: TestApp;
let other: TestApp;
const open: { close(): Promise<void> }[] = [];

beforeAll(async () => {
  server = await startTestApp();
  other = await startTestApp({ database: server.database });
});
afterAll(async () => {
  for (const client of open) await client.close();
  await other.close();
  await server.close();
});

async function connectWith(connect: ConnectSession, key: string, app = server): Promise<SessionClient> {
  const client = await connect(new URL(`${app.baseUrl}/mcp`), key);
  open.push(client);
  return client;
}

/** A key whose sends are all held. */
async function newHeldKey(): Promise<{ readonly id: string; readonly key: string }> {
  const body = { name: 'Held', scopes: ['emails:send', 'emails:read', 'emails:cancel'], approvalMode: 'always' };
  return (await server.call('POST', '/keys', { body })).body;
}

describe.each(SESSION_CLIENTS)('a 2025 session of %s', (_, connect) => {
  it('is notified of a decision without asking', { tags: ['mcp.sessions-notified'] }, async () => {
    const { key } = await newHeldKey();
    const client = await connectWith(connect, key);
    expect(client.sessionId()).toHaveLength(48);
    expect(client.canSubscribe()).toBe(true);
    const held = await server.send({}, { key });
    const uri = `email://approvals/${held.body.approvalId}`;
    await client.subscribe(uri);
    await other.call('DELETE', `/emails/${held.body.id}`, { key });
    await client.until(`updated ${uri}`);
  });

  it('is asked to open the approval page of a held send, and notified when there is nothing left to decide', {
    tags: ['mcp.sessions-notified'],
  }, async () => {
    const { key } = await newHeldKey();
    const client = await connectWith(connect, key);
    const result = await client.callTool('send_email', {
      from: 'ada@sandbox.test',
      to: 'a@sandbox.test',
      subject: 'Hi',
      text: 'Hi',
    });
    const { id, approvalId, status } = result['structuredContent'] as Record<string, string>;
    expect(status).toBe('pending_approval');
    expect(result['isError']).not.toBe(true);
    expect(client.opened).toEqual([`${server.baseUrl}/approvals/open/${approvalId}`]);
    await server.call('DELETE', `/emails/${id}`, { key });
    await client.until(`complete ${approvalId}`);
  });

  it('is not notified of what it unsubscribed from', async () => {
    const client = await connectWith(connect, server.key);
    const [first, second] = [(await server.send()).body.id, (await server.send({ scheduled_at: 'PT2H' })).body.id];
    await server.settled(first);
    await client.subscribe(`email://messages/${second}`);
    await client.unsubscribe(`email://messages/${second}`);
    const third = (await server.send({ scheduled_at: 'PT2H' })).body.id;
    await client.subscribe(`email://messages/${third}`);
    await server.call('DELETE', `/emails/${second}`);
    await server.call('DELETE', `/emails/${third}`);
    await client.until(`updated email://messages/${third}`);
    expect(client.notified).not.toContain(`updated email://messages/${second}`);
  });
});

const HELLO = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
};

interface RawOptions {
  readonly app?: TestApp;
  readonly key?: string;
  readonly session?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

async function raw(
  method: string,
  body: unknown,
  { app = server, key = server.key, session, headers }: RawOptions = {},
) {
  const gone = new AbortController();
  const response = await fetch(`${app.baseUrl}/mcp`, {
    method,
    signal: gone.signal,
    headers: {
      authorization: `Bearer ${key}`,
      accept: method === 'GET' ? 'text/event-stream' : 'application/json',
      ...(body === null ? {} : { 'content-type': 'application/json' }),
      ...(session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' }),
      ...headers,
    },
    ...(body === null ? {} : { body: JSON.stringify(body) }),
  });
  return { response, cut: () => gone.abort() };
}

async function post(body: unknown, options?: RawOptions) {
  const { response } = await raw('POST', body, options);
  const text = await response.text();
  return {
    status: response.status,
    id: response.headers.get('mcp-session-id') ?? '',
    body: text === '' ? null : JSON.parse(text),
  };
}

async function openSession(options?: RawOptions): Promise<string> {
  return (await post(HELLO, options)).id;
}

const subscribe = (uri: string, options: RawOptions) =>
  post({ jsonrpc: '2.0', id: 2, method: 'resources/subscribe', params: { uri } }, options);

/** Reads a stream until the text is in it. Returns what was read, and cuts the connection. */
async function readUntil(text: string, options: RawOptions): Promise<string> {
  const { response, cut } = await raw('GET', null, options);
  let read = '';
  for await (const chunk of response.body ?? []) {
    read += Buffer.from(chunk).toString();
    if (read.includes(text)) break;
  }
  cut();
  return read;
}

const scheduled = async (): Promise<string> => (await server.send({ scheduled_at: 'PT2H' })).body.id;
const cancel = (id: string) => server.call('DELETE', `/emails/${id}`);

describe('a session in a fleet', () => {
  it('is opened, subscribed and streamed by different processes', { tags: ['mcp.sessions-fleet'] }, async () => {
    const session = await openSession();
    const id = await scheduled();
    const streamed = readUntil('resources/updated', { session });
    expect(await subscribe(`email://messages/${id}`, { session, app: other })).toMatchObject({
      status: 200,
      body: { result: {} },
    });
    await cancel(id);
    expect(await streamed).toContain(`email://messages/${id}`);
  });

  it('misses nothing that changes while no stream is open, and repeats what was lost on the way', {
    tags: ['mcp.sessions-fleet'],
  }, async () => {
    const session = await openSession();
    const [first, second] = [await scheduled(), await scheduled()];
    await subscribe(`email://messages/${first}`, { session });
    await subscribe(`email://messages/${second}`, { session });
    await cancel(first);
    expect(await readUntil('resources/updated', { session })).toContain(`id: 1\nevent: message\n`);
    await cancel(second);
    const rest = await readUntil('id: 2', { session, app: other, headers: { 'last-event-id': '1' } });
    expect(rest).toContain(`email://messages/${second}`);
    expect(rest).not.toContain(`email://messages/${first}`);
    const repeated = await readUntil('id: 2', { session, headers: { 'last-event-id': '0' } });
    expect(repeated).toContain(`email://messages/${first}`);
    expect(repeated).toContain(`email://messages/${second}`);
  });

  it('sends each event on one of its streams only, and on the others when that one is gone', async () => {
    const session = await openSession();
    const [first, second] = [await scheduled(), await scheduled()];
    await subscribe(`email://messages/${first}`, { session });
    await subscribe(`email://messages/${second}`, { session });
    const claims = async () =>
      (
        await server.database.sql`SELECT stream_id FROM mcp_sessions WHERE watched ? ${`email://messages/${first}`}`
      )[0]?.['stream_id'];
    const older = readUntil(second, { session });
    await expect.poll(claims).not.toBeNull();
    const claimed = await claims();
    const newer = readUntil(first, { session, app: other });
    await expect.poll(claims).not.toBe(claimed);
    await cancel(first);
    expect(await newer).toContain(first);
    await cancel(second);
    expect(await older).not.toContain(first);
  });

  it('passes responses of the client on to the process that asked', { tags: ['mcp.sessions-fleet'] }, async () => {
    const { key } = await newHeldKey();
    const capabilities = { elicitation: { url: {} } };
    const { id: session } = await post({ ...HELLO, params: { ...HELLO.params, capabilities } }, { key });
    const given = { from: 'ada@sandbox.test', to: 'a@sandbox.test', subject: 'Asked', text: 'Hi' };
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'send_email', arguments: given } };
    const { response } = await raw('POST', call, {
      key,
      session,
      headers: { accept: 'application/json, text/event-stream' },
    });
    let read = '';
    const beganMs = performance.now();
    for await (const chunk of response.body ?? []) {
      read += Buffer.from(chunk).toString();
      const requestId =
        /"method":"elicitation\/create".*?"id":"([^"]+)"/.exec(read)?.[1] ?? /"id":"([^"]+\.[^"]+)"/.exec(read)?.[1];
      if (requestId === undefined || read.includes('structuredContent')) continue;
      const reply = { jsonrpc: '2.0', id: requestId, result: { action: 'accept' } };
      expect(await post(reply, { key, session, app: other })).toMatchObject({ status: 202 });
    }
    expect(read).toContain('pending_approval');
    // Without the response, the call would wait for half a minute.
    expect(performance.now() - beganMs).toBeLessThan(10_000);
  });
});

describe('log messages', () => {
  const call = (given: Record<string, unknown>) => ({
    jsonrpc: '2.0',
    id: 3,
    method: 'tools/call',
    params: { name: 'send_email', arguments: given },
  });
  const streamed = { headers: { accept: 'application/json, text/event-stream' } };
  const logged = async (session: string, app = server) => {
    const { response } = await raw('POST', call({ from: 'nobody' }), { session, app, ...streamed });
    return [...(await response.text()).matchAll(/"method":"notifications\/message".*/g)].map(([line]) => line);
  };

  it('name the calls and their request ids once the client has set a level, in every process', async () => {
    const session = await openSession();
    expect(await logged(session)).toEqual([]);
    const level = (name: string) =>
      post({ jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: name } }, { session });
    expect(await level('info')).toMatchObject({ body: { result: {} } });
    const [message] = await logged(session, other);
    expect(message).toContain('"level":"warning"');
    expect(message).toMatch(/"tool":"send_email","code":"validation_failed","requestId":"[\w-]+"/);
    await level('error');
    expect(await logged(session)).toEqual([]);
  });
});

describe('a session id', () => {
  it('is unknown to every other key, and when it was changed', { tags: ['mcp.sessions-key'] }, async () => {
    const session = await openSession();
    const key = await server.newKey();
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect(await post(list, { session })).toMatchObject({ status: 200 });
    expect(await post(list, { session, key })).toMatchObject({ status: 404, body: { error: { code: -32_001 } } });
    expect((await raw('GET', null, { session, key })).response.status).toBe(404);
    expect((await raw('DELETE', null, { session, key })).response.status).toBe(404);
    const changed = `${session.slice(0, -1)}${session.endsWith('A') ? 'B' : 'A'}`;
    expect(await post(list, { session: changed })).toMatchObject({ status: 404 });
  });

  it('is unknown in every process once the session has ended, and its streams end', async () => {
    const session = await openSession();
    const { response } = await raw('GET', null, { session });
    expect((await raw('DELETE', null, { session, app: other })).response.status).toBe(204);
    await response.text();
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    for (const app of [server, other]) expect(await post(list, { session, app })).toMatchObject({ status: 404 });
  });

  it('is invalid after a month, and after a day without use if the session had subscriptions', async () => {
    const app = await startTestApp();
    const mine = { app, key: app.key };
    const [unused, subscribed] = [await openSession(mine), await openSession(mine)];
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const id = (await app.send()).body.id;
    await subscribe(`email://messages/${id}`, { ...mine, session: subscribed });
    app.clock.advance(25 * 3_600_000);
    expect(await post(list, { ...mine, session: subscribed })).toMatchObject({ status: 404 });
    expect(await post(list, { ...mine, session: unused })).toMatchObject({ status: 200 });
    const rows = async () => await app.database.sql`SELECT watched, ended_at IS NOT NULL AS ended FROM mcp_sessions`;
    await purgeMcpSessions(app.app.sql, app.clock.now());
    expect([...(await rows())]).toEqual([{ watched: {}, ended: true }]);
    app.clock.advance(30 * 24 * 3_600_000);
    expect(await post(list, { ...mine, session: unused })).toMatchObject({ status: 404 });
    await purgeMcpSessions(app.app.sql, app.clock.now());
    expect(await rows()).toHaveLength(0);
    await app.close();
  });

  it('is not needed: requests without it are stateless, and have no stream to open', {
    tags: ['mcp.sessions-optional'],
  }, async () => {
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect(await post(list)).toMatchObject({ status: 200, id: '' });
    const refused = await raw('GET', null);
    expect(refused.response.status).toBe(405);
    const methods = refused.response.headers.get('allow');
    for (const method of ['HEAD', 'DELETE', 'PUT']) {
      const { response } = await raw(method, null);
      expect([response.status, response.headers.get('allow')]).toEqual([405, methods]);
    }
  });

  it('ignores responses that no process has asked for', async () => {
    const session = await openSession();
    const reply = { jsonrpc: '2.0', id: 'made.up', result: { action: 'accept' } };
    for (let count = 0; count < 30; count += 1) await post({ ...reply, id: `made-${count}.up` }, { session });
    const rows = await server.database.sql`SELECT replies FROM mcp_sessions WHERE replies <> '{}'`;
    expect(rows).toHaveLength(0);
  });
});

describe('the key of a session', () => {
  it('ends the stream when it is revoked or narrowed', { tags: ['mcp.sessions-key'] }, async () => {
    for (const change of ['DELETE', 'PATCH']) {
      const { body: made } = await server.call('POST', '/keys', {
        body: { name: 'Watcher', scopes: ['emails:read', 'stats:read'] },
      });
      const mine = { key: made.key };
      const session = await openSession(mine);
      const { response } = await raw('GET', null, { ...mine, session });
      await server.call(change, `/keys/${made.id}`, change === 'PATCH' ? { body: { scopes: ['stats:read'] } } : {});
      await response.text();
      const id = await scheduled();
      const again = await subscribe(`email://messages/${id}`, { ...mine, session });
      expect(again).toMatchObject(
        change === 'PATCH' ? { status: 200, body: { error: { code: -32_602 } } } : { status: 401 },
      );
    }
  });

  it('is never notified of what it may not read', async () => {
    const others = await server.newAccount();
    const session = await openSession({ key: others.key });
    const id = await scheduled();
    expect(await subscribe(`email://messages/${id}`, { key: others.key, session })).toMatchObject({
      body: { error: { code: -32_602 } },
    });
  });
});

describe('the limits of sessions', () => {
  it('let one session watch a hundred resources', { tags: ['mcp.sessions-bounded'] }, async () => {
    const session = await openSession();
    const slug = (await server.call('POST', '/templates', { body: { name: 'Many', subject: 'Hi', text: 'Hello' } }))
      .body.slug;
    const watched = Object.fromEntries(
      Array.from({ length: 99 }, (_, at) => [`email://templates/${at}`, { state: null, event: 0 }]),
    );
    await subscribe(`email://templates/${slug}`, { session });
    await server.database
      .sql`UPDATE mcp_sessions SET watched = watched || ${JSON.stringify(watched)}::text::jsonb WHERE watched ? ${`email://templates/${slug}`}`;
    const id = await scheduled();
    expect(await subscribe(`email://templates/${slug}`, { session })).toMatchObject({ body: { result: {} } });
    expect(await subscribe(`email://messages/${id}`, { session })).toMatchObject({
      body: { error: { code: -32_602, message: expect.stringContaining('at most 100') } },
    });
  });

  it('end the longest unused session of a key, and keep a row only of those that changed something', {
    tags: ['mcp.sessions-bounded'],
    timeout: 60_000,
  }, async () => {
    const key = await server.newKey({ rateLimit: 100_000 });
    const id = await scheduled();
    const sessions = await Promise.all(Array.from({ length: 1_000 }, () => openSession({ key })));
    const rows = async () =>
      await server.database
        .sql`SELECT s.id FROM mcp_sessions s JOIN api_keys k ON k.id = s.key_id WHERE ended_at IS NULL AND rate_limit = 100000`;
    expect(await rows()).toHaveLength(0);
    for (const session of sessions.slice(0, 105)) await subscribe(`email://messages/${id}`, { key, session });
    expect(await rows()).toHaveLength(100);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect(await post(list, { key, session: sessions[104] ?? '' })).toMatchObject({ status: 200 });
  });

  it('refuse further streams of an account, and serve those of others', {
    tags: ['mcp.sessions-bounded'],
    timeout: 60_000,
  }, async () => {
    const crowded = await server.newAccount('Crowded');
    const session = await openSession({ key: crowded.key });
    const streams = [];
    for (let count = 0; count < LIMITS.mcpSessionStreamsPerAccount; count += 1)
      streams.push(await raw('GET', null, { key: crowded.key, session }));
    const refused = await raw('GET', null, { key: crowded.key, session });
    expect(refused.response.status).toBe(503);
    expect(refused.response.headers.get('retry-after')).toBe('5');
    const { response, cut } = await raw('GET', null, { session: await openSession() });
    expect(response.status).toBe(200);
    for (const stream of streams) stream.cut();
    cut();
  });
});
