import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createProgram, tokensOf } from '../harness/oauth-program.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

const REDIRECT_URI = 'http://localhost:3118/callback';

describe('a program that publishes its metadata', () => {
  const trusted = getCACertificates('default');
  let server: TestApp;
  let owner: TestSession;
  let site: Server;
  let origin: string;
  let requests: string[] = [];
  const documents = new Map<
    string,
    () => { readonly status?: number; readonly body: string; readonly headers?: Record<string, string> }
  >();

  beforeAll(async () => {
    const certificate = makeCertificate(['localhost']);
    setDefaultCACertificates([...trusted, certificate.cert]);
    site = createServer({ cert: certificate.cert, key: certificate.key }, (request, response) => {
      requests.push(request.url ?? '');
      const document = documents.get(request.url ?? '')?.();
      if (document === undefined) {
        response.writeHead(404).end();
        return;
      }
      response
        .writeHead(document.status ?? 200, { 'content-type': 'application/json', ...document.headers })
        .end(document.body);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    origin = `https://localhost:${(site.address() as AddressInfo).port}`;
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(async () => {
    setDefaultCACertificates(trusted);
    await server.close();
    site.close();
  });

  function publish(path: string, changes: object = {}): string {
    const id = `${origin}${path}`;
    const document = { client_id: id, client_name: 'Claude', redirect_uris: [REDIRECT_URI], ...changes };
    documents.set(path, () => ({ body: JSON.stringify(document) }));
    return id;
  }

  const pageOf = async (clientId: string) => {
    const program = await createProgram(server, { clientId, redirectUri: REDIRECT_URI });
    const asked = await program.ask(owner);
    return await (await fetch(`${server.baseUrl}${asked.consent}`, { headers: { cookie: asked.cookie } })).text();
  };
  const isKnown = async (clientId: string) => {
    const program = await createProgram(server, { clientId, redirectUri: REDIRECT_URI });
    return await program.ask(owner).then(
      () => true,
      (error: Error) => {
        expect(error.message).toMatch(/^400/);
        return false;
      },
    );
  };

  it('signs in by the URL of its metadata, and the page names its host', {
    tags: ['agent-sign-in.identity'],
  }, async () => {
    const clientId = publish('/client.json', {
      scope: 'unknown:scope',
      application_type: 'web',
      logo_uri: 'http://10.0.0.1/',
    });
    expect(await pageOf(clientId)).toContain(`<b>${new URL(origin).host}</b>`);
    const program = await createProgram(server, { clientId, redirectUri: REDIRECT_URI });
    const { access } = await program.signIn(owner);
    expect((await program.callTool(access, 'get_sending_context')).status).toBe(200);
    const [key] = (await owner.call('GET', '/keys')).body.keys;
    expect(key.client).toMatchObject({ name: 'Claude', id: clientId });
    expect(requests.filter((path) => path === '/client.json')).toHaveLength(1);
  });

  it('is decided, signed in and renewed while its host is down', async () => {
    const clientId = publish('/down.json');
    const program = await createProgram(server, { clientId, redirectUri: REDIRECT_URI });
    const asked = await program.ask(owner);
    documents.delete('/down.json');
    const { refresh } = tokensOf(await program.exchange(await program.decide(owner, asked), asked));
    expect((await program.refresh(refresh)).status).toBe(200);
    const [stored] = await server.database.sql`
      SELECT payload ->> 'client_name' AS name FROM oauth_records WHERE kind = 'Client' AND payload ->> 'client_id' = ${clientId}`;
    expect(stored?.['name']).toBe('Claude');
  });

  it.each([
    ['of another id', { client_id: 'https://other.example/client.json' }],
    ['with a redirect URI of a plain site', { redirect_uris: ['http://evil.example/'] }],
    ['without redirect URIs', { redirect_uris: [] }],
    ['with a name that is no text', { client_name: ['x'] }],
    ['that is too large', { client_uri: `https://a.example/${'x'.repeat(10_000)}` }],
  ])('is refused with metadata %s', { tags: ['agent-sign-in.metadata'] }, async (what, changes) => {
    expect(await isKnown(publish(`/${what.replaceAll(' ', '-')}.json`, changes))).toBe(false);
  });

  it('is refused when its metadata redirect, fail, are not JSON, or hang', {
    tags: ['agent-sign-in.metadata'],
  }, async () => {
    const target = publish('/target.json');
    documents.set('/moved.json', () => ({ status: 302, body: '', headers: { location: target } }));
    documents.set('/broken.json', () => ({ body: '{' }));
    documents.set('/failed.json', () => ({ status: 500, body: '' }));
    for (const path of ['/moved.json', '/broken.json', '/failed.json', '/missing.json']) {
      expect(await isKnown(`${origin}${path}`)).toBe(false);
    }
  });

  it('cannot make the server send a request to a private address or over http', {
    tags: ['agent-sign-in.metadata'],
  }, async () => {
    server.clock.advance(61_000);
    requests = [];
    for (const id of [
      ...['https://10.0.0.1/client.json', 'https://169.254.169.254/latest/meta-data', 'https://[::ffff:10.0.0.1]/x'],
      ...[
        `http://localhost:${new URL(origin).port}/client.json`,
        `https://user@localhost:${new URL(origin).port}/client.json`,
      ],
    ]) {
      expect(await isKnown(id)).toBe(false);
    }
    expect(requests).toEqual([]);
  });

  it('is fetched at most twenty times a minute for one address', { tags: ['agent-sign-in.limits'] }, async () => {
    server.clock.advance(61_000);
    requests = [];
    for (let at = 0; at < 25; at += 1) await isKnown(publish(`/many-${at}.json`));
    expect(requests.length).toBeLessThanOrEqual(20);
    server.clock.advance(61_000);
  });
});
