import { readFile } from 'node:fs/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Postrider } from '@postrider/sdk';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageFilterFields } from '../../packages/core/src/schemas/message-filters.ts';
import { runInProcess } from '../cli/run-in-process.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** One set of filters in the words of each surface: the flat names are those of the query. */
const FILTERS = {
  q: 'Invoice',
  tag: ['order', 'vip'],
  channel: 'api',
  source: 'automation',
  agent_name: 'Night shift',
  recipient: 'ADA@sandbox.test',
  domain: 'sandbox.test',
  sender: 'ADA@sandbox.test',
  from: '2020-01-01',
  to: '2100-01-01T00:00:00+01:00',
} as const satisfies Record<Exclude<keyof typeof messageFilterFields, 'key_id' | 'status'>, unknown>;

describe('the filters of the message log', () => {
  let server: TestApp;
  let wanted: string;
  beforeAll(async () => {
    server = await startTestApp({ settings: { POSTRIDER_ROLES: 'api' } });
    const send = {
      subject: 'Your invoice',
      to: 'ada@sandbox.test',
      tags: ['order', 'vip', 'x'],
      source: 'automation',
      agent_name: 'Night shift',
    };
    await server.send({ ...send, tags: ['order'] });
    wanted = (await server.send(send)).body.id;
    await server.send({ ...send, subject: 'Your order' });
    await server.send({ ...send, from: 'Not ada <bob.ada@sandbox.test>' });
    await server.send({ ...send, from: '"ada@sandbox.test" <carl@sandbox.test>' });
  });
  afterAll(() => server.close());

  const sdk = () => new Postrider({ apiKey: server.key, baseUrl: server.baseUrl });

  async function callTool(given: Record<string, unknown>) {
    const client = new Client({ name: 'test', version: '0.0.0' });
    const requestInit = { headers: { authorization: `Bearer ${server.key}` } };
    await client.connect(new StreamableHTTPClientTransport(new URL(`${server.baseUrl}/mcp`), { requestInit }));
    const result = await client.callTool({ name: 'list_emails', arguments: given });
    await client.close();
    // Of any shape: what is expected of it is the assertion.
    // biome-ignore lint/suspicious/noExplicitAny: see above
    return result as any;
  }

  it('select the same over REST, SDK, MCP and CLI', { tags: ['emails-list.further-filters'] }, async () => {
    const { id: key_id } = (await server.call('GET', '/keys/self')).body;
    const given = { ...FILTERS, key_id, tag: [...FILTERS.tag] };
    const query = new URLSearchParams(
      Object.entries(given).flatMap(([name, value]) => [value].flat().map((one): [string, string] => [name, one])),
    );
    const flags = Object.entries(given).flatMap(([name, value]) =>
      [value].flat().flatMap((one): string[] => [`--${name.replace('_', '-')}`, one]),
    );
    const { from: since, to: until, sender, ...rest } = given;
    const inToolWords = { ...rest, since, until, from: sender };
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    const page = await sdk().emails.list(given);
    const responses = [
      (await server.call('GET', `/emails?${query}`)).body,
      { messages: page.data, total: page.total },
      (await callTool(inToolWords)).structuredContent,
      JSON.parse((await runInProcess(['emails', 'list', ...flags, '--json'], { env })).stdout),
    ];
    for (const { messages, total } of responses) {
      expect(messages.map(({ id }: { id: string }) => id)).toEqual([wanted]);
      expect(total).toBe(1);
    }
  });

  it('are all in the table of docs/searching.md', async () => {
    const page = await readFile(new URL('../../docs/searching.md', import.meta.url), 'utf8');
    expect(Object.keys(messageFilterFields).filter((name) => !page.includes(`\n| \`${name}\` `))).toEqual([]);
  });

  it('are rejected the same way when they are wrong', async () => {
    const problem = (await server.call('GET', '/emails?q=x&from=soon')).body.errors;
    expect(problem.map(({ path }: { path: string }) => path)).toEqual(['q', 'from']);
    await expect(sdk().emails.list({ q: 'x', from: 'soon' })).rejects.toMatchObject({ errors: problem });
    const refused = await callTool({ q: 'x', since: 'soon' });
    const inToolWords = problem.map((error: { path: string }) => ({
      ...error,
      path: error.path.replace('from', 'since'),
    }));
    expect([refused.isError, refused.structuredContent.error.errors]).toEqual([true, inToolWords]);
    const span = await callTool({ since: '2026-02-01', until: '2026-01-01' });
    expect(span.structuredContent.error.errors).toMatchObject([
      { path: 'until', message: 'must not be before `since`' },
    ]);
    const outside = await callTool({ to: '2026-01-01' });
    expect(outside.structuredContent.error.errors).toMatchObject([{ path: 'to', code: 'unknown_field' }]);
    const env = { POSTRIDER_API_KEY: server.key, POSTRIDER_BASE_URL: server.baseUrl };
    // The form of a time is checked before the request.
    const cli = await runInProcess(['emails', 'list', '--q', 'x', '--json'], { env });
    expect([cli.code, JSON.parse(cli.stderr).errors]).toEqual([6, [{ ...problem[0], flag: '--q' }]]);
  });
});
