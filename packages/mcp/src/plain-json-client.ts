/**
 * Streamable HTTP requires that a client accepts JSON and event streams, and refuses others with 406. A plain JSON-RPC client accepts JSON
 * or sends no `Accept`; it gets the single response as JSON, and misses only the progress it could not have read.
 */

const EVENT_STREAM = 'text/event-stream';
const ACCEPT_BOTH = `application/json, ${EVENT_STREAM}`;

/** Whether the client can read an event stream: only if it names that type. */
export function wantsEventStream(request: Request): boolean {
  return request.headers.get('accept')?.includes(EVENT_STREAM) ?? false;
}

/** The request as the protocol demands it. */
export function acceptBoth(request: Request): Request {
  const accept = request.headers.get('accept') ?? '';
  if (accept.includes('application/json') && accept.includes(EVENT_STREAM)) return request;
  const headers = new Headers(request.headers);
  headers.set('accept', ACCEPT_BOTH);
  const { method, signal } = request;
  // A body that the route has read cannot be copied, and need not be: it travels parsed.
  return new Request(request.bodyUsed ? request.url : request, { method, headers, signal });
}

/** Extracts the JSON-RPC response from an event stream; any other response stays unchanged. */
export async function toSingleResponse(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.startsWith(EVENT_STREAM)) return response;
  const responses = messagesOf(await response.text()).filter(isResponse);
  return Response.json(responses.length === 1 ? responses[0] : responses);
}

/** Every event of ours is one message on one `data:` line. */
function messagesOf(stream: string): unknown[] {
  return stream
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice('data: '.length)));
}

function isResponse(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'id' in message && !('method' in message);
}
