import { type AuthInfo, createMcpHandler, type McpServer, type McpServerFactory } from '@modelcontextprotocol/server';
import type { CallerFacts, Scope, Toolset } from '@postrider/core';
import { createMcpServer } from './create-server.ts';
import { asksToListen, createListening } from './http-listening.ts';
import type { Invoke } from './invoke.ts';
import { acceptBoth, toSingleResponse, wantsEventStream } from './plain-json-client.ts';
import type { WatchResources } from './resources/resource-watch.ts';

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
  /** Ends open streams and accepts no new ones. Called first in a shutdown, which would otherwise wait for them. */
  readonly endListening: () => Promise<void>;
  /** Ends running requests, for the shutdown. */
  readonly close: () => Promise<void>;
}

/**
 * `POST /mcp` as a web-standard handler: stateless, with a new server per request, for protocol 2026-07-28 and the 2025 revisions.
 *
 * The route is responsible for authentication (and `WWW-Authenticate: Bearer` on a 401), for checking Origin and Host against DNS
 * rebinding, which the library does not do, and for 405 on GET and DELETE, because there are no sessions.
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
  return {
    fetch: async (request, caller, parsedBody) => {
      // The key itself stays in the route: no handler needs it.
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
      // A client of the 2025 protocol would need a session for notifications.
      canNotify: era === 'modern' && caller.watch !== undefined,
      version,
      ...(baseUrl === undefined ? {} : { baseUrl }),
      ...(instructions === undefined ? {} : { instructions }),
      ...(onError === undefined ? {} : { onError }),
    });
}
