import type { FastifyRequest } from 'fastify';
import { ProblemError } from '../problem.ts';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether the Origin and Host of the request are trusted. A page of another origin must not reach the tools, or
 * development data, through a user's browser, and a server on loopback must not be reachable under another name (DNS
 * rebinding). Programs send no Origin.
 */
export function isTrustedOrigin(request: FastifyRequest, baseUrl: string): boolean {
  const own = new URL(baseUrl);
  const isOwn = (hostname: string) => hostname === own.hostname || LOOPBACK_NAMES.has(hostname);
  if (LOOPBACK_NAMES.has(own.hostname) && !isOwn(URL.parse(`http://${request.headers.host}`)?.hostname ?? ''))
    return false;
  const { origin } = request.headers;
  if (origin === undefined) return true;
  const url = URL.parse(origin);
  return url !== null && url.port === own.port && isOwn(url.hostname);
}

/** A hook for routes without a key: they do not exist for pages of other origins or under other host names. */
export function refuseForeignOrigins(baseUrl: string): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    if (isTrustedOrigin(request, baseUrl)) return;
    throw new ProblemError('not_found', {
      detail: 'This is not available under this host name, or to pages of other origins.',
    });
  };
}
