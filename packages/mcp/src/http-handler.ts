import {
  type AuthInfo,
  createMcpHandler,
  isInitializeRequest,
  isLegacyRequest,
  LATEST_PROTOCOL_VERSION,
  type McpServer,
  type McpServerFactory,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { CallerFacts, Scope, Toolset } from '@postrider/core';
import { createMcpServer } from './create-server.ts';
import { asksToListen, createListening } from './http-listening.ts';
import type { Invoke } from './invoke.ts';
import { acceptBoth, SESSION_ID, toSingleResponse, wantsEventStream } from './plain-json-client.ts';
import type { WatchResources } from './resources/resource-watch.ts';
import { jsonRpcError } from './sessions/json-rpc-error.ts';
import type { Declared, McpSession, McpSessions } from './sessions/session-port.ts';
import { createSessionRequests } from './sessions/session-requests.ts';
import { openSessionStream } from './sessions/session-stream.ts';

/** The authenticated caller: the scopes of its key, and operations that run with that key. */
export interface McpCaller {
  readonly invoke: Invoke;
  readonly scopes: readonly Scope[] | null;
  /** Scopes that the user of a program that signed in can still grant it. */
  readonly grantable?: readonly Scope[];
  /** The facts about the key that the policy uses. */
  readonly facts?: CallerFacts;
  /** Distinguishes the keys of one account; not secret. */
  readonly caller: string;
  /** Toolsets beyond the default one for this request. */
  readonly toolsets?: readonly Toolset[];
  /** True: only tools that neither change nor send anything. */
  readonly readOnly?: boolean;
  /** The request id in the log and the response. */
  readonly requestId?: string;
  /** Watches resources with that key; without it there are no notifications. */
  readonly watch?: WatchResources;
  /** The sessions of that key; without them, clients of the 2025 protocol get none. */
  readonly sessions?: McpSessions;
}

/** A caller whose request belongs to a session. */
interface SessionCaller extends McpCaller {
  readonly session?: McpSession;
}

export interface McpHttpSettings {
  readonly version: string;
  /** The server's public address. */
  readonly baseUrl?: string;
  readonly maxRequestBodyBytes: number;
  readonly instructions?: string;
  /** Called with errors and with requests that the protocol rejected. It does not affect the response. */
  readonly onError?: (error: unknown) => void;
  /** Replaces the MCP server created for each request, so that tests can run the transport with another tool catalog. */
  readonly createServer?: (caller: McpCaller, era: 'legacy' | 'modern') => McpServer;
}

export interface McpHttpHandler {
  /**
   * Handles one POST. `parsedBody` is the JSON body if the route has already read it; the route then enforces `maxRequestBodyBytes`.
   * Abort the request's signal when the caller disconnects.
   */
  readonly fetch: (request: Request, caller: McpCaller, parsedBody?: unknown) => Promise<Response>;
  /** Handles one GET: the event stream of a session, or a refusal. Abort the request's signal when the caller disconnects. */
  readonly openStream: (
    request: Request,
    caller: Pick<McpCaller, 'sessions'>,
  ) => Promise<AsyncIterable<string> | Response>;
  /** Handles one DELETE, which ends a session. */
  readonly endSession: (request: Request, caller: Pick<McpCaller, 'sessions'>) => Promise<Response>;
  /** Ends open streams and accepts no new ones. Called first in a shutdown, which would otherwise wait for them. */
  readonly endListening: () => Promise<void>;
  /** Ends running requests, for the shutdown. */
  readonly close: () => Promise<void>;
}

/**
 * `/mcp` as a web-standard handler, with a new server per request, for protocol 2026-07-28 and the 2025 revisions. Requests of a 2025 session
 * name it in a header; all others are stateless (docs/decisions/0036).
 *
 * The route is responsible for authentication (and `WWW-Authenticate: Bearer` on a 401), and for checking Origin and Host against DNS
 * rebinding, which the library does not do.
 */
export function createMcpHttpHandler(settings: McpHttpSettings): McpHttpHandler {
  const { maxRequestBodyBytes, onError = () => {} } = settings;
  // The library passes `authInfo` on unchanged. Its identity is used to find the caller, because its `extra` would lose the types.
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const create = settings.createServer ?? createOwnServer(settings);
  const factory: McpServerFactory = ({ authInfo, era }) => {
    const caller = authInfo && callers.get(authInfo);
    if (caller === undefined) throw new Error('an MCP request has no caller');
    return create(caller, era);
  };
  const handler = createMcpHandler(factory, {
    legacy: 'stateless',
    maxRequestBodySize: maxRequestBodyBytes,
    onerror: onError,
  });
  const listening = createListening(factory, onError);
  const inSessions = createSessionRequests({ maxRequestBodyBytes, onError });

  /** Handles a request in a session, or the one that begins it; null for all others. */
  async function fetchInSession(
    request: Request,
    caller: McpCaller,
    authInfo: AuthInfo,
    parsedBody: unknown,
  ): Promise<Response | null> {
    const { sessions } = caller;
    const sessionId = request.headers.get(SESSION_ID);
    if (sessions === undefined || !(await isLegacyRequest(request, parsedBody))) return null;
    if (isInitializeRequest(parsedBody)) {
      const response = await handler.fetch(request, { authInfo, parsedBody });
      const headers = new Headers(response.headers);
      headers.set(SESSION_ID, sessions.open(declaredBy(parsedBody.params)));
      return new Response(response.body, { status: response.status, headers });
    }
    if (sessionId === null) return null;
    const session = await sessions.find(sessionId);
    if (session === null) return unknownSession();
    const given = { sessionId, authInfo, parsedBody, create: () => create({ ...caller, session }, 'legacy') };
    return await inSessions.post(request, session, given);
  }

  async function findSession(
    request: Request,
    { sessions }: Pick<McpCaller, 'sessions'>,
  ): Promise<McpSession | Response> {
    const sessionId = request.headers.get(SESSION_ID);
    if (sessions === undefined || sessionId === null) {
      return jsonRpcError(405, -32_000, `This method needs a session: send the ${SESSION_ID} of initialize.`, {
        allow: METHODS,
      });
    }
    return (await sessions.find(sessionId)) ?? unknownSession();
  }

  return {
    fetch: async (request, caller, parsedBody) => {
      // The key itself stays in the route: no handler needs it.
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [...(caller.scopes ?? [])] };
      callers.set(authInfo, caller);
      const { watch } = caller;
      if (watch !== undefined && asksToListen(parsedBody) && wantsEventStream(request)) {
        return await listening.listen(acceptBoth(request), { authInfo, watch }, parsedBody);
      }
      const accepting = acceptBoth(request);
      const response =
        (await fetchInSession(accepting, caller, authInfo, parsedBody)) ??
        (await handler.fetch(accepting, { authInfo, ...(parsedBody === undefined ? {} : { parsedBody }) }));
      return wantsEventStream(request) ? response : await toSingleResponse(response);
    },
    openStream: async (request, caller) => {
      const session = await findSession(request, caller);
      if (session instanceof Response) return session;
      if (!wantsEventStream(request)) return jsonRpcError(406, -32_000, 'This method needs Accept: text/event-stream.');
      const stream = openSessionStream(session, request.headers.get('last-event-id'), request.signal);
      return (
        stream ??
        jsonRpcError(503, -32_000, 'Too many streams are open: end sessions that are not used.', { 'retry-after': '5' })
      );
    },
    endSession: async (request, caller) => {
      const session = await findSession(request, caller);
      if (session instanceof Response) return session;
      await session.end();
      return new Response(null, { status: 204 });
    },
    endListening: listening.close,
    close: async () => {
      await listening.close();
      await inSessions.close();
      await handler.close();
    },
  };
}

/** As in every other 405 response of the path: what it supports, with a session or without. */
const METHODS = 'POST, DELETE, GET, HEAD';

/** The error code is the one that the library's own sessions have. */
function unknownSession(): Response {
  return jsonRpcError(404, -32_001, 'The session is unknown, has ended or belongs to another key. Initialize again.');
}

/** What the server negotiates with the client: the version it asks for, if the server has it. */
function declaredBy({ protocolVersion, capabilities }: Declared): Declared {
  const isKnown = SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion);
  return { protocolVersion: isKnown ? protocolVersion : LATEST_PROTOCOL_VERSION, capabilities };
}

function createOwnServer({ version, baseUrl, instructions, onError }: McpHttpSettings) {
  return (caller: SessionCaller, era: 'legacy' | 'modern') =>
    createMcpServer({
      ...caller,
      // A client of the 2025 protocol needs a session for notifications, and learns of them when it opens one.
      canNotify: era === 'modern' ? caller.watch !== undefined : caller.sessions !== undefined,
      canLog: era === 'legacy' && caller.sessions !== undefined,
      ...(caller.session === undefined ? {} : { subscriptions: caller.session }),
      version,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(onError === undefined ? {} : { onError }),
    });
}
