import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess, type Terminal } from '../cli/run-in-process.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Connection, connectTo } from '../mcp/connect.ts';

const MESSAGE =
  'From: a@good.example\r\nTo: b@example.org\r\nSubject: Hi\r\nDate: Sat, 31 Jan 2026 09:00:00 +0000\r\n\r\nHi\r\n';
const UTM = { url: 'https://example.com/?a=1', source: 's', medium: 'm', campaign: 'c' };

describe('the free tools over every surface', () => {
  let dns: TestDnsServer;
  let server: TestApp;
  let client: Postrider;
  let tools: Connection;
  let cwd: string;
  beforeAll(async () => {
    dns = await startDnsServer();
    dns.set('good.example', 'TXT', ['v=spf1 ip4:192.0.2.1 -all']);
    dns.set('good.example', 'MX', ['10 mx.good.example']);
    dns.set('mx.good.example', 'A', ['192.0.2.1']);
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' }, dnsServers: [dns.address] });
    // No one needs a key for them.
    client = new Postrider({ apiKey: null, baseUrl: server.baseUrl, maxRetries: 0 });
    tools = await connectTo(server, 'toolsets=diagnostics');
    cwd = await mkdtemp(path.join(tmpdir(), 'postrider-tools-'));
    await writeFile(path.join(cwd, 'message.eml'), MESSAGE);
  });
  afterAll(async () => {
    await rm(cwd, { recursive: true });
    await tools.close();
    await server.close();
    await dns.close();
  });

  const cli = (argv: readonly string[], terminal: Terminal = {}) => {
    server.clock.advance(61_000); // A minute later, an address may ask again.
    return runInProcess(['tools', ...argv], { cwd, env: { POSTRIDER_BASE_URL: server.baseUrl }, ...terminal });
  };
  const mcp = async (name: string, given: Readonly<Record<string, unknown>>) => {
    const { notes: _notes, ...record } = (await tools.call(name, given)).record;
    return record;
  };
  const rest = async (check: string, body: unknown) =>
    (await server.call('POST', `/tools/${check}`, { key: null, body })).body;
  const timeless = (response: object) => ({ ...response, checkedAt: null });

  it('are methods of the SDK, named by operation id, without a key', {
    tags: ['contract-surfaces.sdk-tools'],
  }, async () => {
    const { tools: free } = client;
    expect((await free.list()).tools.map(({ name }) => name).toSorted()).toEqual([
      ...['blocklist', 'dkim', 'dmarc', 'inbox-placement', 'mx', 'spf', 'utm'],
    ]);
    expect((await free.spf({ domain: 'good.example' })).check).toBe('spf');
    expect((await free.dkim({ domain: 'good.example', selector: 's1' })).check).toBe('dkim');
    expect((await free.dmarc({ domain: 'good.example' })).check).toBe('dmarc');
    expect((await free.mx({ domain: 'good.example' })).check).toBe('mx');
    expect((await free.blocklist({ target: 'good.example' })).check).toBe('blocklist');
    expect((await free.inboxPlacement({ raw: MESSAGE })).check).toBe('inbox-placement');
    expect((await free.utm(UTM)).params).toMatchObject({ utm_source: 's' });
    await expect(free.spf({ domain: 'no domain' })).rejects.toBeInstanceOf(PostriderError);
  });

  it.each([
    ['spf', { domain: 'good.example' }, ['good.example']],
    ['dkim', { domain: 'good.example', selector: 's1' }, ['good.example', '--selector', 's1']],
    ['dmarc', { domain: 'good.example' }, ['good.example']],
    ['mx', { domain: 'good.example' }, ['good.example']],
    ['blocklist', { target: 'good.example' }, ['good.example']],
    ['inbox-placement', { raw: MESSAGE }, ['--file', 'message.eml']],
  ])('%s returns the same over REST, MCP and the CLI', async (check, body, argv) => {
    server.clock.advance(61_000);
    const expected = timeless(await rest(check, body));
    expect(expected).toMatchObject({ check, status: expect.stringMatching(/^(?:pass|warn|fail)$/) });
    expect(timeless(await mcp(`check_${check.replace('-', '_')}`, body))).toEqual(expected);
    const { code, stdout } = await cli([check, ...argv, '--json']);
    expect(code).toBe(0);
    expect(timeless(JSON.parse(stdout))).toEqual(expected);
  });

  it('utm returns the same over REST, MCP and the CLI', async () => {
    server.clock.advance(61_000);
    const expected = await rest('utm', UTM);
    expect(await mcp('tag_link', UTM)).toEqual(expected);
    const argv = ['utm', UTM.url, '--source', 's', '--medium', 'm', '--campaign', 'c', '--json'];
    expect(JSON.parse((await cli(argv)).stdout)).toEqual(expected);
  });

  it('read a message from a file, from stdin when it is named, and by default', async () => {
    const expected = timeless(JSON.parse((await cli(['inbox-placement', '--file', 'message.eml'])).stdout));
    for (const argv of [['--file', '-'], ['--raw', '-'], ['--raw', '@message.eml'], []]) {
      const { code, stdout } = await cli(['inbox-placement', ...argv], { stdin: MESSAGE });
      expect(code).toBe(0);
      expect(timeless(JSON.parse(stdout))).toEqual(expected);
    }
  });
});
