import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { ALL_SCOPES } from '@postrider/core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { COMPILE_CACHE } from '../harness/compile-cache.ts';
import { ID, invalidArguments, sampleMessage, sampleProblem } from './sample-messages.ts';
import {
  ownKey,
  problemResponse,
  type ReceivedRequest,
  type StandInApi,
  type StandInResponse,
  startStandInApi,
} from './stand-in-api.ts';

const ENTRY = path.resolve(import.meta.dirname, '../../packages/mcp/src/stdio.ts');
const SEND = { from: 'app@example.com', to: 'ada@example.org', subject: 'Hello', text: 'Hi' };

let directory: string;
let api: StandInApi;
const open: { close(): Promise<unknown> }[] = [];

beforeEach(async () => {
  directory = await mkdtemp(path.join(tmpdir(), 'postrider-stdio-'));
});
afterEach(async () => {
  for (const closing of open.splice(0).reverse()) await closing.close();
  await rm(directory, { recursive: true });
});

/** The API of a key that may send and read, unless the script says otherwise. */
async function startApi(script: (request: ReceivedRequest) => StandInResponse | null | undefined): Promise<void> {
  api = await startStandInApi((request) => {
    const response = script(request);
    return response === undefined ? responseOfOwnKey(request) : response;
  });
  open.push(api);
}

function responseOfOwnKey(request: ReceivedRequest): StandInResponse {
  return request.path === '/keys/self'
    ? { status: 200, body: ownKey() }
    : problemResponse(sampleProblem({ code: 'not_found', status: 404 }));
}

function keyAt(baseUrl: string): Readonly<Record<string, string>> {
  return { POSTRIDER_API_KEY: 'pr_live_test', POSTRIDER_BASE_URL: baseUrl };
}

interface Launch {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
}

/** Connects to the entry as its own process; closing the client ends it. */
async function launch(pin: string | null, { cwd, env, args }: Launch): Promise<Client> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, ...args],
    cwd,
    env: { ...COMPILE_CACHE, ...env },
    stderr: 'ignore',
  });
  const client = new Client(
    { name: 'test', version: '0.0.0' },
    { versionNegotiation: { mode: pin === null ? 'legacy' : { pin } } },
  );
  await client.connect(transport);
  return client;
}

async function connect(
  environment: Readonly<Record<string, string>> = {},
  args: readonly string[] = [],
): Promise<Client> {
  const client = await launch(null, { cwd: directory, env: { ...keyAt(api.baseUrl), ...environment }, args });
  open.push(client);
  return client;
}

/** Runs the entry as a shell would, with its input closed at once or after what it is given. */
async function run(args: readonly string[], environment: Readonly<Record<string, string>>, input = '') {
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: directory,
    env: { ...COMPILE_CACHE, ...environment },
  });
  child.stdin.end(input);
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { stdout, stderr, code };
}

type Script = (request: ReceivedRequest) => StandInResponse | undefined;

