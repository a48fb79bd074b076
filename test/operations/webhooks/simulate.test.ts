import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { WEBHOOK_EVENT_NAMES, WEBHOOK_EVENT_SCHEMAS } from '@postrider/core';
import { verifyWebhook } from '@postrider/sdk';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../../harness/clean-ups.ts';
import { expectInvalid, expectProblem } from '../../harness/expect-problem.ts';
import { startTestApp, type TestApp } from '../../harness/test-app.ts';

const afterwards = useCleanUps();

interface Caught {
  readonly method: string | undefined;
  readonly url: string | undefined;
  readonly headers: Record<string, string>;
  readonly body: string;
}

/** A developer's program on loopback, with what it was sent. */
async function startReceiver(respond: RequestListener = (_, response) => response.writeHead(204).end()) {
  const caught: Caught[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]));
    caught.push({ method: request.method, url: request.url, headers, body: Buffer.concat(chunks).toString() });
    respond(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  afterwards(() => {
    server.close();
    server.closeAllConnections();
  });
  return { caught, url: `http://localhost:${(server.address() as AddressInfo).port}` }; // A TCP server that listens has no other kind.
}

describe('POST /webhooks/simulate', () => {
  let server: TestApp;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
  });
  afterAll(() => server.close());

  const simulate = (body: unknown, key = server.key) => server.call('POST', '/webhooks/simulate', { body, key });

  it('delivers a signed event to a program on this machine, which three verifiers accept', {
    tags: ['webhooks.simulate', 'webhooks.simulate-fields', 'contract-development.outbound'],
  }, async () => {
    const { caught, url } = await startReceiver();
    const { status, body } = await simulate({ url: `${url}/hooks?x=1`, event: 'email.bounced' });
    expect(status).toBe(200);
    expect(body).toEqual({
      ok: true,
      delivered: true,
      statusCode: 204,
      durationMs: expect.any(Number),
      error: null,
      headers: expect.objectContaining({ 'content-type': 'application/json', 'webhook-id': expect.any(String) }),
      payload: expect.any(String),
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    });
    expect(caught).toEqual([{ method: 'POST', url: '/hooks?x=1', body: body.payload, headers: expect.anything() }]);
    const [request] = caught;
    const headers = request?.headers ?? {};
    expect(headers).toMatchObject({ ...body.headers, 'user-agent': expect.stringContaining('Postrider/') });
    const event = verifyWebhook(body.payload, headers, body.secret);
    expect(event).toMatchObject({ id: headers['webhook-id'], type: 'email.bounced', data: { classification: 'hard' } });
    for (const Verifier of [StandardWebhook, SvixWebhook]) {
      expect(() => new Verifier(body.secret).verify(body.payload, headers)).not.toThrow();
      expect(() => new Verifier('whsec_AAAA').verify(body.payload, headers)).toThrow();
    }
  });

  it('creates an event of every type in its published format, email.delivered by default', async () => {
    const { caught, url } = await startReceiver();
    for (const event of WEBHOOK_EVENT_NAMES) {
      const { body } = await simulate({ url, event });
      const payload: unknown = JSON.parse(body.payload);
      expect(WEBHOOK_EVENT_SCHEMAS.get(event)?.parse(payload), event).toEqual(payload);
      expect(payload).toMatchObject({ type: event, id: body.headers['webhook-id'] });
    }
    await simulate({ url });
    expect(JSON.parse(caught.at(-1)?.body ?? '')).toMatchObject({ type: 'email.delivered' });
    expect(caught).toHaveLength(WEBHOOK_EVENT_NAMES.length + 1);
  });

  it('returns the program’s response, or that nothing listened, and follows no redirect', async () => {
    const refusing = await startReceiver((_, response) => response.writeHead(400).end('no'));
    expect((await simulate({ url: refusing.url })).body).toMatchObject({ ok: false, delivered: true, statusCode: 400 });
    const elsewhere = await startReceiver();
    const redirecting = await startReceiver((_, response) =>
      response.writeHead(302, { location: elsewhere.url }).end(),
    );
    expect((await simulate({ url: redirecting.url })).body).toMatchObject({
      ok: false,
      delivered: true,
      statusCode: 302,
    });
    expect(elsewhere.caught).toEqual([]);
    const refused = await simulate({ url: 'http://127.0.0.1:9/' });
    expect(refused.status).toBe(200);
    expect(refused.body).toMatchObject({ ok: false, delivered: false, statusCode: null, payload: expect.any(String) });
    expect(refused.body.error).toMatch(/refused/i);
    expect((await simulate({ url: refusing.url })).body.error).toBe(null);
  });

  it('accepts only loopback URLs and existing event types', async () => {
    const urls = [
      ...[
        'https://example.com/',
        'http://example.com/',
        'http://10.0.0.1/',
        'http://localhost.example.com/',
        'nonsense',
      ],
      ...['http://user:pw@localhost:3000/', 'ftp://localhost/', 'https://localhost:3000/', '', 'http://0.0.0.0:3000/'],
      'http://localhost:99999/',
      ...['http://169.254.169.254/', 'http://[::ffff:10.0.0.1]/', 'http://127.0.0.1.example.com/'],
    ];
    for (const url of urls) expectInvalid(await simulate({ url }), 'url');
    expectInvalid(await simulate({ url: 'http://localhost:1/', event: 'email.exploded' }), 'event');
    expectInvalid(await simulate({ url: 'http://localhost:1/', secret: 'x' }), 'secret');
    expectInvalid(await simulate({}), 'url');
  });

  it('signs with the secret of the calling key, which stays the same and is never shared', async () => {
    const { url } = await startReceiver();
    const secrets = [await simulate({ url }), await simulate({ url }), await simulate({ url }, await server.newKey())];
    const [first, second, other] = secrets.map(({ body }) => body.secret);
    expect(second).toBe(first);
    expect(other).not.toBe(first);
  });

  it('needs the scope webhooks:write', async () => {
    const key = await server.newKey({ scopes: ['webhooks:read'] });
    expectProblem(await simulate({ url: 'http://localhost:3000/' }, key), 403, 'missing_scope');
    expectProblem(await server.call('POST', '/webhooks/simulate', { body: {}, key: null }), 401, 'missing_key');
  });

  it('in production returns the signed request for the caller to post, and connects nowhere', {
    tags: ['webhooks.simulate-fields'],
  }, async () => {
    const { caught, url } = await startReceiver();
    const production = await startTestApp({ settings: { POSTRIDER_MODE: 'production', POSTRIDER_ROLES: 'api' } });
    const { status, body } = await production.call('POST', '/webhooks/simulate', { body: { url } });
    await production.close();
    expect([status, body.ok, body.delivered, body.statusCode, body.durationMs]).toEqual([200, true, false, null, null]);
    expect(verifyWebhook(body.payload, body.headers, body.secret)).toMatchObject({ type: 'email.delivered' });
    expect(caught).toEqual([]);
  });
});
