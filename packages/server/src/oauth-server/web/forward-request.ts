import { IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { atEndpoint, type EndpointContext } from '../endpoint-context.ts';

export interface Forwarded {
  /** Path and query; those of the request if omitted. */
  readonly url?: string;
  readonly body?: { readonly bytes: Buffer; readonly type: string };
}

/** Cookies of the library’s own sessions, which could decide without the user. */
const SESSION_COOKIE = /(?:^|;\s*)oauth_session(?:\.sig)?=[^;]*/g;

/**
 * A request as the authorization server gets it: complete, at the host and with the client address that this server knows, whatever its
 * headers say.
 */
export function toForwarded(request: FastifyRequest, baseUrl: string, { url, body }: Forwarded = {}): IncomingMessage {
  const { host, protocol } = new URL(baseUrl);
  const { 'transfer-encoding': _encoding, 'x-forwarded-host': _host, expect: _expect, ...headers } = request.headers;
  const forwarded = new IncomingMessage(request.raw.socket);
  forwarded.method = request.method;
  forwarded.url = url ?? request.url;
  forwarded.headers = {
    ...headers,
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': request.ip,
    'content-length': String(body?.bytes.length ?? 0),
    ...(body === undefined ? {} : { 'content-type': body.type }),
    ...(headers.cookie === undefined ? {} : { cookie: headers.cookie.replaceAll(SESSION_COOKIE, '') }),
  };
  // Otherwise Node would take it for a request that was cut off, and end its connection.
  forwarded.complete = true;
  if (body !== undefined) forwarded.push(body.bytes);
  forwarded.push(null);
  return forwarded;
}

/** Lets the authorization server respond, with the headers that this server has set so far. */
export async function respondThrough(
  listener: RequestListener,
  forwarded: IncomingMessage,
  reply: FastifyReply,
  context: EndpointContext,
): Promise<void> {
  for (const [name, value] of Object.entries(reply.getHeaders())) {
    if (value !== undefined) reply.raw.setHeader(name, value);
  }
  leaveOutSessions(reply.raw);
  reply.hijack();
  await atEndpoint(context, () => listener(forwarded, reply.raw));
}

/** The library sets a cookie for its own sessions, which are not stored. */
function leaveOutSessions(response: ServerResponse): void {
  const setHeader = response.setHeader.bind(response);
  response.setHeader = (name, value) => {
    if (name.toLowerCase() !== 'set-cookie') return setHeader(name, value);
    const kept = [value].flat().filter((cookie) => !String(cookie).startsWith('oauth_session'));
    return setHeader(name, kept.map(String));
  };
}
