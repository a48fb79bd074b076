/**
 * Streamable HTTP requires clients to accept JSON and event streams, with 406 otherwise. Plain JSON-RPC clients accept JSON or send no
 * `Accept`. They get the single response as JSON, and only miss progress notifications.
 */

const EVENT_STREAM = 'text/event-stream';
/** Names a session in requests, and the new one in the response to `initialize`. */
export const SESSION_ID = 'mcp-session-id';
const ACCEPT_BOTH = `application/json, ${EVENT_STREAM}`;

/** Whether the client accepts event streams: only if it names that type. */
export function wantsEventStream(request: Request): boolean {
  return request.headers.get('accept')?.includes(EVENT_STREAM) ?? false;
}

/** The request with the headers that the protocol requires. */
export function acceptBoth(request: Request): Request {
  const accept = request.headers.get('accept') ?? '';
  if (accept.includes('application/json') && accept.includes(EVENT_STREAM)) return request;
  const headers = new Headers(request.headers);
  headers.set('accept', ACCEPT_BOTH);
  const { method, signal } = request;
  // A body that the route has read cannot be copied; it is passed on parsed.
  return new Request(request.bodyUsed ? request.url : request, { method, headers, signal });
}

/** Extracts the JSON-RPC response from an event stream; any other response stays unchanged. */
export async function toSingleResponse(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith(EVENT_STREAM)) return response;
  const responses = messagesOf(await response.text()).filter(isResponse);
  const sessionId = response.headers.get(SESSION_ID);
  const headers = sessionId === null ? {} : { [SESSION_ID]: sessionId };
  return Response.json(responses.length === 1 ? responses[0] : responses, { headers });
}

/** Each of our events is one message on one `data:` line. */
function messagesOf(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}

function isResponse(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && !('method' in message);
}
