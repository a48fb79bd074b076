import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientMetadata,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { Client as FormerClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FormerTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signInAs, type TestSession } from '../harness/session.ts';
import { startTestApp, type TestApp } from '../harness/test-app.ts';
import { allowInBrowser } from '../harness/user-browser.ts';

const CALLBACK = 'http://localhost:3118/callback';
const MESSAGE = { from: 'ada@sandbox.test', to: 'delivered@sandbox.test', subject: 'Hello', text: 'Hi!' };

/** What an application stores for its user, in memory. */
class MemoryProvider implements OAuthClientProvider {
  readonly clientMetadata: OAuthClientMetadata = { client_name: 'Test client', redirect_uris: [CALLBACK] };
  readonly redirectUrl = CALLBACK;
  readonly visited: URL[] = [];
  stored: OAuthTokens | undefined;
  #client: OAuthClientInformationMixed | undefined;
  readonly #forgetsRefresh: boolean;
  #verifier = '';
  #discovered: OAuthDiscoveryState | undefined;
  constructor(forgetsRefresh = false) {
    this.#forgetsRefresh = forgetsRefresh;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovered = state;
  }
  discoveryState() {
    return this.#discovered;
  }
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.stored;
  }
  saveTokens({ refresh_token: refresh, ...tokens }: OAuthTokens) {
    this.stored = { ...tokens, ...(refresh === undefined || this.#forgetsRefresh ? {} : { refresh_token: refresh }) };
  }
  redirectToAuthorization(url: URL) {
    this.visited.push(url);
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}

interface AnyTransport {
  finishAuth(parameters: URLSearchParams | string): Promise<void>;
}

interface Connected {
  callTool(request: { name: string; arguments: object }): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  close(): Promise<void>;
}

interface Kind {
  readonly name: string;
  /** Connects, or rejects once the user has been sent to the browser. */
  readonly connect: (
    url: URL,
    provider: MemoryProvider,
  ) => { readonly transport: AnyTransport; readonly connected: Promise<Connected> };
  /** What the client passes to the transport. */
  readonly resultOf: (returned: URL) => URLSearchParams | string;
  /** It renews its token instead of asking for more, as long as it can. */
  readonly isRefreshedFirst: boolean;
}

const KINDS: readonly Kind[] = [
  {
    name: 'the official client of protocol 2026-07-28',
    connect: (url, authProvider) => {
      const transport = new StreamableHTTPClientTransport(url, { authProvider });
      const client = new Client({ name: 'test', version: '0.0.0' });
      return {
        transport: transport as AnyTransport,
        connected: client.connect(transport).then(() => client as Connected),
      };
    },
    isRefreshedFirst: false,
    resultOf: ({ searchParams }) => searchParams,
  },
  {
    name: 'the SDK 1.x, of the 2025 revisions',
    connect: (url, authProvider) => {
      const transport = new FormerTransport(url, { authProvider: authProvider as never });
      const client = new FormerClient({ name: 'test', version: '0.0.0' });
      return {
        transport: transport as unknown as AnyTransport,
        connected: client.connect(transport as never).then(() => client as unknown as Connected),
      };
    },
    isRefreshedFirst: true,
    resultOf: ({ searchParams }) => searchParams.get('code') ?? '',
  },
];

describe.each(KINDS)('$name', ({ connect, resultOf, isRefreshedFirst }) => {
  let server: TestApp;
  let owner: TestSession;
  beforeAll(async () => {
    server = await startTestApp();
    owner = await signInAs(server, 'owner@sandbox.test');
  });
  afterAll(() => server.close());

  /** The user is sent to the browser, allows it, and the client connects. */
  async function signIn(provider: MemoryProvider, path = '/mcp', choices = {}): Promise<Connected> {
    const url = new URL(`${server.baseUrl}${path}`);
    const first = connect(url, provider);
    await expect(first.connected).rejects.toThrow();
    const asked = provider.visited.at(-1);
    if (asked === undefined) throw new Error('the user was not sent to the browser');
    await first.transport.finishAuth(resultOf(await allowInBrowser(server, owner, asked, choices)));
    return await connect(url, provider).connected;
  }

  it('signs in without a key, and its first message waits for approval', {
    tags: ['agent-sign-in.clients', 'agent-sign-in.held'],
  }, async () => {
    const provider = new MemoryProvider();
    const client = await signIn(provider);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain('send_email');
    const sent = JSON.stringify(await client.callTool({ name: 'send_email', arguments: MESSAGE }));
    expect(sent).toContain('held');
    expect(provider.visited).toHaveLength(1);
    await client.close();
  });

  it('renews its token without the user', { tags: ['agent-sign-in.clients'] }, async () => {
    const provider = new MemoryProvider();
    await (await signIn(provider)).close();
    server.clock.advance(3_700_000);
    const before = provider.stored?.access_token;
    const client = await connect(new URL(`${server.baseUrl}/mcp`), provider).connected;
    expect(JSON.stringify(await client.callTool({ name: 'get_sending_context', arguments: {} }))).toContain('Approval');
    expect(provider.stored?.access_token).not.toBe(before);
    expect(provider.visited).toHaveLength(1);
    await client.close();
  });

  it('asks the user for one more permission when a tool needs it, and keeps its key', {
    tags: ['agent-sign-in.clients'],
  }, async () => {
    const provider = new MemoryProvider(isRefreshedFirst);
    const client = await signIn(provider, '/mcp?toolsets=templates');
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('create_template');
    const create = { name: 'create_template', arguments: { name: 'Welcome', subject: 'Hi', text: 'Hello' } };
    await expect(client.callTool(create)).rejects.toThrow();
    const asked = provider.visited.at(-1);
    expect(provider.visited).toHaveLength(2);
    expect(asked?.searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['emails:send', 'templates:write']),
    );
    await client.close();
    const keys = async () =>
      (await owner.call('GET', '/keys')).body.keys.filter((key: { client: unknown }) => key.client);
    const [former] = await keys();
    const before = (await keys()).length;
    const choices = { scope: 'templates:write', continues: former.id };
    const url = new URL(`${server.baseUrl}/mcp?toolsets=templates`);
    const again = connect(url, provider);
    await again.connected.then((one) => one.close()).catch(() => undefined);
    await again.transport.finishAuth(resultOf(await allowInBrowser(server, owner, asked ?? '', choices)));
    const widened = await connect(url, provider).connected;
    // A held key makes drafts, which a user publishes.
    expect(JSON.stringify(await widened.callTool(create))).toContain('draft');
    expect(await keys()).toHaveLength(before);
    expect((await keys())[0]).toMatchObject({ id: former.id, scopes: expect.arrayContaining(['templates:write']) });
    await widened.close();
  });
});
