import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { expectProblem } from '../harness/expect-problem.ts';
import { joinAs, signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp, type TestResponse } from '../harness/test-app.ts';

/** A send names a file that comes slowly, and its caller loses a permission meanwhile. */
describe('a send whose caller expires while a file is fetched', () => {
  let server: TestApp;
  let dns: TestDnsServer;
  let owner: TestSession;
  let url: string;
  let onFetch: (response: ServerResponse) => void = (response) => response.end('file');
  const files = createServer((_request, response) => onFetch(response));
  beforeAll(async () => {
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
    url = `http://files.test:${(files.address() as AddressInfo).port}/a`; // A TCP server has no other kind of address.
    dns = await startDnsServer();
    dns.set('files.test', 'A', '127.0.0.1');
    server = await startTestApp({ dnsServers: [dns.address] });
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
    files.close();
  });

  const email = () => ({
    ...{ from: 'ada@sandbox.test', to: 'a@example.com', subject: 'Hi', text: 'Hi' },
    attachments: [{ filename: 'a.txt', url }],
  });
  const count = async () => Number((await server.database.sql`SELECT count(*) FROM messages`)[0]?.['count']);
  let members = 0;
  const member = async () => await joinAs(server, owner, 'developer', `member${++members}@sandbox.test`);

  /** Sends, and does the rest while the file is fetched. */
  async function sendDuring(
    send: () => Promise<TestResponse>,
    meanwhile: () => Promise<TestResponse>,
  ): Promise<TestResponse> {
    const fetched = new Promise<ServerResponse>((resolve) => {
      onFetch = resolve;
    });
    const sent = send();
    const response = await fetched;
    expect((await meanwhile()).status).toBeLessThan(300);
    response.end('file');
    return await sent;
  }

  it.each([
    ['signed out', 401, 'session_required', (user: TestSession) => user.call('POST', '/auth/logout')],
    [
      'was removed from the team',
      401,
      'session_required',
      (user: TestSession) => owner.call('DELETE', `/team/${user.user.memberId}`),
    ],
    [
      'became a viewer',
      403,
      'missing_scope',
      (user: TestSession) => owner.call('PATCH', `/team/${user.user.memberId}`, { body: { role: 'viewer' } }),
    ],
  ] as const)(
    'is rejected when the user %s',
    { tags: ['holes.ended-callers'] },
    async (_what, status, code, meanwhile) => {
      const user = await member();
      const before = await count();
      const response = await sendDuring(
        () => user.call('POST', '/emails', { body: email() }),
        () => meanwhile(user),
      );
      expectProblem(response, status, code);
      expect(await count()).toBe(before);
    },
  );

  it('is rejected for one session of a user only, and not for another one', {
    tags: ['holes.ended-callers'],
  }, async () => {
    const first = await member();
    const second = await signInAs(server, first.user.email);
    const signOut = () => second.call('POST', '/auth/logout');
    expect((await sendDuring(() => first.call('POST', '/emails', { body: email() }), signOut)).status).toBe(202);
  });

  it.each([
    ['rotated', 401, 'key_revoked', 'POST', '/rotate', {}],
    ['rotated twice with a grace', 401, 'key_revoked', 'POST', '/rotate', { graceSeconds: 60, again: true }],
    ['revoked', 401, 'key_revoked', 'DELETE', '', undefined],
    ['paused', 403, 'sending_paused', 'POST', '/pause', undefined],
    [
      'narrowed',
      403,
      'recipient_not_allowed',
      'PATCH',
      '',
      { recipientAllowlist: ['@example.org'], attachmentHosts: ['files.test'] },
    ],
    ['given other hosts', 422, 'attachment_url_refused', 'PATCH', '', { attachmentHosts: [] }],
  ] as const)(
    'is rejected when the key was %s',
    { tags: ['holes.ended-callers'] },
    async (_what, status, code, method, path, given) => {
      const { body: made } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'] } });
      const before = await count();
      const change = async (body: object | undefined) =>
        await server.call(method, `/keys/${made.id}${path}`, body === undefined ? {} : { body });
      const response = await sendDuring(
        () => server.call('POST', '/emails', { key: made.key, body: email() }),
        async () => {
          if (given === undefined || !('again' in given)) return await change(given);
          await change({ graceSeconds: given.graceSeconds });
          return await change({ graceSeconds: 0 });
        },
      );
      expectProblem(response, status, code);
      expect(await count()).toBe(before);
    },
  );

  it('is accepted when the key was rotated with a grace period that has not ended', {
    tags: ['holes.ended-callers'],
  }, async () => {
    const { body: made } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'] } });
    const response = await sendDuring(
      () => server.call('POST', '/emails', { key: made.key, body: email() }),
      () => server.call('POST', `/keys/${made.id}/rotate`, { body: { graceSeconds: 60 } }),
    );
    expect(response.status).toBe(202);
  });

  it('is rejected when the grace period of the secret ended meanwhile', { tags: ['holes.ended-callers'] }, async () => {
    const { body: made } = await server.call('POST', '/keys', { body: { name: 'Agent', scopes: ['sending'] } });
    await server.call('POST', `/keys/${made.id}/rotate`, { body: { graceSeconds: 60 } });
    const response = await sendDuring(
      () => server.call('POST', '/emails', { key: made.key, body: email() }),
      async () => {
        server.clock.advance(61_000);
        return await server.call('GET', '/account');
      },
    );
    expectProblem(response, 401, 'key_revoked');
  });
});
