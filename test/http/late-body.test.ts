import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { lastResponse, openRaw } from '../harness/raw-connection.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { DEFAULT_SEND, startTestApp, type TestApp } from '../harness/test-app.ts';

let server: TestApp;
let owner: TestSession;
beforeAll(async () => {
  server = await startTestApp();
  owner = await signInAs(server, 'owner@sandbox.test');
});
afterAll(() => server.close());
const cleanUp = useCleanUps();

const TOOL_CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'send_email', arguments: DEFAULT_SEND },
};

/**
 * Makes a request whose caller is checked and whose body then arrives slowly: the server has asked for the body, and `meanwhile` happens before
 * the last byte is sent.
 */
async function slowly(
  request: { readonly path: string; readonly body: unknown; readonly headers: Readonly<Record<string, string>> },
  meanwhile: () => Promise<unknown>,
) {
  const connection = await openRaw(server.baseUrl);
  cleanUp(() => connection.socket.destroy());
  const body = JSON.stringify(request.body);
  const headers = {
    host: new URL(server.baseUrl).host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'content-length': String(body.length),
    expect: '100-continue',
    ...request.headers,
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  connection.write(`POST ${request.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`);
  await connection.until('100 Continue\r\n\r\n');
  connection.write(body.slice(0, -1));
  await meanwhile();
  connection.write(body.slice(-1));
  const text = await connection.until(/\r\n\r\nHTTP\/1\.1 [245].*\r\n\r\n.*\}/s);
  return { text, ...(text.includes('event-stream') ? { status: 200, body: {} } : lastResponse(text)) };
}

interface KeyOnTrial {
  readonly id: string;
  readonly secret: string;
}

async function newKey(): Promise<KeyOnTrial> {
  const scopes = ['emails:send', 'emails:read', 'account:read'];
  const { status, body } = await server.call('POST', '/keys', { body: { name: 'On trial', scopes } });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { id: body.id, secret: body.key };
}

const bearer = ({ secret }: KeyOnTrial) => ({ authorization: `Bearer ${secret}` });

async function change(method: string, path: string, body?: unknown): Promise<void> {
  const response = await owner.call(method, path, body === undefined ? {} : { body });
  if (response.status >= 300) throw new Error(JSON.stringify(response.body));
}

const CHANGES: readonly (readonly [string, string, (key: KeyOnTrial) => Promise<unknown>])[] = [
  ['revoked', 'key_revoked', ({ id }) => change('DELETE', `/keys/${id}`)],
  ['paused', 'sending_paused', ({ id }) => change('POST', `/keys/${id}/pause`)],
  [
    'restricted to reading',
    'missing_scope',
    ({ id }) => change('PATCH', `/keys/${id}`, { scopes: ['emails:read', 'account:read'] }),
  ],
  [
    'restricted to other recipients',
    'recipient_not_allowed',
    ({ id }) => change('PATCH', `/keys/${id}`, { recipientAllowlist: ['someone@example.com'] }),
  ],
  [
    'restricted to other networks',
    'ip_not_allowed',
    ({ id }) => change('PATCH', `/keys/${id}`, { ipAllowlist: ['198.51.100.0/24'] }),
  ],
];

describe('a body that arrives after its caller was checked', () => {
  const send = (key: KeyOnTrial) => ({ path: '/emails', body: DEFAULT_SEND, headers: bearer(key) });
  const callTool = (key: KeyOnTrial) => ({ path: '/mcp', body: TOOL_CALL, headers: bearer(key) });

  it('is accepted when nothing has changed', async () => {
    const key = await newKey();
    expect((await slowly(send(key), async () => undefined)).status).toBe(202);
    expect((await slowly(callTool(key), async () => undefined)).text).toContain('queued');
  });

  it.each(CHANGES)(
    'is rejected when the key was %s meanwhile (%s)',
    { tags: ['holes.late-body'] },
    async (_how, code, happen) => {
      const key = await newKey();
      const { body } = await slowly(send(key), () => happen(key));
      expect(body['code']).toBe(code);
      const other = await newKey();
      const { text } = await slowly(callTool(other), () => happen(other));
      expect(text).toContain(code);
      expect(text).not.toContain('queued');
    },
  );

  it('is held when the key began to need approval meanwhile', { tags: ['holes.late-body'] }, async () => {
    const hold = ({ id }: KeyOnTrial) => change('PATCH', `/keys/${id}`, { approvalMode: 'always' });
    const key = await newKey();
    const { status, body } = await slowly(send(key), () => hold(key));
    expect([status, body['status']]).toEqual([202, 'pending_approval']);
    const other = await newKey();
    expect((await slowly(callTool(other), () => hold(other))).text).toContain('pending_approval');
  });

  it('is rejected when the key expired meanwhile', { tags: ['holes.late-body'] }, async () => {
    const key = await newKey();
    const inAMinute = new Date(server.clock.now().getTime() + 60_000).toISOString();
    await change('PATCH', `/keys/${key.id}`, { expiresAt: inAMinute });
    const { body } = await slowly(send(key), async () => server.clock.advance(61_000));
    expect(body['code']).toBe('key_expired');
  });

  it('is rejected when the account was paused meanwhile', { tags: ['holes.late-body'] }, async () => {
    const key = await newKey();
    try {
      const { body } = await slowly(send(key), () => change('POST', '/account/pause'));
      expect(body['code']).toBe('sending_paused');
    } finally {
      await change('POST', '/account/resume');
    }
  });

  it('is rejected within a second when another process of the fleet made the change', {
    tags: ['holes.late-body'],
  }, async () => {
    const other = await startTestApp({ database: server.database });
    cleanUp(() => other.close());
    const key = await newKey();
    const elsewhere = browserElsewhere(other, owner);
    const { body } = await slowly(send(key), async () => {
      await elsewhere(`/keys/${key.id}`);
      server.clock.advance(501);
    });
    expect(body['code']).toBe('key_revoked');
  });
});

describe('a body that arrives after its session was checked', () => {
  const send = ({ cookie }: TestSession) => ({
    path: '/emails',
    body: DEFAULT_SEND,
    headers: { cookie, origin: server.baseUrl },
  });

  it('is rejected when the user was removed from the team meanwhile', { tags: ['holes.late-body'] }, async () => {
    const member = await joinAs(server, owner, 'developer', 'leaving@sandbox.test');
    expect((await slowly(send(member), async () => undefined)).status).toBe(202);
    const { body } = await slowly(send(member), () => change('DELETE', `/team/${member.user.memberId}`));
    expect(body['code']).toBe('session_required');
  });

  it('is rejected when the user got a role that may not send meanwhile', { tags: ['holes.late-body'] }, async () => {
    const member = await joinAs(server, owner, 'developer', 'changing@sandbox.test');
    const demote = () => change('PATCH', `/team/${member.user.memberId}`, { role: 'viewer' });
    expect((await slowly(send(member), demote)).body['code']).toBe('missing_scope');
  });

  it('is rejected when the session ended meanwhile', { tags: ['holes.late-body'] }, async () => {
    const member = await joinAs(server, owner, 'developer', 'gone@sandbox.test');
    const { body } = await slowly(send(member), () => member.call('POST', '/auth/logout'));
    expect(body['code']).toBe('session_required');
  });
});

/** Revokes through another process, which shares nothing with the first but the database. */
function browserElsewhere(other: TestApp, { cookie }: TestSession) {
  return async (path: string) => {
    const response = await other.call('DELETE', path, { key: null, headers: { cookie, origin: other.baseUrl } });
    if (response.status >= 300) throw new Error(JSON.stringify(response.body));
  };
}
