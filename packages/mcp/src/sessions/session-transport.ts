import {
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type McpServer,
  type RequestId,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpSession } from './session-port.ts';

/** The ids of requests that repeat what the client said earlier. The client never sees them. */
const REPEATED = 'postrider-repeated-';

/**
 * Connects a new server to one POST of a session. The server first gets again what the client sent when it initialized, so that it is in the
 * state that a server of a session would be in. Requests to the client get ids that are unique in the session, and their responses arrive in
 * other POSTs, possibly in other processes.
 * @param requestId the request of the POST on whose stream the messages to the client are sent
 */
export async function connectToSession(
  mcp: McpServer,
  session: McpSession,
  requestId: RequestId,
  maxRequestBodySize: number,
): Promise<WebStandardStreamableHTTPServerTransport> {
  const transport = new WebStandardStreamableHTTPServerTransport({ maxRequestBodySize });
  const repeated = new Map<RequestId, () => void>();
  /** Ids that the client knows, by those that the server knows. */
  const sent = new Map<RequestId, { readonly id: string; readonly stop: () => void }>();
  const send = transport.send.bind(transport);

  transport.send = async (message, options) => {
    if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) {
      const onRepeated = message.id === undefined ? undefined : repeated.get(message.id);
      return onRepeated === undefined ? await send(message, options) : onRepeated();
    }
    await send(toClient(message), { ...options, relatedRequestId: options?.relatedRequestId ?? requestId });
  };

  function toClient(message: JSONRPCMessage): JSONRPCMessage {
    if (isJSONRPCRequest(message)) {
      const id = session.newRequestId();
      const stop = session.awaitReply(id, (reply) => {
        sent.delete(message.id);
        transport.onmessage?.({ ...reply, id: message.id });
      });
      sent.set(message.id, { id, stop });
      return { ...message, id };
    }
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return message;
    const canceled = sent.get((message.params?.['requestId'] ?? '') as RequestId); // The library's own request id.
    return canceled === undefined ? message : { ...message, params: { ...message.params, requestId: canceled.id } };
  }

  async function repeat(request: Pick<JSONRPCRequest, 'method' | 'params'>): Promise<void> {
    const id = `${REPEATED}${request.method}`;
    await new Promise<void>((resolve) => {
      repeated.set(id, resolve);
      transport.onmessage?.({ jsonrpc: '2.0', id, ...request });
    });
    repeated.delete(id);
  }

  await mcp.connect(transport);
  const onclose = transport.onclose;
  transport.onclose = () => {
    for (const { stop } of sent.values()) stop();
    onclose?.();
  };
  const { declared, logLevel } = session;
  await repeat({ method: 'initialize', params: { ...declared, clientInfo: { name: 'unknown', version: '0' } } });
  if (mcp.server.getCapabilities().logging === undefined) return transport;
  if (logLevel !== null) await repeat({ method: 'logging/setLevel', params: { level: logLevel } });
  mcp.server.setRequestHandler('logging/setLevel', async ({ params }) => {
    await session.setLogLevel(params.level);
    return {};
  });
  return transport;
}
