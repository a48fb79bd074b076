import { Client as ModernClient, StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type McpEndpoint, startMcpEndpoint } from './mcp-endpoint.ts';
import { hugeMessage, ID, invalidArguments, sampleMessage, sampleProblem, sampleRecord } from './sample-messages.ts';
import { inSequence, refusal, response, type ScriptedInvoke, scriptInvoke } from './scripted-invoke.ts';

interface Progress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** What the tests need of a client, whichever library it is from. */
interface AnyClient {
  readonly listTools: () => Promise<{ tools: { name: string }[] }>;
  readonly callTool: (
    name: string,
    given: Record<string, unknown>,
    options?: { onprogress?: (progress: Progress) => void },
  ) => Promise<Record<string, unknown>>;
  readonly instructions: () => string | undefined;
  readonly serverName: () => string | undefined;
  readonly close: () => Promise<void>;
}

async function connectModern(url: URL, mode: 'legacy' | { pin: string }): Promise<AnyClient> {
  const client = new ModernClient({ name: 'test', version: '0.0.0' }, { versionNegotiation: { mode } });
  await client.connect(new ModernTransport(url));
  return {
    listTools: () => client.listTools(),
    callTool: (name, given, options) => client.callTool({ name, arguments: given }, options),
    instructions: () => client.getInstructions(),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

async function connectLegacy(url: URL): Promise<AnyClient> {
  const client = new LegacyClient({ name: 'test', version: '0.0.0' });
  // Under exactOptionalPropertyTypes the library's own transport does not fit its own interface (`sessionId`).
  await client.connect(new LegacyTransport(url) as Transport);
  return {
    listTools: () => client.listTools(),
    callTool: (name, given, options) => client.callTool({ name, arguments: given }, undefined, options),
    instructions: () => client.getInstructions(),
    serverName: () => client.getServerVersion()?.name,
    close: () => client.close(),
  };
}

const CLIENTS: readonly [string, (url: URL) => Promise<AnyClient>][] = [
  ['the 2.x client at protocol 2026-07-28', (url) => connectModern(url, { pin: '2026-07-28' })],
  ['the 2.x client at its 2025 protocol', (url) => connectModern(url, 'legacy')],
  ['the 1.x client', connectLegacy],
];

describe.each(CLIENTS)('over HTTP, %s', (_, connect) => {
  const open: { close(): Promise<void> }[] = [];

  async function start({ invoke }: ScriptedInvoke): Promise<{ client: AnyClient; endpoint: McpEndpoint }> {
    const endpoint = await startMcpEndpoint({ invoke, scopes: null, caller: 'k' });
    const client = await connect(endpoint.url);
    open.push(endpoint, client);
    // The clients check results against the schemas of the last listing only.
    await client.listTools();
    return { client, endpoint };
  }

  afterEach(async () => {
    for (const closing of open.splice(0).reverse()) await closing.close();
  });

  it('gets the name, the instructions and the tools', async () => {
    const { client } = await start(scriptInvoke({}));
    expect(client.serverName()).toBe('postrider');
    expect(client.instructions()).toContain('do not send it again');
    expect(client.instructions()).toContain('?toolsets=a,b');
    expect((await client.listTools()).tools).toHaveLength(16);
  });

  it('accepts every successful result as matching the listed schema', async () => {
    const { client } = await start(
      scriptInvoke({
        'emails.send': () => response<'emails.send'>({ id: ID, status: 'queued' }),
        'emails.get': inSequence(sampleMessage()),
        'emails.list': () =>
          response<'emails.list'>({ messages: [sampleRecord()], total: 1, totalIsEstimate: false, nextCursor: null }),
      }),
    );
    expect(await client.callTool('send_email', {})).toMatchObject({ structuredContent: { id: ID, status: 'queued' } });
    expect(await client.callTool('get_email', { id: ID })).toMatchObject({ structuredContent: { id: ID } });
    expect(await client.callTool('wait_for_email', { id: ID })).toMatchObject({ structuredContent: { settled: true } });
    expect(await client.callTool('list_emails', {})).toMatchObject({ structuredContent: { messages: [{ id: ID }] } });
  });

  it('accepts a truncated record as matching the listed schema', async () => {
    const { client } = await start(scriptInvoke({ 'emails.get': inSequence(hugeMessage('x')) }));
    expect(await client.callTool('get_email', { id: ID })).toMatchObject({ structuredContent: { id: ID } });
  });

  it('accepts an error as a result, with the text for the model and the problem beside it', async () => {
    const problem = sampleProblem();
    const { client } = await start(
      scriptInvoke({
        'emails.send': () => refusal(problem),
        'emails.get': () => refusal(problem),
        'emails.list': () => refusal(problem),
      }),
    );
    for (const tool of ['send_email', 'get_email', 'wait_for_email', 'list_emails']) {
      const result = await client.callTool(tool, { id: ID });
      expect(result).toMatchObject({ isError: true, structuredContent: { error: problem } });
      expect(JSON.stringify(result['content'])).toContain('recipient_suppressed: ');
    }
  });

  it('gets the API’s own response to wrong arguments: nothing is checked, dropped or reworded on the way', async () => {
    const problem = invalidArguments([
      { path: 'subjekt', code: 'unknown_field', message: '`subjekt` is not a known field' },
      { path: 'to', code: 'required', message: 'is required' },
    ]);
    const script = scriptInvoke({ 'emails.send': () => refusal(problem) });
    const { client } = await start(script);
    const result = await client.callTool('send_email', { subjekt: 17, from: ['a'] });
    expect(script.calls[0]?.input.body).toEqual({ subjekt: 17, from: ['a'] });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: problem } });
    expect(JSON.stringify(result['content'])).toContain('- subjekt (unknown_field)');
    expect(JSON.stringify(result['content'])).toContain('- to (required)');
  });

  it('passes on an argument with the name of an inherited property like any other', async () => {
    const script = scriptInvoke({ 'emails.send': () => refusal(invalidArguments([])) });
    const { client } = await start(script);
    const given = JSON.parse('{"constructor":1,"toString":2,"hasOwnProperty":3}');
    await client.callTool('send_email', given);
    expect(script.calls[0]?.input.body).toEqual(given);
  });

  it('is notified of progress while it waits', async () => {
    const queued = sampleMessage({ status: 'queued' });
    const { client } = await start(scriptInvoke({ 'emails.get': inSequence(queued, queued, queued, sampleMessage()) }));
    const updates: Progress[] = [];
    const result = await client.callTool(
      'wait_for_email',
      { id: ID, wait: 20 },
      { onprogress: (update) => void updates.push(update) },
    );
    expect(updates.map(({ progress, total, message }) => [progress, total, message])).toEqual([
      [5, 20, 'still queued'],
      [10, 20, 'still queued'],
    ]);
    expect(result).toMatchObject({ structuredContent: { status: 'delivered' } });
  });

  it('ends the wait on the server when it disconnects', async () => {
    const asked = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<void>();
    const { client } = await start(
      scriptInvoke({
        'emails.get': async ({ signal }) => {
          signal?.addEventListener('abort', () => aborted.resolve());
          asked.resolve();
          await aborted.promise;
          return response<'emails.get'>(sampleMessage());
        },
      }),
    );
    const call = client.callTool('wait_for_email', { id: ID });
    const ended = expect(call).rejects.toThrow();
    await asked.promise;
    await client.close();
    await aborted.promise;
    await ended;
  });

  it('gets a server error that reveals nothing, and no advice to send again', async () => {
    const { client, endpoint } = await start(scriptInvoke({}));
    const send = await client.callTool('send_email', {});
    expect(send).toMatchObject({ isError: true, structuredContent: { error: { code: 'internal', retryable: false } } });
    expect(JSON.stringify(send)).toContain('look for the message with list_emails first');
    expect(JSON.stringify(send)).not.toContain('is not in the script');
    expect(endpoint.faults).toHaveLength(1);
    const read = await client.callTool('get_email', { id: ID });
    expect(read).toMatchObject({ isError: true, structuredContent: { error: { code: 'internal', retryable: true } } });
  });
});
