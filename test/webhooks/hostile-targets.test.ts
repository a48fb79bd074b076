import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, isIP, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { expectInvalid } from '../harness/expect-problem.ts';
import { HOSTILE_LITERALS, HOSTILE_NAMES } from '../harness/hostile-hosts.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

describe('in production, a webhook or an attachment that leads inside', () => {
  const hits: string[] = [];
  const servers: Server[] = [];
  let dns: TestDnsServer;
  let server: TestApp;
  /** Every host at the port of a canary, by https and http. */
  let urls: readonly string[];
  let nameUrls: readonly string[];

  beforeAll(async () => {
    const certificate = makeCertificate(['localhost', '127.0.0.1', ...Object.keys(HOSTILE_NAMES)]);
    const canary = async (made: Server, host: string): Promise<number> => {
      servers.push(made);
      // A connection alone is a hit: it reveals whether something listens.
      made.on('connection', ({ remoteAddress }) => hits.push(`from ${remoteAddress}`)).listen(0, host);
      await once(made, 'listening');
      return (made.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
    };
    const four = await canary(createHttpsServer(certificate), '0.0.0.0');
    const six = await canary(createHttpsServer(certificate), '::1');
    const plain = await canary(createHttpServer(), '127.0.0.1');
    dns = await startDnsServer();
    for (const [name, addresses] of Object.entries(HOSTILE_NAMES)) {
      for (const [type, family] of [
        ['A', 4],
        ['AAAA', 6],
      ] as const) {
        const values = addresses.filter((address) => isIP(address) === family);
        if (values.length > 0) dns.set(name, type, values);
      }
    }
    const isLocalhost = (host: string) => /localhost/i.test(host);
    const names = [...Object.keys(HOSTILE_NAMES), ...HOSTILE_LITERALS.filter(isLocalhost)];
    nameUrls = names.map((name) => `https://${name}:${name.includes('six') ? six : four}/hook`);
    urls = [
      ...HOSTILE_LITERALS.filter((host) => !isLocalhost(host)).map(
        (host) => `https://${host}:${host.startsWith('[') ? six : four}/hook`,
      ),
      `http://127.0.0.1:${plain}/`,
      `https://user:password@127.0.0.1:${four}/`,
      `https://example.com@127.0.0.1:${four}/`,
      `https://127.0.0.1:${four}\\@example.com/`,
      `https:127.0.0.1:${four}/`,
    ];
    server = await startTestApp({ settings: { POSTRIDER_MODE: 'production' }, dnsServers: [dns.address] });
  });
  afterAll(async () => {
    await server.close();
    await dns.close();
    for (const each of servers) each.close();
  });

  it('is tried in more than eighty ways', () => {
    expect(new Set([...urls, ...nameUrls]).size).toBeGreaterThan(80);
  });

  it('is rejected as an endpoint by its address, at creation and at every change', {
    tags: ['webhooks.endpoint-urls'],
  }, async () => {
    const safe = await server.call('POST', '/webhooks', { body: { url: 'https://hooks.example.com/' } });
    expect(safe.status).toBe(201);
    for (const [index, url] of urls.entries()) {
      expectInvalid(await server.call('POST', '/webhooks', { body: { url } }), 'url');
      if (index % 8 === 0) {
        expectInvalid(await server.call('PATCH', `/webhooks/${safe.body.id}`, { body: { url } }), 'url');
      }
    }
    await server.call('DELETE', `/webhooks/${safe.body.id}`);
    expect(hits).toEqual([]);
  });

  it('is never connected to when an event is delivered, whether its name or its stored address leads inside', {
    tags: ['webhooks.endpoint-urls'],
    timeout: 30_000,
  }, async () => {
    const { sql } = server.database;
    const targets = [...nameUrls, ...urls];
    const { body } = await server.call('POST', '/webhooks', {
      body: { url: nameUrls[0], events: ['suppression.added'] },
    });
    // Addresses that creation refuses, as a dump of a development server or an older version may hold them.
    await sql`
      INSERT INTO webhook_endpoints (account_id, id, url, events, secret, created_at)
      SELECT w.account_id, gen_random_uuid(), u.url, w.events, w.secret, w.created_at
      FROM webhook_endpoints w, unnest(${targets.slice(1)}::text[]) AS u (url) WHERE w.id = ${body.id}`;
    await server.call('POST', '/suppressions', { body: { email: 'ada@example.org' } });
    const readAttempts = () => sql<{ url: string; status_code: number | null; error: string }[]>`
      SELECT w.url, a.status_code, a.error FROM webhook_attempts a
      JOIN webhook_endpoints w ON w.account_id = a.account_id AND w.id = a.endpoint_id WHERE a.attempt = 1`;
    await expect.poll(readAttempts, { timeout: 20_000 }).toHaveLength(targets.length);
    const attempts = await readAttempts();
    expect(new Set(attempts.map(({ url }) => url))).toEqual(new Set(targets));
    for (const { url, status_code, error } of attempts) {
      expect([status_code, error], url).toEqual([null, expect.stringMatching(/^The URL /)]);
    }
    expect(hits).toEqual([]);
  });

  it('is rejected as a file of a send, whether its address or its name leads inside', async () => {
    const targets = [...urls, ...nameUrls];
    for (let at = 0; at < targets.length; at += 20) {
      const attachments = targets.slice(at, at + 20).map((url, index) => ({ filename: `${index}.txt`, url }));
      const { status, body } = await server.send({ attachments });
      expect(status).toBe(422);
      expect(body.errors.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(
        attachments.map((_, index) => [`attachments.${index}.url`, 'attachment_url_refused']),
      );
    }
    expect(hits).toEqual([]);
  });
});
