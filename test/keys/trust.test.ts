import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectProblem } from '../harness/expect-problem.ts';
import { openSmtpSession, plainToken } from '../harness/smtp-session.ts';
import { type SubmissionApp, startSubmissionApp } from '../harness/submission-client.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectTo } from '../mcp/connect.ts';
import { SEND_PATHS } from './every-path.ts';

const FORGED = [
  { 'x-forwarded-for': '203.0.113.9' },
  { 'x-forwarded-for': '203.0.113.9, 203.0.113.9' },
  { forwarded: 'for=203.0.113.9;proto=https' },
  { 'x-real-ip': '203.0.113.9' },
  { 'true-client-ip': '203.0.113.9', 'cf-connecting-ip': '203.0.113.9', 'x-client-ip': '203.0.113.9' },
  { 'x-forwarded-for': '::ffff:203.0.113.9', 'x-forwarded-host': '203.0.113.9' },
];

describe('the IP allowlist of a key', () => {
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp();
  });
  afterAll(() => server.close());

  const made = async (app: TestApp, ipAllowlist: readonly string[]) =>
    (await app.call('POST', '/keys', { body: { name: 'Bound', scopes: ['full'], ipAllowlist } })).body.key as string;

  it('ignores forged X-Forwarded-For, Forwarded and X-Real-IP', {
    tags: ['keys.ip-allowlist', 'contract-errors.403-keys'],
  }, async () => {
    const key = await made(server, ['203.0.113.0/24']);
    const here = await made(server, ['127.0.0.0/8', '::1']);
    expectProblem(await server.call('GET', '/keys/self', { key }), 403, 'ip_not_allowed');
    for (const headers of FORGED) {
      expectProblem(await server.call('GET', '/keys/self', { key, headers }), 403, 'ip_not_allowed');
      expect((await server.call('GET', '/keys/self', { key: here, headers })).status).toBe(200);
    }
  });

  it('uses trusted proxies, and the last untrusted address of a chain', {
    tags: ['keys.ip-allowlist'],
  }, async () => {
    const behind = await startTestApp({ settings: { POSTRIDER_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8' } });
    const key = await made(behind, ['203.0.113.0/24', '2001:db8::/32']);
    const from = async (value: string) =>
      (await behind.call('GET', '/keys/self', { key, headers: { 'x-forwarded-for': value } })).status;
    expect(await from('203.0.113.9')).toBe(200);
    expect(await from('198.51.100.1, 203.0.113.9')).toBe(200);
    expect(await from('203.0.113.9, 10.1.2.3')).toBe(200);
    expect(await from('2001:db8::1')).toBe(200);
    expect(await from('203.0.113.9, 198.51.100.1')).toBe(403);
    expect(await from('203.0.113.9, 198.51.100.1, 10.1.2.3')).toBe(403);
    expect(await from('nonsense')).toBe(403);
    expectProblem(await behind.call('GET', '/keys/self', { key }), 403, 'ip_not_allowed');
    for (const headers of [{ forwarded: 'for=203.0.113.9' }, { 'x-real-ip': '203.0.113.9' }]) {
      expectProblem(await behind.call('GET', '/keys/self', { key, headers }), 403, 'ip_not_allowed');
    }
    await behind.close();
  });

  it('uses the socket over SMTP, and over MCP the same as over REST', {
    tags: ['keys.ip-allowlist'],
  }, async () => {
    const key = await made(server, ['203.0.113.0/24']);
    const session = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await session.say('EHLO client.test');
    expect(await session.say(`AUTH PLAIN ${plainToken(key)}`)).toMatch(/^535 5\.7\.8 ip_not_allowed/);
    session.close();
    await expect(connectTo(server, '', key)).rejects.toThrow();
    expectProblem(await server.call('POST', '/mcp', { key, body: {} }), 403, 'ip_not_allowed');
  });
});

describe('scopes', () => {
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp();
  });
  afterAll(() => server.close());

  it('are one table for REST, MCP, the SDK and SMTP: without `emails:send` nothing is sent', async () => {
    const key = await server.newKey({ scopes: ['emails:read', 'account:read'] });
    expectProblem(await server.send({}, { key }), 403, 'missing_scope');
    const sdk = new Postrider({ apiKey: key, baseUrl: server.baseUrl, maxRetries: 0 });
    const refused = await sdk.emails
      .send({ from: 'ada@sandbox.test', to: 'b@sandbox.test', subject: 'Hi', text: 'Hi' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PostriderError);
    expect(refused).toMatchObject({ code: 'missing_scope', status: 403 });
    const client = await connectTo(server, '', key);
    expect(await client.list()).not.toContain('send_email');
    expect(await client.list()).toContain('get_email');
    await client.close();
    const session = await openSmtpSession(server.smtp.tlsPort, 'tls');
    await session.say('EHLO client.test');
    expect(await session.say(`AUTH PLAIN ${plainToken(key)}`)).toMatch(/^535 5\.7\.8 missing_scope/);
    session.close();
  });
});

describe('the recipient allowlist', () => {
  let server: SubmissionApp;
  beforeAll(async () => {
    server = await startSubmissionApp();
  });
  afterAll(() => server.close());

  const allowlist = ['delivered@sandbox.test', '@bücher.example', '*.example.net'];
  const made = async () =>
    (
      await server.call('POST', '/keys', {
        body: { name: 'Few', mode: 'test', scopes: ['full'], recipientAllowlist: allowlist },
      })
    ).body.key as string;

  it.each(Object.entries(SEND_PATHS))('%s allows the listed recipients and no others', async (_, send) => {
    const key = await made();
    for (const to of ['DELIVERED@Sandbox.TEST', 'any@xn--bcher-kva.example', 'x@a.b.example.net']) {
      expect((await send(server, key, { to })).code, to).toBeNull();
    }
    for (const to of ['delivered+x@sandbox.test', 'x@example.net', 'x@bucher.example', 'x@example.net.evil.test']) {
      expect((await send(server, key, { to })).code, to).toBe('recipient_not_allowed');
    }
  });

  it.each(['to', 'cc', 'bcc'])('counts in %s: quoted names, groups and lists hide no address', async (kind) => {
    const key = await made();
    const base = { to: 'delivered@sandbox.test' };
    expectProblem(await server.send({ ...base, [kind]: ['x@evil.test'] }, { key }), 403, 'recipient_not_allowed');
    expectProblem(
      await server.send({ ...base, [kind]: '"delivered@sandbox.test" <x@evil.test>' }, { key }),
      403,
      'recipient_not_allowed',
    );
    for (const hidden of [
      '"x@evil.test,delivered"@sandbox.test',
      'all: x@evil.test;',
      'delivered@sandbox.test, x@evil.test',
    ]) {
      expectProblem(await server.send({ ...base, [kind]: hidden }, { key }), 422, 'validation_failed');
    }
    expect((await server.send({ ...base, reply_to: 'x@evil.test' }, { key })).status).toBe(202);
  });

  it('is applied to resends under the key that sent first, with its current list', async () => {
    const { id, key } = (await server.call('POST', '/keys', { body: { name: 'Once', scopes: ['full'] } })).body;
    const sent = (await server.send({ to: 'ann@sandbox.test' }, { key })).body.id;
    await server.call('PATCH', `/keys/${id}`, { body: { recipientAllowlist: allowlist } });
    expectProblem(await server.call('POST', `/emails/${sent}/resend`), 403, 'recipient_not_allowed');
  });
});
