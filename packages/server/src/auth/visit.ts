import type { SessionKind } from '../db/schema/sessions.ts';
import { type CookieJar, readCookie } from './cookies.ts';
import { looksLikeSessionToken } from './session-token.ts';

/** A session's token as it came with a request. */
export interface BorneToken {
  readonly token: string;
  readonly kind: SessionKind;
}

/** What a request says of the browser or program it comes from. */
export interface Visit {
  /** The client's address, as far as it can be believed. */
  readonly address: string;
  readonly userAgent: string | null;
  /** Null where the request bears no session. A session token in `Authorization` goes before the cookie; a key there is no session. */
  readonly borne: BorneToken | null;
  /** As of comesFromHere. */
  readonly isFromHere: boolean;
  readonly formOrigin: FormOrigin;
  cookie(name: string): string | null;
}

export interface VisitHeaders {
  readonly authorization?: string | undefined;
  readonly cookie?: string | undefined;
  readonly origin?: string | undefined;
  readonly 'user-agent'?: string | undefined;
  readonly 'sec-fetch-site'?: string | string[] | undefined;
}

export function readVisit(headers: VisitHeaders, address: string, jar: CookieJar, baseUrl: string): Visit {
  return {
    address,
    userAgent: headers['user-agent'] ?? null,
    borne: readBorne(headers, jar) ?? readBorne({ cookie: headers.cookie }, jar),
    isFromHere: comesFromHere(headers, baseUrl),
    formOrigin: readFormOrigin(headers, baseUrl),
    cookie: (name) => readCookie(headers.cookie, name),
  };
}

/** The session that a call is made with, if any. A cookie counts only where no `Authorization` says who calls. */
export function readBorne({ authorization, cookie }: VisitHeaders, jar: CookieJar): BorneToken | null {
  if (authorization !== undefined) {
    const bearer = /^bearer +(\S+) *$/i.exec(authorization)?.[1];
    return bearer !== undefined && looksLikeSessionToken(bearer) ? { token: bearer, kind: 'device' } : null;
  }
  const token = readCookie(cookie, jar.session);
  return token === null || token === '' ? null : { token, kind: 'cookie' };
}

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Whether a request may write by its cookie: it has to say that it comes from a page of this server, by `Origin` or, without one, by
 * `Sec-Fetch-Site`. Browsers always say so, and pages can change neither. `Referer` proves nothing, because pages can leave it out.
 */
export function comesFromHere(
  { origin, 'sec-fetch-site': site }: Pick<VisitHeaders, 'origin' | 'sec-fetch-site'>,
  baseUrl: string,
): boolean {
  return origin === undefined ? site === 'same-origin' : isSameOrigin(origin, baseUrl);
}

/** Where a form was sent from: `unsaid` where neither the browser nor the program says. */
export type FormOrigin = 'here' | 'elsewhere' | 'unsaid';

/**
 * Where a form comes from, by what browsers say of their own accord and pages cannot change. Any page can send a form here, so one that changes
 * something has to come from a page of this server. `Origin: null` says nothing: browsers send it for pages that hide where they are from.
 */
export function readFormOrigin(
  { origin, 'sec-fetch-site': site }: Pick<VisitHeaders, 'origin' | 'sec-fetch-site'>,
  baseUrl: string,
): FormOrigin {
  if (site !== undefined && site !== 'same-origin') return 'elsewhere';
  if (origin !== undefined && origin !== 'null') return isSameOrigin(origin, baseUrl) ? 'here' : 'elsewhere';
  return site === undefined ? 'unsaid' : 'here';
}

/** Loopback has several names, and a server on it has one port: they are the same origin here. */
function isSameOrigin(origin: string | undefined, baseUrl: string): boolean {
  const [given, own] = [URL.parse(origin ?? ''), new URL(baseUrl)];
  if (given === null) return false;
  if (given.origin === own.origin) return true;
  const areLocal = LOOPBACK_NAMES.has(given.hostname) && LOOPBACK_NAMES.has(own.hostname);
  return areLocal && given.port === own.port && given.protocol === own.protocol;
}

/** A path of this server to go on to; null for everything that would lead elsewhere. */
export function toOwnPath(next: string | null | undefined, baseUrl: string): string | null {
  if (next === null || next === undefined || !/^\/[^/\\]/.test(next)) return null;
  const url = URL.parse(next, `${new URL(baseUrl).origin}/`);
  // Dots in a path are resolved here: what is left of `/.//host` names another server.
  if (url === null || url.origin !== new URL(baseUrl).origin || url.pathname.startsWith('//')) return null;
  return `${url.pathname}${url.search}`;
}
