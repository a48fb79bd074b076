import type { Client } from '@modelcontextprotocol/client';
import { TOOLS } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decide, decidingKey } from '../approvals/approving.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { type AppsClientOptions, connectApps } from './connect-apps.ts';

let server: TestApp;
let key: string;
const open: Client[] = [];

const EMAIL = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', bcc: 'bounced@sandbox.test' };
const LINK = '<a href="https://evil.example/pay">https://bank.example/pay</a>';
const PAGES = 'io.github.postrider/approvalPages';

beforeAll(async () => {
  server = await startTestApp();
  key = await newKey({ approvalMode: 'always' });
});
afterAll(async () => {
  for (const client of open) await client.close();
  await server.close();
});

async function newKey(body: Readonly<Record<string, unknown>>): Promise<string> {
  const scopes = ['emails:send', 'emails:read', 'emails:content'];
  return (await server.call('POST', '/keys', { body: { name: 'Agent', scopes, ...body } })).body.key;
}

async function connect(options: Partial<AppsClientOptions> = {}): Promise<Client> {
  const client = await connectApps(server, { key, ...options });
  open.push(client);
  return client;
}

const uiOf = ({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }) =>
  _meta?.['ui'] as { readonly resourceUri?: string; readonly visibility?: readonly string[] } | undefined; // SEP-1865.

async function toolsOf(options: Partial<AppsClientOptions> = {}) {
  return (await (await connect(options)).listTools()).tools;
}

async function sendHeld(client: Client, subject: string) {
  const result = await client.callTool({
    name: 'send_email',
    arguments: { ...EMAIL, subject, html: `<p>Pay at ${LINK}</p>` },
  });
  return { result, ...(result.structuredContent as { readonly id: string; readonly approvalId: string }) }; // A held send.
}

describe('a client that shows views', () => {
  it('gets the view for every tool whose result can be held, and reads it', async () => {
    const client = await connect({ query: 'toolsets=approvals,templates' });
    const { tools } = await client.listTools();
    const shown = tools.filter((tool) => uiOf(tool)?.resourceUri !== undefined);
    expect(shown.map(({ name }) => name).sort()).toEqual([
      ...['get_approval', 'resend_email', 'send_email', 'send_email_batch', 'test_template', 'wait_for_email'],
    ]);
    const [uri] = new Set(shown.map((tool) => uiOf(tool)?.resourceUri));
    const { contents } = await client.readResource({ uri: uri ?? '' });
    expect(contents).toEqual([
      {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: expect.stringMatching(/^<!doctype html>/),
        _meta: {
          ui: {
            csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
            prefersBorder: false,
          },
        },
      },
    ]);
    const { resources } = await client.listResources();
    expect(resources).toContainEqual(expect.objectContaining({ uri, mimeType: 'text/html;profile=mcp-app' }));
  });

  it('has one tool that the frame may call, which the model does not see, and which only reads', async () => {
    const tools = await toolsOf();
    const forFrames = tools.filter((tool) => uiOf(tool)?.visibility?.includes('app') !== false);
    expect(forFrames.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['read_held_send', true],
    ]);
    expect(uiOf(forFrames[0] ?? {})?.visibility).toEqual(['app']);
  });

  it('has tools for the model that cost at most 6,000 tokens, as without the view', async () => {
    const forModel = (await toolsOf()).filter((tool) => uiOf(tool)?.visibility?.includes('model'));
    expect(forModel.map(({ name }) => name)).toEqual((await toolsOf({ hasApps: false })).map(({ name }) => name));
    expect(Math.ceil(JSON.stringify(forModel).length / 4)).toBeLessThanOrEqual(6_000);
  });

  it('gets no frame for sends of a key that is not in approval mode', async () => {
    const tools = await toolsOf({ key: await newKey({ approvalMode: 'off' }) });
    const shown = tools.filter((tool) => uiOf(tool)?.resourceUri !== undefined).map(({ name }) => name);
    expect(shown).toEqual(['resend_email']);
  });

  it('gets the address of the page in the result, and nothing else beside it', async () => {
    const client = await connect();
    const plain = await connect({ hasApps: false });
    const { result, approvalId } = await sendHeld(client, 'Pages');
    expect(result._meta?.[PAGES]).toEqual({ [approvalId]: `${server.baseUrl}/approvals/open/${approvalId}` });
    const again = await plain.callTool({
      name: 'send_email',
      arguments: { ...EMAIL, subject: 'Pages', html: `<p>Pay at ${LINK}</p>` },
    });
    expect(again._meta).not.toHaveProperty(PAGES);
    expect(Object.keys(result._meta ?? {})).toEqual([...Object.keys(again._meta ?? {}), PAGES]);
    const { deduplicated: _mark, notes: _replayed, ...first } = again.structuredContent as Record<string, unknown>; // A record.
    expect(result.structuredContent).toMatchObject(first);
  });

  it('is not asked to open the page as well, because the view has a button', async () => {
    const opened: string[] = [];
    const { result } = await sendHeld(await connect({ opened }), 'Not asked');
    expect(opened).toEqual([]);
    expect(result.structuredContent).toMatchObject({ status: 'pending_approval' });
    await sendHeld(await connect({ opened, hasApps: false }), 'Asked');
    expect(opened).toHaveLength(1);
  });

  it('gets it with a protocol of 2025 as well, for as long as its session', async () => {
    const client = await connect({ mode: 'legacy' });
    const { tools } = await client.listTools();
    expect(tools.some((tool) => uiOf(tool)?.resourceUri !== undefined)).toBe(true);
    const { approvalId, result } = await sendHeld(client, 'In a session');
    expect(Object.keys(result._meta?.[PAGES] ?? {})).toEqual([approvalId]);
    const { structuredContent } = await client.callTool({ name: 'read_held_send', arguments: { id: approvalId } });
    expect(structuredContent).toMatchObject({ id: approvalId, status: 'pending' });
  });

  it('is not asked in a session either', async () => {
    const opened: string[] = [];
    await sendHeld(await connect({ opened, mode: 'legacy' }), 'Not asked in a session');
    expect(opened).toEqual([]);
  });
});

