import { createMCPClient } from '@ai-sdk/mcp';
import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { DEFAULT_TOOLSET } from '@postrider/mcp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestApp, type TestApp } from '../harness/test-app.ts';

/** What an agent's program does with whatever library it has. */
interface AnyClient {
  readonly tools: () => Promise<readonly string[]>;
  readonly call: (name: string, given: Record<string, unknown>) => Promise<Record<string, unknown>>;
  readonly resourceTemplates: () => Promise<readonly string[]>;
  readonly read: (uri: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;
  readonly prompts: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
}

type Connect = (url: URL, headers: Record<string, string>) => Promise<AnyClient>;

/** Both lines of the official SDK have the same methods; their types differ. */
function ofOfficial(client: ModernClient | LegacyClient): AnyClient {
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: (name, given) => client.callTool({ name, arguments: given }),
    resourceTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    close: () => client.close(),
  };
}

const connectModern: Connect = async (url, headers) => {
  const client = new ModernClient(
    { name: 'test', version: '0.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  await client.connect(new ModernTransport(url, { requestInit: { headers } }));
  return ofOfficial(client);
};

const connectLegacy: Connect = async (url, headers) => {
  const client = new LegacyClient({ name: 'test', version: '0.0.0' });
  // Under exactOptionalPropertyTypes the library's own transport does not fit its own interface (`sessionId`).
  await client.connect(new LegacyTransport(url, { requestInit: { headers } }) as Transport);
  return ofOfficial(client);
};

const connectAiSdk: Connect = async (url, headers) => {
  const client = await createMCPClient({ transport: { type: 'http', url: url.href, headers } });
  return {
    tools: async () => Object.keys(await client.tools()),
    call: (name, given) => client.callTool({ name, arguments: given }),
    resourceTemplates: async () =>
      (await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate),
    read: async (uri) => (await client.readResource({ uri })).contents,
    prompts: async () => (await client.listPrompts()).prompts.map(({ name }) => name),
    close: () => client.close(),
  };
};

const CLIENTS: readonly [string, Connect][] = [
  ['@modelcontextprotocol/client 2.x', connectModern],
  ['@modelcontextprotocol/sdk 1.x', connectLegacy],
  ['@ai-sdk/mcp', connectAiSdk],
];

describe.each(CLIENTS)('%s', (library, connect) => {
  let server: TestApp;
  let client: AnyClient;

  beforeAll(async () => {
    server = await startTestApp();
    client = await connect(new URL(`${server.baseUrl}/mcp`), { authorization: `Bearer ${server.key}` });
  });
  afterAll(async () => {
    await client.close();
    await server.close();
  });

  it('lists the default tools', async () => {
    expect(await client.tools()).toEqual(DEFAULT_TOOLSET.map(({ tool }) => tool));
  });

  it('sends, waits for the outcome and reads the message as a tool and as a resource', async () => {
    const content = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: library, text: 'Hi' };
    const sent = await client.call('send_email', content);
    expect(sent).toMatchObject({ structuredContent: { status: 'queued' } });
    const { id } = sent['structuredContent'] as { id: string }; // As just seen.
    expect(await client.call('wait_for_email', { id, wait: 20 })).toMatchObject({
      structuredContent: { id, status: 'delivered', settled: true },
    });
    const [contents] = await client.read(`email://messages/${id}`);
    expect(contents).toMatchObject({ uri: `email://messages/${id}`, mimeType: 'text/plain' });
    expect(contents?.['text']).toContain(`Message ${id}: delivered`);
  });

  it('accepts an error as a result that says what to do', async () => {
    const refused = await client.call('send_email', { from: 'ada@sandbox.test', to: 'nobody' });
    expect(refused).toMatchObject({ isError: true, structuredContent: { error: { code: 'validation_failed' } } });
  });

  it('lists resource templates and prompts', async () => {
    expect(await client.resourceTemplates()).toEqual([
      'email://messages/{id}',
      'email://approvals/{id}',
      'email://templates/{slug}',
    ]);
    expect(await client.prompts()).toEqual(['compose_from_template', 'explain_bounce', 'set_up_domain']);
  });
});
