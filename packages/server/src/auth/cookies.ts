import { LIMITS } from '@postrider/core';

const DAY_SECONDS = 86_400;

export interface CookieJar {
  /** False on plain HTTP in development. */
  readonly isSecure: boolean;
  /** The cookie with the session token. */
  readonly session: string;
  /** The cookie that binds a sign-in link to the browser that requested it. */
  readonly browser: string;
  /** The cookie of a browser that has signed in before; it has its own rate limit for requesting links. */
  readonly known: string;
  /** The cookie with the state of a started sign-in at a provider. */
  readonly oauth: string;
  /** The cookie with what was just done, for the next page of the console. */
  readonly notice: string;
  /** The cookie with the challenge that a passkey has to sign. */
  readonly passkey: string;
  set(name: string, value: string, seconds: number): string;
  clear(name: string): string;
}

/**
 * The sign-in cookies. Browsers accept the prefix `__Host-` only from this exact host over TLS, so a neighbor under the same domain cannot
 * plant a cookie. Development on plain HTTP has no prefix, because the prefix needs TLS.
 */
export function createCookieJar(secure: boolean): CookieJar {
  const prefix = secure ? '__Host-' : '';
  const attributes = `Path=/; HttpOnly; ${secure ? 'Secure; ' : ''}SameSite=Lax`;
  return {
    isSecure: secure,
    session: `${prefix}session`,
    browser: `${prefix}sign-in`,
    known: `${prefix}known-browser`,
    oauth: `${prefix}oauth`,
    notice: `${prefix}console-notice`,
    passkey: `${prefix}passkey`,
    set: (name, value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: (name) => `${name}=; Max-Age=0; ${attributes}`,
  };
}

/** The server decides when a session ends; the cookie only has to live as long. */
export const SESSION_COOKIE_SECONDS = LIMITS.sessionDays * DAY_SECONDS;
export const KNOWN_BROWSER_SECONDS = LIMITS.knownBrowserDays * DAY_SECONDS;

/** The value of a cookie. Null if the header has no cookie of this name, or several: then someone else planted one. */
export function readCookie(header: string | undefined, name: string): string | null {
  if (header === undefined) return null;
  const values = header.split(';').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at >= 0 && pair.slice(0, at).trim() === name ? [pair.slice(at + 1).trim()] : [];
  });
  return values.length === 1 ? (values[0] ?? null) : null;
}
