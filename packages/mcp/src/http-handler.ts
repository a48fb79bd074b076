import { type AuthInfo, createMcpHandler } from '@modelcontextprotocol/server';
import type { Scope, Toolset } from '@postrider/core';
import { createMcpServer } from './create-server.ts';
import type { Invoke } from './invoke.ts';
import { acceptBoth, toSingleAnswer, wantsEventStream } from './plain-json-client.ts';

/** Who is calling, as the route has established: which scopes the key holds, and operations that run under that key. */
export interface McpCaller {
  readonly invoke: Invoke;
  readonly scopes: readonly Scope[] | null;
  /** Tells the keys of one account apart; nothing secret. */
  readonly caller: string;
  /** Toolsets beyond the default one that this request asks for. */
  readonly toolsets?: readonly Toolset[];
  /** True: only tools that change and send nothing. */
  readonly readOnly?: boolean;
}

export interface McpHttpSettings {
  readonly version: string;
  readonly maxRequestBodyBytes: number;
  readonly instructions?: string;
  /** Hears of faults and of requests the protocol refused; the answer is the same either way. */
  readonly onError?: (error: unknown) => void;
}

export interface McpHttpHandler {
  /**
   * Answers one POST. `parsedBody` is the JSON body where the route has read it already; `maxRequestBodyBytes` is then the route's to keep.
   * Abort the request's signal when the caller hangs up.
   */
  readonly fetch: (request: Request, caller: McpCaller, parsedBody?: unknown) => Promise<Response>;
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
  const { version, instructions, onError, maxRequestBodyBytes } = settings;
  // The library passes `authInfo` on untouched; by its identity the caller's types survive, which they would not in its `extra`.
  const callers = new WeakMap<AuthInfo, McpCaller>();
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const caller = authInfo && callers.get(authInfo);
      if (caller === undefined) throw new Error('an MCP request came without its caller');
      return createMcpServer({
        ...caller,
        version,
        ...(instructions === undefined ? {} : { instructions }),
        ...(onError === undefined ? {} : { onError }),
      });
    },
    {
      legacy: 'stateless',
      maxRequestBodySize: maxRequestBodyBytes,
      ...(onError === undefined ? {} : { onerror: onError }),
    },
  );
  return {
    fetch: async (request, caller, parsedBody) => {
      // The key itself stays with the route: no handler needs it.
      const authInfo: AuthInfo = { token: '', clientId: '', scopes: [...(caller.scopes ?? [])] };
      callers.set(authInfo, caller);
      const response = await handler.fetch(acceptBoth(request), {
        authInfo,
        ...(parsedBody === undefined ? {} : { parsedBody }),
      });
      return wantsEventStream(request) ? response : toSingleAnswer(response);
    },
    close: () => handler.close(),
  };
}