describe('read_held_send', () => {
  const read = (client: Client, given: Readonly<Record<string, unknown>>) =>
    client.callTool({ name: 'read_held_send', arguments: { ...given } });

  it('returns what an approver reads: bcc recipients, findings, link targets, the hash and the page', async () => {
    const client = await connect();
    const { approvalId, id } = await sendHeld(client, 'To\u200b read');
    const { structuredContent, content } = await read(client, { id: approvalId });
    expect(structuredContent).toMatchObject({
      id: approvalId,
      emailId: id,
      status: 'pending',
      reasons: ['Every email from this key needs approval.'],
      subject: 'To read',
      bcc: { items: ['bounced@sandbox.test'], count: 1 },
      contentHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      decision: null,
      review: {
        findings: [expect.objectContaining({ level: 'danger', target: 'https://evil.example/pay' })],
        links: [{ text: 'https://bank.example/pay', target: 'https://evil.example/pay' }],
      },
      page: `${server.baseUrl}/approvals/open/${approvalId}`,
    });
    expect(JSON.stringify(content)).not.toContain('evil.example');
  });

  it('is as small for a message of the largest size', async () => {
    const client = await connect();
    const html = Array.from(
      { length: 900 },
      (_, index) => `<a href="https://x.example/${index}${'a'.repeat(2_000)}">https://y.example</a>`,
    ).join(' ');
    const to = Array.from({ length: 50 }, (_, index) => `${'x'.repeat(60)}${index}@sandbox.test`);
    const { body } = await server.send({ to, subject: 'Huge', html }, { key });
    const { structuredContent } = await read(client, { id: body.approvalId });
    expect(structuredContent).toMatchObject({ to: { count: 50 }, review: { linkCount: 900 } });
    expect(JSON.stringify(structuredContent).length).toBeLessThan(40_000);
  });

  it('waits for the decision, and returns it in words', async () => {
    const client = await connect();
    const { approvalId } = await sendHeld(client, 'Waited for');
    const waiting = read(client, { id: approvalId, wait: 25 });
    const body = { decision: 'reject', rejectCode: 'policy', note: 'Not like this' };
    await decide(server, await decidingKey(server), approvalId, body);
    expect((await waiting).structuredContent).toMatchObject({
      status: 'rejected',
      decision: { reason: 'It is against our policy', note: 'Not like this' },
    });
  });

  it('shows no content that the key may not read', async () => {
    const { body: first } = await server.send({ subject: 'Of another key', html: LINK });
    const client = await connect();
    const { structuredContent } = await client.callTool({ name: 'resend_email', arguments: { id: first.id } });
    const { approvalId } = structuredContent as { readonly approvalId: string }; // A held send.
    const { structuredContent: record } = await read(client, { id: approvalId });
    expect(record).toMatchObject({ contentHash: null, bcc: { count: 0 }, attachments: [], review: { body: null } });
    expect(JSON.stringify(record)).not.toContain('evil.example');
  });

  it('refuses holds of other keys and accounts, as the API does', async () => {
    const { approvalId } = await sendHeld(await connect(), 'Of one key');
    const stranger = await server.newAccount();
    for (const other of [await newKey({}), stranger.key]) {
      const { isError, structuredContent } = await read(await connect({ key: other }), { id: approvalId });
      expect([isError, structuredContent]).toEqual([true, { error: expect.objectContaining({ code: 'not_found' }) }]);
    }
  });

  it('does not exist for clients without the view', async () => {
    const client = await connect({ hasApps: false });
    await expect(read(client, { id: 'x' })).rejects.toThrow('read_held_send not found');
    expect((await client.listResources()).resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([]);
  });
});

describe('a client that does not show views', () => {
  it('gets the same tools as before', async () => {
    const names = TOOLS.filter(({ toolset }) => toolset === null).map(({ definition }) => definition.name);
    for (const tool of await toolsOf({ hasApps: false })) {
      expect(names).toContain(tool.name);
      expect(tool).not.toHaveProperty('_meta');
    }
  });

  it.each([
    ['another type', { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } }],
    ['no types', { 'io.modelcontextprotocol/ui': {} }],
  ])('is also one that declares the extension with %s', async (_name, extensions) => {
    const client = await connectApps(server, { key, extensions });
    open.push(client);
    const { tools } = await client.listTools();
    expect(tools.some(({ _meta }) => _meta !== undefined)).toBe(false);
  });
});
