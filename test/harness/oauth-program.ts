import { createHash, randomBytes } from 'node:crypto';
import type { TestSession } from './session.ts';
import type { TestApp, TestResponse } from './test-app.ts';
import { decideRequest, type OpenRequest, openRequest } from './user-browser.ts';

export interface Tokens {
  readonly access: string;
  readonly refresh: string;
  readonly scope: string;
  readonly expiresIn: number;
}

export interface ProgramOptions {
  readonly name?: string;
  readonly redirectUri?: string;
  /** The id of a client that needs no registration. */
  readonly clientId?: string;
}

/** A request for access, with what the program keeps of it. */
export interface Asked extends OpenRequest {
  readonly verifier: string;
  readonly state: string;
}

/** A program that signs in with OAuth, written for the tests: it does what the specifications say, and can do it wrong. */
export interface OAuthProgram {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Starts the request in the browser of this user. */
  ask(session: TestSession, parameters?: Readonly<Record<string, string>>): Promise<Asked>;
  /** The user decides on the page; returns where the browser ends up, which is the program's redirect URI. */
  decide(session: TestSession, asked: Asked, choices?: Readonly<Record<string, string>>): Promise<URL>;
  /** Exchanges the code for tokens. */
  exchange(returned: URL, asked: Asked, changes?: Readonly<Record<string, string>>): Promise<TestResponse>;
  refresh(token: string, changes?: Readonly<Record<string, string>>): Promise<TestResponse>;
  revoke(token: string): Promise<TestResponse>;
  /** All of it: what a user does who presses Allow. */
  signIn(
    session: TestSession,
    choices?: Readonly<Record<string, string>>,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<Tokens>;
  /** Calls a tool with an access token, or sends another JSON-RPC request. */
  callTool(token: string, name: string, args?: object, path?: string): Promise<TestResponse>;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' } as const;

export async function createProgram(server: TestApp, options: ProgramOptions = {}): Promise<OAuthProgram> {
  const { name = 'Claude Code', redirectUri = 'http://localhost:3118/callback' } = options;
  const clientId = options.clientId ?? (await register(server, name, redirectUri));
  const post = (path: string, fields: Readonly<Record<string, string>>) =>
    server.call('POST', path, { key: null, headers: FORM, rawBody: new URLSearchParams(fields).toString() });

  const program: OAuthProgram = {
    clientId,
    redirectUri,
    async ask(session, parameters = {}) {
      const verifier = randomBytes(32).toString('base64url');
      const state = randomBytes(8).toString('hex');
      const query = new URLSearchParams({
        ...{ response_type: 'code', client_id: clientId, redirect_uri: redirectUri, state },
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
        resource: `${server.baseUrl}/mcp`,
        ...parameters,
      });
      return { verifier, state, ...(await openRequest(server, session, `/oauth/authorize?${query}`)) };
    },
    decide: (session, asked, choices) => decideRequest(server, session, asked, choices),
    exchange: (returned, { verifier }, changes = {}) =>
      post('/oauth/token', {
        ...{
          grant_type: 'authorization_code',
          client_id: clientId,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        },
        code: returned.searchParams.get('code') ?? '',
        resource: `${server.baseUrl}/mcp`,
        ...changes,
      }),
    refresh: (token, changes = {}) =>
      post('/oauth/token', { grant_type: 'refresh_token', client_id: clientId, refresh_token: token, ...changes }),
    revoke: (token) => post('/oauth/revoke', { token, client_id: clientId }),
    async signIn(session, choices = {}, parameters = {}) {
      const asked = await program.ask(session, parameters);
      const response = await program.exchange(await program.decide(session, asked, choices), asked);
      if (response.status !== 200) throw new Error(JSON.stringify(response.body));
      return tokensOf(response);
    },
    callTool: (token, tool, args = {}, path = '/mcp') =>
      server.call('POST', path, {
        key: token,
        headers: { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
        body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } },
      }),
  };
  return program;
}

export function tokensOf({ body }: Pick<TestResponse, 'body'>): Tokens {
  return { access: body.access_token, refresh: body.refresh_token, scope: body.scope, expiresIn: body.expires_in };
}

async function register(server: TestApp, name: string, redirectUri: string): Promise<string> {
  const body = { client_name: name, redirect_uris: [redirectUri] };
  const { status, body: registered } = await server.call('POST', '/oauth/register', { key: null, body });
  if (status !== 201) throw new Error(JSON.stringify(registered));
  return registered.client_id;
}
