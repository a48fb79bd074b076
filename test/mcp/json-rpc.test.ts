import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type McpEndpoint, startMcpEndpoint } from './mcp-endpoint.ts';
import { ID, sampleMessage, sampleProblem } from './sample-messages.ts';
import { inSequence, refusal, scriptInvoke } from './scripted-invoke.ts';

const MODERN = '2026-07-28';
const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];
const BOTH = 'application/json, text/event-stream';

const queued = sampleMessage({ status: 'queued' });
const script = scriptInvoke({
  'emails.get': inSequence(queued, sampleMessage()),
  'emails.send': () => refusal(sampleProblem({ code: 'missing_scope', status: 403, detail: 'emails:send is missing' })),
});
let endpoint: McpEndpoint;

beforeAll(async () => {
  // A key that may read and not send.
  endpoint = await startMcpEndpoint({ invoke: script.invoke, scopes: ['emails:read'], caller: 'k' });
});
afterAll(() => endpoint.close());

interface Called {
  readonly status: number;
  readonly contentType: string;
  /** The messages of the response: of an event stream all of them, else the one. */
  readonly messages: readonly Record<string, unknown>[];
}

async function post(body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Called> {
  const response = await fetch(endpoint.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: BOTH, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const text = await response.text();
  const contentType = response.headers.get('content-type')?.split(';')[0] ?? '';
  const lines =
    contentType === 'text/event-stream' ? text.split('\n').filter((line) => line.startsWith('data: {')) : [];
  const messages =
    contentType === 'application/json' ? [JSON.parse(text)].flat() : lines.map((line) => JSON.parse(line.slice(6)));
  return { status: response.status, contentType, messages };
}

function request(method: string, params: Record<string, unknown> = {}, id: number | null = 1) {
  return { jsonrpc: '2.0', ...(id === null ? {} : { id }), method, params };
}

/** A request of the 2026 protocol: everything a handshake used to settle travels in `_meta`, and some of it in headers too. */
function postModern(
  method: string,
  params: Record<string, unknown> = {},
  headers: Readonly<Record<string, string>> = {},
) {
  const { _meta, ...rest } = params;
  const envelope = {
    [PROTOCOL_VERSION_META_KEY]: MODERN,
    [CLIENT_INFO_META_KEY]: { name: 'raw', version: '0.0.0' },
    [CLIENT_CAPABILITIES_META_KEY]: {},
    ...(typeof _meta === 'object' ? _meta : {}),
  };
  return post(request(method, { ...rest, _meta: envelope }), {
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {}),
    ...headers,
  });
}

describe('a plain POST of protocol 2026-07-28', () => {
  it('discovers the server', async () => {
    const { status, messages } = await postModern('server/discover');
    expect(status).toBe(200);
    expect(messages).toMatchObject([{ id: 1, result: { supportedVersions: [MODERN], capabilities: { tools: {} } } }]);
  });

  it('lists the tools of the key, for this key’s cache alone', async () => {
    const { contentType, messages } = await postModern('tools/list');
    expect(contentType).toBe('application/json');
    expect(messages).toMatchObject([
      {
        result: {
          cacheScope: 'private',
          tools: [
            { name: 'get_sending_context' },
            { name: 'wait_for_email' },
            { name: 'get_email' },
            { name: 'list_emails' },
          ],
        },
      },
    ]);
  });

  it('calls a tool', async () => {
    const { messages } = await postModern('tools/call', { name: 'get_email', arguments: { id: ID } });
    expect(messages).toMatchObject([{ result: { structuredContent: { id: ID } } }]);
  });

  it('gets one JSON response when it accepts JSON alone, even with progress to report', async () => {
    const params = { name: 'wait_for_email', arguments: { id: ID }, _meta: { progressToken: 7 } };
    const { contentType, messages } = await postModern('tools/call', params, { accept: 'application/json' });
    expect(contentType).toBe('application/json');
    expect(messages).toMatchObject([{ id: 1, result: { structuredContent: { settled: true } } }]);
  });
});

describe.each(LEGACY_VERSIONS)('a plain POST of protocol %s', (version) => {
  const versioned = { 'mcp-protocol-version': version };

  it('initializes, lists and calls, each in its own request', {
    tags: ['mcp.endpoint', 'service.mcp', 'mcp.bodies'],
  }, async () => {
    const hello = await post(
      request('initialize', { protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '0' } }),
    );
    expect(hello.messages).toMatchObject([
      { id: 1, result: { protocolVersion: version, serverInfo: { name: 'postrider', version: '1.2.3' } } },
    ]);
    const acknowledged = await post(request('notifications/initialized', {}, null), versioned);
    expect(acknowledged.status).toBe(202);
    const list = await post(request('tools/list'), versioned);
    expect(list.messages).toMatchObject([
      {
        result: {
          tools: [
            { name: 'get_sending_context' },
            { name: 'wait_for_email' },
            { name: 'get_email' },
            { name: 'list_emails' },
          ],
        },
      },
    ]);
    const call = await post(request('tools/call', { name: 'get_email', arguments: { id: ID } }), versioned);
    expect(call.messages).toMatchObject([{ result: { structuredContent: { id: ID } } }]);
  });

  it.each([['application/json'], ['*/*']])('gets one JSON response when it accepts %s', async (accept) => {
    const { status, contentType, messages } = await post(request('tools/list'), { ...versioned, accept });
    expect(status).toBe(200);
    expect(contentType).toBe('application/json');
    expect(messages).toMatchObject([{ id: 1, result: { tools: expect.any(Array) } }]);
  });

  it('gets an event stream when it can read one', async () => {
    const { contentType } = await post(request('tools/list'), versioned);
    expect(contentType).toBe('text/event-stream');
  });
});

describe('the endpoint', () => {
  it('responds to a tool that the key must not use with the API’s error, which the model can read', async () => {
    const { messages } = await post(request('tools/call', { name: 'send_email', arguments: {} }));
    expect(messages).toMatchObject([
      { result: { isError: true, structuredContent: { error: { code: 'missing_scope' } } } },
    ]);
  });

  it('responds to a tool that does not exist with a protocol error', async () => {
    const { messages } = await post(request('tools/call', { name: 'send_fax', arguments: {} }));
    expect(messages).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  it('responds to a method that does not exist with a protocol error', async () => {
    const { messages } = await post(request('tools/paint'));
    expect(messages).toMatchObject([{ id: 1, error: { code: -32601 } }]);
  });

  it('responds to all requests of a batch', async () => {
    const { messages } = await post([request('ping', {}, 1), request('tools/list', {}, 2)], {
      accept: 'application/json',
      'mcp-protocol-version': '2025-03-26',
    });
    expect(messages.map(({ id }) => id).sort()).toEqual([1, 2]);
  });

  it('responds to invalid JSON with a parse error', async () => {
    const { status, messages } = await post('{');
    expect(status).toBe(400);
    expect(messages).toMatchObject([{ error: { code: -32700 } }]);
  });

  it('accepts no other content type', async () => {
    const { status } = await post('x', { 'content-type': 'text/plain' });
    expect(status).toBe(415);
  });

  it('reads no body beyond its limit', async () => {
    const { status } = await post(request('tools/list', { padding: 'x'.repeat(100_001) }));
    expect(status).toBe(413);
  });

  it('creates no session, so that any process can serve the next request', async () => {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: BOTH },
      body: JSON.stringify(
        request('initialize', {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'raw', version: '0' },
        }),
      ),
    });
    await response.text();
    expect(response.headers.has('mcp-session-id')).toBe(false);
  });
});
