import { type AuthInfo, createMcpHandler, type McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import type { CallerFacts, Scope, Toolset } from '@postrider/core';
import { createMcpServer } from './create-server.ts';
import { asksToListen, createListening } from './http-listening.ts';
import type { Invoke } from './invoke.ts';
import { acceptBoth, toSingleResponse, wantsEventStream } from './plain-json-client.ts';
import type { WatchResources } from './resources/resource-watch.ts';

/** Who is calling, as the route has established: which scopes the key holds, and operations that run under that key. */
export interface McpCaller {
  readonly invoke: Invoke;
  readonly scopes: readonly Scope[] | null;
  /** What kind of caller the key is. */
  readonly facts?: CallerFacts;
  /** Tells the keys of one account apart; nothing secret. */
  readonly caller: string;
  /** Toolsets beyond the default one that this request asks for. */
  readonly toolsets?: readonly Toolset[];
  /** True: only tools that change and send nothing. */
  readonly readOnly?: boolean;
  /** Under which the request is answered and logged. */
  readonly requestId?: string;
  /** How resources are watched under that key; without it nobody is told of changes. */
  readonly watch?: WatchResources;
}

export interface McpHttpSettings {
  readonly version: string;
  /** The server's address for people. */
  readonly baseUrl?: string;
  readonly maxRequestBodyBytes: number;
  readonly instructions?: string;
  /** Hears of faults and of requests the protocol refused; the answer is the same either way. */
  readonly onError?: (error: unknown) => void;
  /** The server for one request, where it is not to be that of our tools: so the transport can be tested with another catalogue. */
  readonly createServer?: (caller: McpCaller, era: 'legacy' | 'modern') => McpServer;
}

export interface McpHttpHandler {
  /**
   * Answers one POST. `parsedBody` is the JSON body where the route has read it already; `maxRequestBodyBytes` is then the route's to keep.
   * Abort the request's signal when the caller hangs up.
   */
  readonly fetch: (request: Request, caller: McpCaller, parsedBody?: unknown) => Promise<Response>;
  /** Ends the streams of those who listen, and takes none any more: at the beginning of a shutdown, which would wait for them. */
  readonly endListening: () => Promise<void>;
  /** Ends what is running; for the shutdown. */
  readonly close: () => Promise<void>;
}

/**
 * `POST /mcp` as a web-standard handler: stateless, a fresh server a request, protocol 2026-07-28 and the 2025 revisions from one address.
 *
 * What it leaves to the route: authentication (and `WWW-Authenticate: Bearer` on a 401), the validation of Origin and Host against DNS
 * rebinding, which the library does not do, and 405 for GET and DELETE, since there are no sessions.
 */
export function createMcpHttpHandler(settings: McpHttpSettings): McpHttpHandler {
  const { maxRequestBodyBytes, onError = () => {} } = settings;
  // The library passes `authInfo` on untouched; by its identity the caller's types survive, which they would not in its `extra`.
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
  return {
    fetch: async (request, caller, parsedBody) => {
      // The key itself stays with the route: no handler needs it.
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [...(caller.scopes ?? [])] };
      callers.set(authInfo, caller);
      const { watch } = caller;
      if (watch !== undefined && asksToListen(parsedBody) && wantsEventStream(request)) {
        return await listening.listen(acceptBoth(request), { authInfo, watch }, parsedBody);
      }
      const response = await handler.fetch(acceptBoth(request), {
        authInfo,
        ...(parsedBody === undefined ? {} : { parsedBody }),
      });
      return wantsEventStream(request) ? response : toSingleResponse(response);
    },
    endListening: listening.close,
    close: async () => {
      await listening.close();
      await handler.close();
    },
  };
}

function createOwnServer({ version, baseUrl, instructions, onError }: McpHttpSettings) {
  return (caller: McpCaller, era: 'legacy' | 'modern') =>
    createMcpServer({
      ...caller,
      // A client of the 2025 protocol would need a session to be told anything.
      canTell: era === 'modern' && caller.watch !== undefined,
      version,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(onError === undefined ? {} : { onError }),
    });
}
