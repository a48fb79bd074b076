import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useCleanUps } from '../harness/clean-ups.ts';
import { makeCertificate } from '../harness/self-made-certificate.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { runInProcess, type Terminal } from './run-in-process.ts';

interface Check {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly fix: string | null;
}

const MAIN = resolve(import.meta.dirname, '../../packages/cli/src/main.ts');
const afterwards = useCleanUps();
const NAMES = ['profile', 'server', 'certificate', 'ready', 'key', 'webhooks', 'clock', 'version'];

let server: TestApp;
/** A directory without a profile. */
let cwd: string;

beforeAll(async () => {
  server = await startTestApp();
  cwd = await mkdtemp(`${tmpdir()}/cli-doctor-`);
});
afterAll(async () => {
  await server.close();
  await rm(cwd, { recursive: true });
});

async function examine(env: Record<string, string>, flags: readonly string[] = []) {
  const { code, stdout, stderr } = await runInProcess(['doctor', '--json', ...flags], { env, cwd });
  expect(stderr).toBe('');
  const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
  expect(ok).toBe(code === 0);
  for (const { status, fix } of checks) if (status === 'warn' || status === 'fail') expect(fix).toMatch(/\w+/);
  const byName = Object.fromEntries(checks.map(({ name, status, message }) => [name, `${status}: ${message}`]));
  return { code, byName, names: checks.map(({ name }) => name) };
}

const atServer = (key = server.key) => ({ POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl });

/** A server on this machine that is not Postrider. */
async function serve(
  listener: RequestListener,
  create: (by: RequestListener) => Server = createServer,
): Promise<number> {
  const own = create(listener).listen(0, '127.0.0.1');
  await once(own, 'listening');
  afterwards(() => new Promise((done) => own.close(done)));
  return (own.address() as AddressInfo).port; // A TCP server that listens has no other kind of address.
}

/** The pages of a server that is well, but for what is changed. */
function pretend(changes: { readonly version?: string; readonly aheadMs?: number; readonly ready?: object } = {}) {
  const { version = '0.1.0', aheadMs = 0, ready } = changes;
  const listener: RequestListener = (request, response) => {
    response.setHeader('date', new Date(Date.now() + aheadMs).toUTCString());
    response.setHeader('content-type', 'application/json');
    response.setHeader('connection', 'close');
    if (request.url === '/health') response.end(JSON.stringify({ status: 'ok', version }));
    else if (request.url !== '/health/ready') response.end(JSON.stringify({ prefix: 'pr_live_', last4: 'wxyz' }));
    else response.writeHead(ready ? 503 : 200).end(JSON.stringify({ status: 'ok', checks: ready ?? {} }));
  };
  return listener;
}

