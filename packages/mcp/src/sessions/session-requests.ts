import {
  type AuthInfo,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpSession } from './session-port.ts';
import { connectToSession } from './session-transport.ts';
import { whenRead } from './when-read.ts';

export interface SessionRequests {
  /** Handles one POST of a session. */
  readonly post: (
    request: Request,
    session: McpSession,
    given: {
      readonly sessionId: string;
      readonly authInfo: AuthInfo;
      readonly parsedBody: unknown;
      readonly create: () => McpServer;
    },
  ) => Promise<Response>;
  readonly close: () => Promise<void>;
}

export interface SessionRequestSettings {
  readonly maxRequestBodyBytes: number;
  readonly onError: (error: unknown) => void;
}

type Transport = WebStandardStreamableHTTPServerTransport;

/**
 * Each request of a session gets a server of its own, as outside of sessions. Only requests that run at this moment are kept in memory, so that
 * the client can cancel them.
 */
export function createSessionRequests({ maxRequestBodyBytes, onError }: SessionRequestSettings): SessionRequests {
  const running = new Map<string, Set<Transport>>();

  function add(sessionId: string, transport: Transport): void {
    running.set(sessionId, (running.get(sessionId) ?? new Set()).add(transport));
  }

  function remove(sessionId: string, transport: Transport): void {
    const left = running.get(sessionId);
    left?.delete(transport);
    if (left?.size === 0) running.delete(sessionId);
  }

  /** Responses and notifications of the client. Cancellations reach the requests that run in this process. */
  async function accept(session: McpSession, sessionId: string, message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      if (typeof message.id === 'string') await session.reply(message.id, message);
    } else if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled') {
      for (const transport of running.get(sessionId) ?? []) transport.onmessage?.(message);
    }
  }

  return {
    async post(request, session, { sessionId, authInfo, parsedBody, create }) {
      const messages: readonly unknown[] = Array.isArray(parsedBody) ? parsedBody : [parsedBody];
      const first = messages.find((message) => isJSONRPCRequest(message));
      if (first === undefined) {
        const transport = new WebStandardStreamableHTTPServerTransport({ maxRequestBodySize: maxRequestBodyBytes });
        const accepted: Promise<void>[] = [];
        transport.onmessage = (message) => accepted.push(accept(session, sessionId, message));
        const response = await transport.handleRequest(request, { parsedBody });
        await Promise.all(accepted);
        return response;
      }
      const mcp = create();
      mcp.server.onerror = onError;
      const transport = await connectToSession(mcp, session, first.id, maxRequestBodyBytes);
      add(sessionId, transport);
      const end = () => {
        remove(sessionId, transport);
        transport.close().catch(onError);
      };
      request.signal.addEventListener('abort', end, { once: true });
      return whenRead(await transport.handleRequest(request, { authInfo, parsedBody }), end);
    },
    async close() {
      await Promise.all([...running.values()].flatMap((transports) => [...transports].map((each) => each.close())));
    },
  };
}
