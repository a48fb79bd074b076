import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectInvalid, expectProblem } from '../harness/expect-problem.ts';
import { sendRaw } from '../harness/raw-http.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

describe('in development', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp();
  });
  afterAll(() => server.close());

  const get = (path: string) => server.call('GET', path, { key: null });
  const post = (body: unknown) => server.call('POST', '/dev/accounts', { key: null, body });

  it('returns nothing under another host name, or to a page of another origin', async () => {
    const account = JSON.stringify({ name: 'Stolen', ownerEmail: 'thief@example.com' });
    const request = (headers: string) =>
      sendRaw(
        server.baseUrl,
        `POST /dev/accounts HTTP/1.1\r\n${headers}Content-Type: application/json\r\nContent-Length: ${account.length}\r\nConnection: close\r\n\r\n${account}`,
      );
    const { host } = new URL(server.baseUrl);
    expect(await request('Host: evil.example\r\n')).toContain('404 Not Found');
    expect(await request(`Host: ${host}\r\nOrigin: https://evil.example\r\n`)).toContain('404 Not Found');
    expect(await request(`Host: ${host}\r\n`)).toContain('201 Created');
  });

  it('GET /dev/mailbox lists captured messages, newest first, with the envelope recipients', {
    tags: ['contract-development.mailbox'],
  }, async () => {
    const one = await server.send({ to: 'a@example.com', bcc: 'b@example.com', subject: 'One' });
    await server.settled(one.body.id);
    const two = await server.send({ from: 'Ada <ada@sandbox.test>', subject: 'Two' });
    await server.settled(two.body.id);
    const { status, body } = await get('/dev/mailbox');
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['messages']);
    expect(body.messages.slice(0, 2)).toEqual([
      {
        id: expect.any(String),
        from: 'ada@sandbox.test',
        to: ['delivered@sandbox.test'],
        subject: 'Two',
        receivedAt: expect.stringMatching(TIME),
      },
      {
        id: expect.any(String),
        from: 'ada@sandbox.test',
        to: ['a@example.com', 'b@example.com'],
        subject: 'One',
        receivedAt: expect.stringMatching(TIME),
      },
    ]);
  });

  it('GET /dev/mailbox/:id.eml returns the raw message', { tags: ['contract-development.mailbox-raw'] }, async () => {
    const sent = await server.send({ subject: 'Raw one', text: '.leading dot\n\nend' });
    await server.settled(sent.body.id);
    const [{ id }] = (await get('/dev/mailbox')).body.messages;
    const { status, headers, body } = await get(`/dev/mailbox/${id}.eml`);
    expect([status, headers.get('content-type')]).toEqual([200, 'message/rfc822']);
    expect(body).toMatch(/^Subject: Raw one\r\n/m);
    expect(body).toContain('\r\n.leading dot\r\n');
    expect(body.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
    expectProblem(await get(`/dev/mailbox/${id}`), 404, 'not_found');
    expectProblem(await get('/dev/mailbox/nope.eml'), 404, 'not_found');
    const unknown = await get('/dev/mailbox/01936a2e-0000-7000-8000-000000000000.eml');
    expectProblem(unknown, 404, 'not_found');
    expect(unknown.body.fix).toContain('GET /dev/mailbox');
  });

  it('POST /dev/accounts creates another account with a key that works', {
    tags: ['contract-development.accounts'],
  }, async () => {
    const { status, body } = await post({ name: 'Second', ownerEmail: 'Bea <bea@example.com>' });
    expect(status).toBe(201);
    expect(body).toEqual({ accountId: expect.any(String), key: expect.stringMatching(/^pr_live_/) });
    const self = (await server.call('GET', '/keys/self', { key: body.key })).body;
    expect(self.account).toEqual({ id: body.accountId, name: 'Second' });
    expect((await server.send({}, { key: body.key })).status).toBe(202);
    const [owner] = await server.database.sql`SELECT email, role FROM members WHERE account_id = ${body.accountId}`;
    expect(owner).toEqual({ email: 'bea@example.com', role: 'owner' });
  });

  it('POST /dev/accounts reports an invalid body', async () => {
    expectInvalid(await post({}), ['name', 'required'], ['ownerEmail', 'required']);
    expectInvalid(
      await post({ name: '', ownerEmail: 'nobody' }),
      ['name', 'too_short'],
      ['ownerEmail', 'invalid_email'],
    );
    expectInvalid(await post({ name: 'x'.repeat(101), ownerEmail: 'a@b.co' }), ['name', 'too_long']);
    expectInvalid(await post({ name: 'x', ownerEmail: 'a@b.co', plan: 'pro' }), ['plan', 'unknown_field']);
    expectInvalid(await post({ name: 'a\u0000b', ownerEmail: 'a@b.co' }), ['name', 'invalid_unicode']);
    expectInvalid(await post([]), ['body', 'invalid_type']);
    expect((await post({ name: 'x'.repeat(100), ownerEmail: 'a@b.co' })).status).toBe(201);
  });

  it('serves these paths under /v1 too, and returns 405 for other methods', async () => {
    expect((await get('/v1/dev/mailbox')).status).toBe(200);
    expectProblem(await server.call('DELETE', '/dev/mailbox'), 405, 'method_not_allowed');
    expectProblem(await server.call('GET', '/dev/accounts'), 405, 'method_not_allowed');
    expectProblem(await server.call('POST', '/reference'), 405, 'method_not_allowed');
  });
});

describe('in production', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_MODE: 'production' } });
  });
  afterAll(() => server.close());

  it('none of these routes exists', { tags: ['contract-development.not-in-production'] }, async () => {
    for (const path of [
      '/dev/mailbox',
      '/dev/mailbox/x.eml',
      '/dev/accounts',
      '/dev/session',
      '/dev/sandbox',
      '/console/mailbox',
    ]) {
      for (const prefix of ['', '/v1']) {
        for (const method of ['GET', 'POST']) {
          const response = await server.call(method, `${prefix}${path}`, { body: method === 'POST' ? {} : undefined });
          expectProblem(response, 404, 'not_found');
        }
      }
    }
    expect((await server.send()).status).toBe(202);
  });

  it('other pages of the console lead to the sign-in', async () => {
    for (const path of ['/console', '/console/messages']) {
      const { status, headers } = await server.call('GET', path, { key: null });
      expect([status, headers.get('location')]).toEqual([303, `/auth/sign-in?next=${encodeURIComponent(path)}`]);
    }
  });
});
