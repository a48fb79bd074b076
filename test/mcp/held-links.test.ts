import type { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey } from '../approvals/approving.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { connectApps } from './connect-apps.ts';

let server: TestApp;
let key: string;
let client: Client;

const EMAIL = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', text: 'Hi' };

beforeAll(async () => {
  server = await startTestApp();
  const body = { name: 'Held', scopes: ['emails:send', 'emails:read', 'emails:content'], approvalMode: 'always' };
  key = (await server.call('POST', '/keys', { body })).body.key;
  client = await connectApps(server, { key, hasApps: false });
});
afterAll(async () => {
  await client.close();
  await server.close();
});

const call = (name: string, given: Readonly<Record<string, unknown>>, by = client) =>
  by.callTool({ name, arguments: { ...given } });
const linksOf = ({ content }: Awaited<ReturnType<typeof call>>) =>
  content.filter((block) => block.type === 'resource_link');
const linkTo = (approvalId: string) => ({
  type: 'resource_link',
  uri: `email://approvals/${approvalId}`,
  name: approvalId,
  title: 'Held send',
  mimeType: 'text/plain',
});
const approvalOf = ({ structuredContent }: Awaited<ReturnType<typeof call>>) =>
  (structuredContent as { approvalId: string }).approvalId; // As a held send returns it.

describe('the result of a held send', () => {
  it('links to the hold, which the client can read', async () => {
    const sent = await call('send_email', { ...EMAIL, subject: 'Linked' });
    expect(linksOf(sent)).toEqual([linkTo(approvalOf(sent))]);
    const { contents } = await client.readResource({ uri: linkTo(approvalOf(sent)).uri });
    expect(JSON.stringify(contents)).toContain('Linked');
  });

  it('links to the hold again when it is the first result of an idempotency key', async () => {
    const given = { ...EMAIL, subject: 'Again', idempotency_key: 'once' };
    const [first, again] = [await call('send_email', given), await call('send_email', given)];
    expect(linksOf(again)).toEqual([linkTo(approvalOf(first))]);
  });

  it('links to the hold again when an agent repeats it', async () => {
    const given = { ...EMAIL, subject: 'Repeated' };
    const [first, again] = [await call('send_email', given), await call('send_email', given)];
    expect(again.structuredContent).toMatchObject({ deduplicated: true });
    expect(linksOf(again)).toEqual([linkTo(approvalOf(first))]);
  });

  it('links to the holds of a batch, ten at most', async () => {
    const emails = Array.from({ length: 12 }, (_, index) => ({ ...EMAIL, subject: `Batch ${index}` }));
    const { structuredContent, ...sent } = await call('send_email_batch', { emails });
    const { results } = structuredContent as { results: { approvalId: string }[] }; // As the schema has it.
    expect(linksOf(sent)).toEqual(results.slice(0, 10).map(({ approvalId }) => linkTo(approvalId)));
  });

  it.each(['wait_for_email', 'get_email', 'resend_email'])('links to the hold in the result of %s', async (name) => {
    const { body } = await server.send({ subject: `For ${name}` }, { key });
    const given = { id: body.id, ...(name === 'wait_for_email' ? { wait: 1 } : {}) };
    expect(linksOf(await call(name, given))).toHaveLength(1);
  });

  it('has no link once the hold is decided, or if nothing is held', async () => {
    const sent = await call('send_email', { ...EMAIL, subject: 'Decided' });
    const body = { decision: 'reject', rejectCode: 'other' };
    await decide(server, await decidingKey(server), approvalOf(sent), body);
    const { id } = sent.structuredContent as { id: string }; // As the schema has it.
    expect(linksOf(await call('wait_for_email', { id }))).toEqual([]);
    const free = await connectApps(server, { key: server.key, hasApps: false });
    expect(linksOf(await call('send_email', { ...EMAIL, subject: 'Free' }, free))).toEqual([]);
    await free.close();
  });
});

describe('the protocol revisions of 2025', () => {
  const post = async (subject: string, headers: Readonly<Record<string, string>>) => {
    const params = { name: 'send_email', arguments: { ...EMAIL, subject } };
    const response = await fetch(`${server.baseUrl}/mcp`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        ...{ accept: 'application/json', ...headers },
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
    });
    const { result } = (await response.json()) as { result: { content: { type: string }[] } }; // JSON-RPC.
    return result.content.map(({ type }) => type);
  };

  it.each(['2025-06-18', '2025-11-25'])('get a link (%s)', async (version) => {
    expect(await post(version, { 'mcp-protocol-version': version })).toEqual(['text', 'resource_link']);
  });

  it('get none if they are older than links in results, since those clients reject a block that they do not know', async () => {
    expect(await post('2025-03-26', { 'mcp-protocol-version': '2025-03-26' })).toEqual(['text']);
    expect(await post('no header', {})).toEqual(['text']);
  });

  it('get a link with the client of the library', async () => {
    const legacy = await connectApps(server, { key, hasApps: false, mode: 'legacy' });
    expect(linksOf(await call('send_email', { ...EMAIL, subject: 'Legacy' }, legacy))).toHaveLength(1);
    await legacy.close();
  });
});