/** One process and one connection for what changes nothing of either: the process is most of what a test of it costs. */
describe.each([
  ['protocol 2026-07-28', '2026-07-28'],
  ['the 2025 protocol', null],
])('over stdio at %s', (_, pin) => {
  let script: Script;
  let shared: StandInApi;
  let client: Client;
  let home: string;
  let seen: number;
  beforeAll(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'postrider-stdio-'));
    script = () => undefined;
    shared = await startStandInApi((request) => script(request) ?? responseOfOwnKey(request));
    client = await launch(pin, { cwd: home, env: keyAt(shared.baseUrl), args: [] });
  });
  afterAll(async () => {
    await client.close();
    await shared.close();
    await rm(home, { recursive: true });
  });
  beforeEach(() => {
    script = () => undefined;
    seen = shared.requests.length;
  });

  const asked = () => shared.requests.slice(seen);

  it('reports changes of a resource that the client follows', async () => {
    const uri = `email://messages/${ID}`;
    let status: 'queued' | 'delivered' = 'queued';
    const reads = () => asked().filter((request) => request.path.startsWith(`/emails/${ID}`)).length;
    script = ({ path: requested }) =>
      requested.startsWith(`/emails/${ID}`) ? { status: 200, body: sampleMessage({ status }) } : undefined;
    const update = new Promise<string>((resolve) => {
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => resolve(params.uri));
    });
    if (pin === null) await client.subscribeResource({ uri });
    const listening = pin === null ? null : await client.listen({ resourceSubscriptions: [uri] });
    if (listening !== null) expect(listening.honoredFilter).toEqual({ resourceSubscriptions: [uri] });
    // A subscription reads it once to see that it may, and both once to have what later looks are compared with.
    await expect.poll(reads).toBeGreaterThanOrEqual(pin === null ? 2 : 1);
    status = 'delivered';
    expect(await update).toBe(uri);
    if (listening === null) await client.unsubscribeResource({ uri });
    else await listening.close();
  });

  it('offers the tools of the key’s scopes', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      ...['get_sending_context', 'send_email', 'send_email_batch', 'preview_email', 'check_recipients'],
      ...['wait_for_email', 'get_email', 'list_emails', 'resend_email'],
    ]);
    expect(shared.requests[0]).toMatchObject({
      ...{ path: '/keys/self', headers: { authorization: 'Bearer pr_live_test' } },
    });
  });

  it('sends as the channel mcp, and as an agent when the caller names no source', async () => {
    script = ({ path: called }) =>
      called === '/emails' ? { status: 202, body: { id: ID, status: 'queued' } } : undefined;
    const result = await client.callTool({ name: 'send_email', arguments: SEND });
    expect(result).toMatchObject({ structuredContent: { id: ID, status: 'queued' } });
    expect(asked().at(-1)).toMatchObject({ method: 'POST', body: { ...SEND, channel: 'mcp', source: 'agent' } });
  });

  it('returns the API’s error unchanged', async () => {
    const problem = invalidArguments([
      { path: 'subjekt', code: 'unknown_field', message: '`subjekt` is not a known field' },
    ]);
    script = ({ path: called }) => (called === '/emails' ? problemResponse(problem) : undefined);
    await client.listTools();
    const result = await client.callTool({ name: 'send_email', arguments: { subjekt: 'typo' } });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: problem } });
    expect(asked().at(-1)?.body).toMatchObject({ subjekt: 'typo' });
  });

  it('waits for an outcome with progress', async () => {
    const queued = sampleMessage({ status: 'queued' });
    const messages = [queued, queued, sampleMessage()];
    script = ({ path: called }) =>
      called.startsWith('/emails/') ? { status: 200, body: messages.shift() } : undefined;
    const updates: unknown[] = [];
    const result = await client.callTool(
      { name: 'wait_for_email', arguments: { id: ID, wait: 10 } },
      { onprogress: (update) => updates.push(update) },
    );
    expect(result).toMatchObject({ structuredContent: { settled: true } });
    expect(updates).toMatchObject([{ progress: 5, total: 10 }]);
    expect(asked().at(-1)?.path).toBe(`/emails/${ID}?wait=5`);
  });

  it('rejects a missing id as the API would, without a request', async () => {
    const result = await client.callTool({ name: 'get_email', arguments: {} });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'validation_failed', errors: [{ path: 'id', code: 'required' }] } },
    });
    expect(asked()).toEqual([]);
  });

  it('rejects what no request can carry, without a request', async () => {
    const result = await client.callTool({ name: 'send_email', arguments: { ...SEND, idempotency_key: 'a\nb' } });
    expect(result).toMatchObject({ isError: true, structuredContent: { error: { code: 'validation_failed' } } });
    expect(JSON.stringify(result.content)).toContain('idempotency-key');
    expect(asked()).toEqual([]);
  });
});

