import type { SessionKind } from '../db/schema/sessions.ts';
import { type CookieJar, readCookie } from './cookies.ts';
import { looksLikeSessionToken } from './session-token.ts';

/** The session token that a request carries. */
export interface SessionToken {
  readonly token: string;
  readonly kind: SessionKind;
}

/** What a request says about the browser or program that sent it. */
export interface ClientInfo {
  /** The client's address, after the trusted proxies. */
  readonly address: string;
  readonly userAgent: string | null;
  /** Null when the request has no session. A session token in `Authorization` wins over the cookie; an API key there is no session. */
  readonly sessionToken: SessionToken | null;
  /** See isSameOriginRequest. */
  readonly isFromOwnOrigin: boolean;
  readonly formOrigin: FormOrigin;
  cookie(name: string): string | null;
}

export interface ClientHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'user-agent'?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

export function readClientInfo(headers: ClientHeaders, address: string, jar: CookieJar, baseUrl: string): ClientInfo {
  return {
    address,
    userAgent: headers['user-agent'] ?? null,
    sessionToken: readSessionToken(headers, jar) ?? readSessionToken({ cookie: headers.cookie }, jar),
    isFromOwnOrigin: isSameOriginRequest(headers, baseUrl),
    formOrigin: readFormOrigin(headers, baseUrl),
    cookie: (name) => readCookie(headers.cookie, name),
  };
}

/** The session that a call is made with, if any. A cookie counts only when there is no `Authorization` header. */
export function readSessionToken({ authorization, cookie }: ClientHeaders, jar: CookieJar): SessionToken | null {
  if (authorization !== undefined) {
    const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    return bearer !== undefined && looksLikeSessionToken(bearer) ? { token: bearer, kind: 'device' } : null;
  }
  const token = readCookie(cookie, jar.session);
  return token === null || token === '' ? null : { token, kind: 'cookie' };
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a request may write with its cookie: `Origin` or, without one, `Sec-Fetch-Site` must name this server's origin. Browsers always
 * send one of them, and pages can change neither. `Referer` proves nothing, because pages can leave it out.
 */
export function isSameOriginRequest(
  { origin, 'sec-fetch-site': site }: Pick<ClientHeaders, 'origin' | 'sec-fetch-site'>,
  baseUrl: string,
): boolean {
  return origin === undefined ? site === 'same-origin' : isSameOrigin(origin, baseUrl);
}

/** The origin of the page that sent a form; `unknown` when no header says. */
export type FormOrigin = 'own' | 'foreign' | 'unknown';

/**
 * Reads a form's origin from headers that browsers set and pages cannot change. Any page can send a form here, so a form that changes
 * something must come from a page of this server. `Origin: null` says nothing: browsers send it for pages that hide their origin.
 */
export function readFormOrigin(
  { origin, 'sec-fetch-site': site }: Pick<ClientHeaders, 'origin' | 'sec-fetch-site'>,
  baseUrl: string,
): FormOrigin {
  if (site !== undefined && site !== 'same-origin') return 'foreign';
  if (origin !== undefined && origin !== 'null') return isSameOrigin(origin, baseUrl) ? 'own' : 'foreign';
  return site === undefined ? 'unknown' : 'own';
}

/** Loopback has several names, and a server on it has one port: they are the same origin here. */
function isSameOrigin(origin: string | undefined, baseUrl: string): boolean {
  const [given, own] = [URL.parse(origin ?? ''), new URL(baseUrl)];
  if (given === null) return false;
  if (given.origin === own.origin) return true;
  const areLocal = LOOPBACK_NAMES.has(given.hostname) && LOOPBACK_NAMES.has(own.hostname);
  return areLocal && given.port === own.port && given.protocol === own.protocol;
}

/** A path on this server to redirect to; null for anything that leads to another server. */
export function toLocalPath(next: string | null | undefined, baseUrl: string): string | null {
  if (next === null || next === undefined || !/^\/[^/\\]/.test(next)) return null;
  const url = URL.parse(next, `${new URL(baseUrl).origin}/`);
  // Dots in a path are resolved here: what is left of `/.//host` names another server.
  if (url === null || url.origin !== new URL(baseUrl).origin || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}`;
}
