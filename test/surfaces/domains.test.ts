import { Postrider, PostriderError } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runInProcess } from '../cli/run-in-process.ts';
import { startDnsServer, type TestDnsServer } from '../harness/dns-server.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type Connection, connectTo } from '../mcp/connect.ts';

describe('domains over every surface', () => {
  let dns: TestDnsServer;
  let server: TestApp;
  let client: Postrider;
  let tools: Connection;
  beforeAll(async () => {
    dns = await startDnsServer();
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' }, dnsServers: [dns.address] });
    client = new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });
    tools = await connectTo(server, 'toolsets=domains');
  });
  afterAll(async () => {
    await tools.close();
    await server.close();
    await dns.close();
  });

  const cli = async (...argv: readonly string[]) => {
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    return runInProcess(['domains', ...argv], { env });
  };
  const mcp = async (name: string, given: Readonly<Record<string, unknown>> = {}) => {
    const { notes: _notes, ...record } = (await tools.call(name, given)).record;
    return record;
  };
  const json = async (...argv: readonly string[]) => JSON.parse((await cli(...argv, '--json')).stdout);

  it('are methods of the SDK, named by operation id', { tags: ['contract-surfaces.sdk-domains'] }, async () => {
    const made = await client.domains.create({ name: 'sdk.example.com', dkimSelector: 's1' });
    expect(made).toMatchObject({ name: 'sdk.example.com', status: 'pending', dkimSelector: 's1', verifiedAt: null });
    expect((await client.domains.records(made.id)).records).toEqual(made.records);
    expect(await client.domains.get(made.id)).toEqual(made);
    for (const { type, host, value, priority } of made.records) {
      dns.set(host, type, [type === 'MX' ? `${priority} ${value}` : value]);
    }
    expect((await client.domains.verify(made.id)).status).toBe('verified');
    const names: string[] = [];
    for await (const { name } of client.domains.list({ limit: 1 })) names.push(name);
    expect(names).toContain('sdk.example.com');
    expect((await client.domains.delete(made.id)).status).toBe('removed');
    expect((await client.domains.history()).data.map(({ id }) => id)).toContain(made.id);
    expect((await client.domains.restore(made.id)).dkimSelector).toBe('s1');
    expect((await client.domains.rotate(made.id, { dkimSelector: 's2' })).records.map(({ host }) => host)).toContain(
      's2._domainkey.sdk.example.com',
    );
    const again = client.domains.create({ name: 'sdk.example.com' });
    await expect(again).rejects.toMatchObject({ code: 'already_exists', status: 409 });
    await expect(again).rejects.toBeInstanceOf(PostriderError);
  });

  it('are the same over REST, the SDK, MCP and the CLI', async () => {
    const { body } = await server.call('POST', '/domains', { body: { name: 'same.example.com' } });
    expect(await client.domains.get(body.id)).toEqual(body);
    expect(await mcp('get_domain', { id: body.id })).toEqual(body);
    expect(await json('get', 'same.example.com')).toEqual(body);
    expect(await json('get', body.id)).toEqual(body);
    const listed = (await server.call('GET', '/domains')).body;
    expect(await json('list')).toEqual(listed);
    const { data, total } = await client.domains.list();
    expect({ data, total }).toEqual({ data: listed.domains, total: listed.total });
    const rows = (await mcp('list_domains')).domains.map(({ id, status }: Record<string, string>) => ({ id, status }));
    expect(rows).toEqual(listed.domains.map(({ id, status }: Record<string, string>) => ({ id, status })));
    const { records } = await client.domains.records(body.id);
    expect(await mcp('get_domain_records', { id: body.id })).toEqual({ records });
    expect(await json('records', 'same.example.com')).toEqual({ records });
  });

  it('give the same zone file over REST, the SDK and the CLI', async () => {
    const { id } = await json('add', 'zone.example.com');
    const response = await fetch(`${server.baseUrl}/domains/${id}/records`, {
      headers: { authorization: `Bearer ${server.key}`, accept: 'text/plain' },
    });
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const zone = await response.text();
    expect(zone).toContain('zone.example.com.');
    expect((await cli('records', 'zone.example.com', '--zone')).stdout.trimEnd()).toBe(zone.trimEnd());
    const { data } = await client.requestOperation(
      'domains.records',
      { params: { id } },
      { headers: { accept: 'text/plain' } },
    );
    expect(data).toBe(zone);
  });

  it('are verified by `domains verify --watch` once their records are published', async () => {
    const { records } = await json('add', 'watched.example.com');
    const watching = cli('verify', 'watched.example.com', '--for', '30', '--json');
    for (const { type, host, value, priority } of records) {
      dns.set(host, type, [type === 'MX' ? `${priority} ${value}` : value]);
    }
    const { code, stdout } = await watching;
    expect(code).toBe(0);
    expect(JSON.parse(stdout).status).toBe('verified');
    expect((await server.send({ from: 'a@watched.example.com' })).status).toBe(202);
  });

  it('are rejected the same way, with the same problem', async () => {
    const key = await server.newKey({ scopes: ['domains:read'] });
    const { status, body } = await server.call('POST', '/domains', { key, body: { name: 'no.example.com' } });
    expect([status, body.code]).toEqual([403, 'missing_scope']);
    const env = { POSTRIDER_API_KEY: key, POSTRIDER_BASE_URL: server.baseUrl };
    expect(await runInProcess(['domains', 'add', 'no.example.com'], { env })).toMatchObject({ code: 4 });
    const missing = '01980d3c-0000-7000-8000-000000000001';
    const problems = [
      (await server.call('POST', `/domains/${missing}/verify`)).body,
      (await tools.call('verify_domain', { id: missing })).record.error,
      JSON.parse((await cli('verify', missing)).stderr),
    ];
    for (const problem of problems) expect(problem).toMatchObject({ code: 'not_found', status: 404, retryable: false });
  });
});