describe('the stdio program', () => {
  it('leaves the source to a key whose persona names one', async () => {
    await startApi(({ path: called }) => {
      if (called === '/emails') return { status: 202, body: { id: ID, status: 'queued' } };
      return { status: 200, body: ownKey({ persona: { agentName: null, source: 'automation' } }) };
    });
    const client = await connect();
    await client.callTool({ name: 'send_email', arguments: SEND });
    expect(api.requests.at(-1)?.body).toEqual({ ...SEND, channel: 'mcp' });
  });

  it('lists fewer tools for a key with fewer scopes, and all of them when it cannot read the scopes', async () => {
    await startApi(() => ({ status: 200, body: ownKey({ scopes: ['emails:send'] }) }));
    const narrow = await connect();
    expect((await narrow.listTools()).tools.map(({ name }) => name)).toEqual([
      'get_sending_context',
      'send_email',
      'send_email_batch',
      'preview_email',
      'check_recipients',
      'resend_email',
    ]);
    await startApi(() => problemResponse(sampleProblem({ code: 'internal', status: 500 })));
    const unknown = await connect();
    expect((await unknown.listTools()).tools).toHaveLength(16);
  });

  it('adds the toolsets that its arguments name, and leaves out tools that write', async () => {
    await startApi(() => ({ status: 200, body: ownKey({ scopes: [...ALL_SCOPES] }) }));
    const more = await connect({}, ['--toolsets', 'domains,diagnostics']);
    const names = (await more.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['send_email', 'create_domain', 'tag_link']));
    expect(names).not.toContain('create_template');
    const reading = await connect({}, ['--readonly', '--toolsets=domains']);
    const read = (await reading.listTools()).tools;
    expect(read.map(({ name }) => name)).toContain('get_domain');
    expect(read.filter(({ annotations }) => annotations?.readOnlyHint !== true)).toEqual([]);
  });

  it('adds no channel to a test of a template, which accepts none', async () => {
    await startApi(({ path: called }) =>
      called === '/templates/welcome/test' ? { status: 202, body: { id: ID, status: 'queued' } } : undefined,
    );
    const client = await connect({}, ['--toolsets=templates']);
    await client.callTool({ name: 'test_template', arguments: { id: 'welcome', variables: { name: 'Ada' } } });
    expect(api.requests.at(-1)).toMatchObject({
      path: '/templates/welcome/test',
      body: { variables: { name: 'Ada' } },
    });
    expect(api.requests.at(-1)?.headers['idempotency-key']).toMatch(/\S/);
  });

  it('explains how to repeat a send safely that got no response', async () => {
    await startApi(() => undefined);
    const client = await connect();
    await api.close();
    open.shift();
    const result = await client.callTool({ name: 'send_email', arguments: { ...SEND, idempotency_key: 'order-17' } });
    expect(result).toMatchObject({
      isError: true,
      structuredContent: { error: { code: 'unavailable', retryable: true } },
    });
    expect(JSON.stringify(result.content)).toContain('It is not known whether the call was executed');
    expect(JSON.stringify(result.content)).toContain('idempotency_key order-17');
  });

  it('uses key and address from the profile when the environment has neither', async () => {
    await startApi(() => undefined);
    await mkdir(path.join(directory, '.postrider'));
    const profile = { baseUrl: api.baseUrl, key: 'pr_live_profile' };
    await writeFile(path.join(directory, '.postrider/quickstart.json'), JSON.stringify(profile));
    const client = await connect({ POSTRIDER_API_KEY: '', POSTRIDER_BASE_URL: '' });
    await client.listTools();
    expect(api.requests[0]?.headers.authorization).toBe('Bearer pr_live_profile');
  });

  it('exits with 3 and a clear message on stderr without a key', async () => {
    const { stdout, stderr, code } = await run([], {});
    expect(code).toBe(3);
    expect(stdout).toBe('');
    expect(stderr).toContain('No API key. Set POSTRIDER_API_KEY');
  });

  it('prints its help on stderr and leaves stdout to the protocol', async () => {
    const help = await run(['--help'], {});
    expect(help).toMatchObject({ code: 0, stdout: '' });
    expect(help.stderr).toContain('POSTRIDER_API_KEY');
    expect(await run(['serve'], {})).toMatchObject({ code: 2, stdout: '' });
    const wrong = await run(['--toolsets', 'fax'], {});
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('fax');
    expect(wrong.stderr).toContain('diagnostics');
  });

  it('writes nothing but JSON-RPC to stdout, and ends with its input', async () => {
    await startApi(() => problemResponse(sampleProblem({ code: 'key_revoked', status: 401 })));
    const environment = { POSTRIDER_API_KEY: 'pr_live_test', POSTRIDER_BASE_URL: api.baseUrl };
    const hello = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '0' } },
    };
    const { stdout, stderr, code } = await run([], environment, `${JSON.stringify(hello)}\nno json\n`);
    expect(code).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toMatchObject([{ jsonrpc: '2.0', id: 1, result: { serverInfo: { name: 'postrider' } } }]);
    expect(stderr).toContain('key_revoked');
  });
});