describe('postrider doctor', () => {
  it('finds nothing wrong with a healthy server, and shows what the key may do', async () => {
    const { code, byName, names } = await examine(atServer());
    expect([code, names]).toEqual([0, NAMES]);
    expect(byName).toMatchObject({
      profile: 'pass: The key (pr_live_…) comes from POSTRIDER_API_KEY, the address from POSTRIDER_BASE_URL.',
      server: expect.stringMatching(/^pass: .* is Postrider \d/),
      certificate: expect.stringMatching(/^skip: /),
      ready: 'pass: The server is ready (database, queue, transport).',
      key: expect.stringMatching(/^pass: The key pr_live_\w*….{4} is valid and does not expire; scopes: emails:send, /),
      webhooks: 'pass: There are no webhook endpoints.',
      clock: expect.stringMatching(/^pass: /),
      version: expect.stringMatching(/^pass: /),
    });
  });

  it('names webhook endpoints that fail or were disabled, and says how to fix them', async () => {
    const { accountId, key } = await server.newAccount();
    const make = async (url: string) =>
      (await server.call('POST', '/webhooks', { key, body: { url: `http://127.0.0.1:9/${url}` } })).body.id as string;
    const [works, fails] = [await make('works'), await make('fails')];
    const { sql } = server.database;
    expect((await examine(atServer(key))).byName).toMatchObject({
      webhooks: 'pass: Webhook endpoints: 2, none failing.',
    });
    await sql`UPDATE webhook_endpoints SET failing_since = '2026-01-02T03:04:05Z', failures = 3 WHERE id = ${fails}`;
    const failing = await examine(atServer(key));
    expect([failing.code, failing.byName['webhooks']]).toEqual([
      0,
      `warn: Failing: ${fails} (http://127.0.0.1:9/fails) since 2026-01-02 03:04:05 UTC.`,
    ]);
    await sql`UPDATE webhook_endpoints SET status = 'disabled', disabled_reason = 'gone' WHERE id = ${works}`;
    const { stdout } = await runInProcess(['doctor', '--json'], { env: atServer(key), cwd });
    const check: Check = JSON.parse(stdout).checks.find(({ name }: Check) => name === 'webhooks');
    expect(check.message).toBe(
      `Disabled because they failed for days or returned 410: ${works} (http://127.0.0.1:9/works).`,
    );
    for (const words of ['deliveries', 'update', 'replay']) expect(check.fix).toContain(`webhooks ${words} ${works}`);
    await sql`UPDATE webhook_endpoints SET disabled_reason = 'manual' WHERE account_id = ${accountId} AND id = ${works}`;
    await sql`UPDATE webhook_endpoints SET failing_since = NULL WHERE account_id = ${accountId}`;
    expect((await examine(atServer(key))).byName['webhooks']).toMatch(/^pass: /);
    const blind = await server.newKey({ scopes: ['sending'] });
    expect((await examine(atServer(blind))).byName['webhooks']).toBe('skip: The key may not read webhook endpoints.');
  });

  it('formats its output for a terminal, and never shows a key', async () => {
    const terminal: Terminal = { columns: 200, env: { ...atServer(), NO_COLOR: '1' }, cwd };
    const { code, stdout } = await runInProcess(['doctor'], terminal);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^pass {2}profile {6}The key/m);
    expect(stdout).not.toContain(server.key.slice(0, 20));
    const refused = await runInProcess(['doctor', '--api-key', 'pr_live_wrong'], terminal);
    expect(refused.stdout).toMatch(/^fail {2}key .*\n +fix: \w+/m);
  });

  it('reports a missing key, checks the server anyway, and exits with 3', async () => {
    const { code, byName } = await examine({ POSTRIDER_BASE_URL: server.baseUrl });
    expect(code).toBe(3);
    expect(byName).toMatchObject({
      profile: expect.stringMatching(/^fail: .*quickstart\.json/),
      server: expect.stringMatching(/^pass/),
      ready: expect.stringMatching(/^pass/),
      key: 'skip: The key could not be checked.',
    });
    const nothing = await examine({});
    expect([nothing.code, nothing.names]).toEqual([3, ['profile']]);
  });

  it('reports an unknown key, an expired one and one that expires soon, and exits with 3 for those', async () => {
    const unknown = await examine(atServer(`${server.key.slice(0, -6)}000000`));
    expect(unknown.code).toBe(3);
    expect(unknown.byName['key']).toMatch(/^fail: /);
    const key = await server.newKey({ name: 'Short-lived', scopes: ['emails:send'] });
    await server.database.sql`UPDATE api_keys SET expires_at = now() + interval '3 days' WHERE name = 'Short-lived'`;
    const soon = await examine(atServer(key));
    expect(soon.code).toBe(0);
    expect(soon.byName['key']).toMatch(/^warn: .* is valid until \d{4}-.* UTC; scopes: emails:send\.$/);
    server.clock.advance(4 * 86_400_000);
    const expired = await examine(atServer(key));
    expect(expired.code).toBe(3);
    expect(expired.byName['key']).toMatch(/^fail: .*expired/i);
  });

  it('exits with 8 when the server cannot be reached, or not in time', async () => {
    const port = await serve(() => undefined);
    const silent = await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${port}` }, ['--timeout', '1']);
    expect(silent.code).toBe(8);
    expect(silent.byName['server']).toMatch(/^fail: .*no response within 1 s/);
    const { code, byName } = await examine({ ...atServer(), POSTRIDER_BASE_URL: 'http://127.0.0.1:1' });
    expect(code).toBe(8);
    expect(byName).toMatchObject({
      server: expect.stringMatching(/^fail: .*cannot be reached: .*ECONNREFUSED/),
      ready: expect.stringMatching(/^skip/),
      key: expect.stringMatching(/^skip/),
    });
  });

  it('distinguishes another server from Postrider, and a redirect from a response', async () => {
    const other = await serve((_, response) => response.writeHead(404).end('nothing'));
    const moved = await serve((_, response) => response.writeHead(301, { location: server.baseUrl }).end());
    for (const [port, status] of [
      [other, 404],
      [moved, 301],
    ] as const) {
      const { code, byName } = await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${port}` });
      expect(code).toBe(1);
      expect(byName['server']).toMatch(new RegExp(`^fail: .*HTTP ${status}`));
    }
    const away = await serve((_, response) => response.writeHead(502).end());
    expect((await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${away}` })).code).toBe(8);
  });

  it('exits with 8 when the server is not ready, and names the part', async () => {
    const ready = { database: { status: 'failing', reason: 'It is away.' }, queue: { status: 'ok', reason: null } };
    const port = await serve(pretend({ ready }));
    const { code, byName } = await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${port}` });
    expect(code).toBe(8);
    expect(byName['ready']).toBe('fail: The server is not ready. database: It is away.');
  });

  it('reports a wrong clock and a server of another version', async () => {
    const off = await serve(pretend({ aheadMs: 600_000, version: '0.9.0' }));
    const { code, byName } = await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${off}` });
    expect(code).toBe(1);
    expect(byName['clock']).toMatch(/^fail: This machine’s clock is (599|600) s behind the server’s/);
    expect(byName['version']).toMatch(/^warn: .* the server is 0\.9\.0/);
    const little = await serve(pretend({ aheadMs: -10_000 }));
    const warned = await examine({ ...atServer(), POSTRIDER_BASE_URL: `http://127.0.0.1:${little}` });
    expect([warned.code, warned.byName['clock']]).toEqual([0, expect.stringMatching(/^warn: .* (9|10|11) s ahead of/)]);
  });

  it('checks the certificate of an https address: trusted, current and present', async () => {
    const secure = async (days?: number) => {
      const certificate = makeCertificate(['127.0.0.1'], days);
      return await serve(pretend(), (listener) => createHttpsServer(certificate, listener));
    };
    const at = async (port: number) =>
      (await examine({ ...atServer(), POSTRIDER_BASE_URL: `https://127.0.0.1:${port}` })).byName;
    expect(await at(await secure())).toMatchObject({
      certificate: expect.stringMatching(/^fail: .*for 127\.0\.0\.1, is not trusted/),
      server: expect.stringMatching(/^fail: .*cannot be reached/),
    });
    expect(await at(await secure(-1))).toMatchObject({
      certificate: expect.stringMatching(/^fail: .*expired on \d{4}/),
    });
    const plain = await serve(pretend());
    expect(await at(plain)).toMatchObject({
      certificate: expect.stringMatching(/^skip: The TLS connection to \S+ failed: /),
    });
  });

  it('accepts an https address whose certificate is trusted, and warns before it expires', async () => {
    for (const [days, expected] of [
      [30, /^pass: The certificate of localhost:\d+, for localhost, is valid until \d{4}/],
      [5, /^warn: The certificate of localhost:\d+ expires on \d{4}/],
    ] as const) {
      const certificate = makeCertificate(['localhost'], days);
      const port = await serve(pretend(), (listener) => createHttpsServer(certificate, listener));
      const trusted = join(cwd, `trusted-${days}.crt`);
      await writeFile(trusted, certificate.cert);
      const env = { ...atServer(), POSTRIDER_BASE_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: trusted };
      // Node reads what else to trust once, at its start.
      const { stdout } = await promisify(execFile)(process.execPath, [MAIN, 'doctor', '--json'], { cwd, env });
      const { ok, checks }: { ok: boolean; checks: Check[] } = JSON.parse(stdout);
      expect(ok).toBe(true);
      const certificateCheck = checks.find(({ name }) => name === 'certificate');
      expect(`${certificateCheck?.status}: ${certificateCheck?.message}`).toMatch(expected);
    }
  });
});
